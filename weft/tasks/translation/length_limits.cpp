#include "weft/tasks/translation/length_limits.h"

#include <algorithm>
#include <span>

#include "weft/core/error.h"
#include "weft/core/log.h"
#include "weft/ops/losses/ctc.h"

namespace weft::tasks {
void check_lengths(const data::Corpus& corpus, const models::Seq2SeqOptions& o,
                   std::string_view option, std::string_view limit) {
  const int64_t encoder = o.encoder_capacity();
  const int64_t decoder = o.target_capacity();
  int64_t count = 0, longest = 0;
  for (int64_t s = 0; s < corpus.size(); ++s) {
    const int64_t source = corpus.length(0, s) + 1;
    const int64_t rows = models::decoder_rows(o.generation, source, corpus.length(1, s) + 1);
    count += source > encoder || rows > decoder ? 1 : 0;
    if (source > encoder) longest = std::max(longest, source);
    if (rows > decoder) longest = std::max(longest, rows);
  }
  if (count == 0) return;
  fail<OptionError>(option,
                    "{} of {} pairs of --train-sets have more rows than {}; expected at least {}, "
                    "got {}; hint: or use --max-length to drop them",
                    count, corpus.size(), limit, longest, o.encoder.position.max_positions);
}

void check_ctc_targets(const data::Corpus& corpus, const models::GenerationKinds& generation,
                       std::string_view sets) {
  const auto* ctc = generation.get_if<models::Ctc>();
  if (ctc == nullptr) return;
  int64_t count = 0;
  for (int64_t s = 0; s < corpus.size(); ++s) {
    const int64_t positions = models::positions_for(generation, corpus.length(0, s) + 1);
    count += ops::ctc_rows(corpus.ids(1, s)) > positions ? 1 : 0;
  }
  if (count == 0) return;
  if (count == corpus.size()) {
    fail<OptionError>("--ctc-upsampling",
                      "no target of {} fits into {} positions per source token; "
                      "expected more",
                      sets, ctc->upsampling);
  }
  log::warn(
      "{} of {} targets of {} do not fit into {} positions per source token: "
      "they have no loss; hint: use a higher --ctc-upsampling",
      count, corpus.size(), sets, ctc->upsampling);
}

models::TargetLengths target_lengths(const data::Corpus& corpus) {
  models::TargetLengths out;
  for (int64_t s = 0; s < corpus.size(); ++s) {
    const int64_t source = corpus.length(0, s) + 1, target = corpus.length(1, s) + 1;
    out.ratio = std::max(out.ratio, static_cast<double>(target) / static_cast<double>(source));
    out.longest = std::max(out.longest, target);
  }
  return out;
}

}  // namespace weft::tasks
