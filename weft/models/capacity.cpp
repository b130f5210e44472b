#include "weft/models/capacity.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::models {

int64_t table_capacity(const Seq2SeqOptions& o, Side side) {
  const bool is_bound = (o.has_positions(side) && has_tables(o.position.kind)) ||
                        self_attention_of(o, side).has_tables();
  return is_bound ? o.position.max_positions : std::numeric_limits<int32_t>::max();
}

int64_t positions_for(const Seq2SeqOptions& o, int64_t source_tokens) {
  if (const auto* ctc = o.generation.get_if<Ctc>()) return ctc->upsampling * source_tokens;
  const LengthFromEnd& end = o.generation.get<Parallel>().length_from.get<LengthFromEnd>();
  const double tokens = end.ratio * static_cast<double>(source_tokens);
  return static_cast<int64_t>(std::floor(tokens)) + end.offset + 1;
}

int64_t decoder_rows(const Seq2SeqOptions& o, int64_t source_tokens, int64_t target_tokens) {
  if (o.is_left_to_right() || o.predicts_length()) return target_tokens;
  const int64_t positions = positions_for(o, source_tokens);
  return o.is_ctc() ? positions : std::max(target_tokens, positions);
}

LongestSides longest_sides(const Seq2SeqOptions& o) {
  const int64_t encoder = table_capacity(o, Side::kEncoder);
  const int64_t decoder = table_capacity(o, Side::kDecoder);
  const auto longest = [](const auto& fits) {
    int64_t tokens = 0;
    for (int64_t beyond = std::numeric_limits<int32_t>::max(); tokens + 1 < beyond;) {
      const int64_t between = (tokens + beyond) / 2;
      (fits(between) ? tokens : beyond) = between;
    }
    return tokens;
  };
  return {longest([&](int64_t source) {
            return source + 1 <= encoder && decoder_rows(o, source + 1, 1) <= decoder;
          }),
          longest([&](int64_t target) { return decoder_rows(o, 1, target + 1) <= decoder; })};
}

int64_t target_capacity(const Seq2SeqOptions& o) { return table_capacity(o, Side::kDecoder); }

int64_t source_capacity(const Seq2SeqOptions& o) {
  const int64_t encoder = table_capacity(o, Side::kEncoder);
  const auto* ctc = o.generation.get_if<Ctc>();
  if (ctc == nullptr) return encoder;
  return std::min(encoder, table_capacity(o, Side::kDecoder) / ctc->upsampling);
}

}  // namespace weft::models
