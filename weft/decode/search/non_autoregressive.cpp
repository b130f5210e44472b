#include "weft/decode/search/non_autoregressive.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "weft/core/error.h"
#include "weft/data/batch.h"
#include "weft/decode/options.h"
#include "weft/decode/search/next_tokens.h"
#include "weft/models/seq2seq/seq2seq.h"
#include "weft/ops/rows/select_rows.h"

namespace weft::decode {
namespace {

// A translation in the making: tokens without an end symbol, or one for each position.
struct Draft {
  int32_t sentence;  // in its batch
  std::vector<int32_t> tokens;
  std::vector<double> log_p;
  bool is_cut;  // cut off at the length limit

  Draft(int32_t number, int64_t length, bool cut = false)
      : sentence(number),
        tokens(static_cast<size_t>(length)),
        log_p(static_cast<size_t>(length)),
        is_cut(cut) {}
  Hypothesis finish() const {
    Hypothesis out{.tokens = tokens, .ended = !is_cut, .token_scores = log_p};
    out.log_probability = std::accumulate(log_p.begin(), log_p.end(), 0.0);
    out.score = out.log_probability / static_cast<double>(std::max<size_t>(1, log_p.size()));
    return out;
  }
};

// The positions of the `count` least probable tokens, in rising order; of equals the first ones.
std::vector<int32_t> least_probable(const Draft& draft, int64_t count) {
  std::vector<int32_t> order(draft.tokens.size());
  std::iota(order.begin(), order.end(), 0);
  // log_p of the length, behind those of the tokens, is left out.
  std::ranges::stable_sort(order, {}, [&](int32_t t) { return draft.log_p[t]; });
  order.resize(static_cast<size_t>(count));
  std::ranges::sort(order);
  return order;
}

Tensor as_floats(const Tensor& x) { return x.dtype() == DType::kF32 ? x : x.to(DType::kF32); }

// Decodes one batch.
class BatchDecoder {
 public:
  BatchDecoder(const models::Seq2Seq& model, data::Tokens sources, const DecodeOptions& options,
               std::span<const int32_t> forbidden)
      : model_(model),
        sources_(std::move(sources)),
        options_(options),
        forbidden_(forbidden.begin(), forbidden.end()),
        end_id_(static_cast<int32_t>(model.dims.end_id)),
        cache_(model.decoder.make_cache()) {
    const auto begin_id = static_cast<int32_t>(model.dims.begin_id);
    if (begin_id != end_id_) forbidden_.push_back(begin_id);
    if (model.options.predicts_length()) forbidden_.push_back(end_id_);
    if (std::ssize(std::set(forbidden_.begin(), forbidden_.end())) == model.dims.target_vocab) {
      fail<OptionError>("--model",
                        "its target vocabulary is of special symbols alone; expected a token that "
                        "may stand in a translation");
    }
    std::vector<int32_t> slots(static_cast<size_t>(sources_.examples()));
    std::iota(slots.begin(), slots.end(), 0);
    memory_ = model_.encode(sources_, context_);
    cache_.add_sequences(slots, sources_.segments);
    model_.decoder.layers.prefill_cross(memory_, cache_);
  }

  std::vector<Hypothesis> decode() {
    if (!model_.options.predicts_length()) return decode_positions();
    std::vector<Draft> drafts = drafts_by_length();
    const bool is_refined = model_.options.is_mask_predict();
    is_refined ? refine(drafts) : fill(drafts);
    std::vector<Hypothesis> out(static_cast<size_t>(sources_.examples()));
    std::vector<bool> is_filled(out.size(), false);
    for (const Draft& draft : drafts) {
      const auto s = static_cast<size_t>(draft.sentence);
      Hypothesis found = draft.finish();
      if (is_filled[s] && found.score <= out[s].score) continue;
      out[s] = std::move(found);
      is_filled[s] = true;
    }
    return out;
  }

 private:
  int64_t limit(int64_t sentence) const {
    return output_limit(options_, std::ssize(sources_[sentence]),
                        {model_.options.target_capacity(), model_.dims.trained_lengths});
  }

  // Drafts of the most probable lengths of each sentence, the best first. log p of the length is
  // the last of the draft's log-probabilities, as that of an end symbol would be.
  std::vector<Draft> drafts_by_length() {
    const int64_t most = models::length_classifier(model_.options.generation)->difference;
    nn::Context plain;
    const Tensor logits = as_floats(model_.length_logits(memory_, plain));  // [B, 2C + 1]
    const auto length = [&](int64_t sentence, int64_t column) {
      return std::ssize(sources_[sentence]) - 1 + column - most;
    };
    std::vector<uint8_t> is_cut(static_cast<size_t>(sources_.examples()));
    top_.find(logits, std::min(options_.length_beam, logits.cols()),
              [&](int64_t w, TokenScores& scores) {
                const auto best = std::ranges::max_element(scores.logits) - scores.logits.begin();
                is_cut[static_cast<size_t>(w)] = length(w, best) >= limit(w) ? 1 : 0;
                for (int64_t at = 0; at <= 2 * most; ++at) {
                  const bool fits = length(w, at) >= 1 && length(w, at) < limit(w);
                  if (!fits) scores.forbid(static_cast<int32_t>(at));
                }
              });
    std::vector<Draft> out;
    for (int64_t b = 0; b < sources_.examples(); ++b) {
      const bool cut = is_cut[static_cast<size_t>(b)] != 0;
      for (const ScoredToken& found : top_.row(b)) {
        out.emplace_back(static_cast<int32_t>(b), length(b, found.token), cut);
        out.back().log_p.push_back(found.log_probability);
      }
      // No length fits.
      if (top_.row(b).empty()) {
        out.emplace_back(static_cast<int32_t>(b), std::max<int64_t>(1, limit(b) - 1), true);
      }
    }
    return out;
  }

  void refine(std::vector<Draft>& drafts) {
    std::vector<Draft*> live;
    live.reserve(drafts.size());
    for (Draft& draft : drafts) live.push_back(&draft);
    for (int64_t round = 0; round < options_.iterations && !live.empty(); ++round) {
      const auto count = [&](const Draft& d) {
        return masked_in_round(std::ssize(d.tokens), round, options_.iterations);
      };
      std::erase_if(live, [&](const Draft* d) { return count(*d) == 0; });
      std::vector<std::vector<int32_t>> masked;
      masked.reserve(live.size());
      for (const Draft* draft : live) masked.push_back(least_probable(*draft, count(*draft)));
      predict(live, masked);
    }
  }

  // Masks these positions of the drafts and predicts them again.
  void predict(std::span<Draft* const> drafts, std::span<const std::vector<int32_t>> masked) {
    models::DecoderInput input;
    Segments segments;
    for (size_t d = 0; d < drafts.size(); ++d) {
      const auto first = static_cast<int32_t>(segments.rows());
      input.ids.insert(input.ids.end(), drafts[d]->tokens.begin(), drafts[d]->tokens.end());
      input.ids.push_back(end_id_);
      for (const int32_t t : masked[d]) {
        input.masked.push_back(first + t);
        input.ids[first + t] = static_cast<int32_t>(model_.dims.begin_id);
      }
      segments.append(std::ssize(drafts[d]->tokens) + 1);
    }
    input.rows = ops::make_layout(std::move(segments));
    run(input, drafts, input.masked);
    size_t w = 0;
    for (size_t d = 0; d < drafts.size(); ++d) {
      for (const int32_t t : masked[d]) {
        drafts[d]->tokens[t] = found_[w].token;
        drafts[d]->log_p[t] = found_[w++].log_probability;
      }
    }
  }

  // One round over copies of the source, with `extra` positions after each draft's tokens.
  void fill(std::vector<Draft>& drafts, int64_t extra = 1) {
    std::vector<models::SourceCopy> copies;
    std::vector<Draft*> all;
    for (Draft& draft : drafts) {
      copies.push_back({sources_[draft.sentence], std::ssize(draft.tokens) + extra});
      all.push_back(&draft);
    }
    const models::DecoderInput input = models::copied_input(copies);
    const Segments& segments = input.rows->segments;
    std::vector<int32_t> wanted;
    for (size_t d = 0; d < drafts.size(); ++d) {
      const auto at = static_cast<int64_t>(d);
      for (int32_t row = segments.begin(at); row + extra < segments.end(at); ++row) {
        wanted.push_back(row);
      }
    }
    run(input, all, wanted);
    size_t w = 0;
    for (Draft& draft : drafts) {
      for (size_t t = 0; t < draft.tokens.size(); ++t, ++w) {
        draft.tokens[t] = found_[w].token;
        draft.log_p[t] = found_[w].log_probability;
      }
    }
  }

  // The number of positions follows from the source's length (models::positions_for). The result is
  // the tokens up to the first end symbol, or with ctc the collapsed ones.
  std::vector<Hypothesis> decode_positions() {
    const bool is_ctc = model_.options.is_ctc();
    std::vector<Draft> drafts;
    for (int64_t b = 0; b < sources_.examples(); ++b) {
      const int64_t count =
          models::positions_for(model_.options.generation, std::ssize(sources_[b]));
      drafts.emplace_back(static_cast<int32_t>(b),
                          is_ctc ? count : std::min(count, model_.options.target_capacity()));
    }
    fill(drafts, 0);
    std::vector<Hypothesis> out;
    out.reserve(drafts.size());
    for (const Draft& draft : drafts) {
      out.push_back(is_ctc ? collapsed(draft) : up_to_end(draft));
    }
    return out;
  }

  Hypothesis up_to_end(const Draft& draft) const {
    const auto most = std::min(std::ssize(draft.tokens), limit(draft.sentence));
    const auto last = draft.tokens.begin() + most;
    const auto end = std::find(draft.tokens.begin(), last, end_id_);
    const bool ended = end != last;
    const auto count = end - draft.tokens.begin();
    Draft whole(draft.sentence, 0, !ended);
    whole.tokens.assign(draft.tokens.begin(), end);
    whole.log_p.assign(draft.log_p.begin(), draft.log_p.begin() + count + (ended ? 1 : 0));
    return whole.finish();
  }

  Hypothesis collapsed(const Draft& draft) const {
    Draft whole(draft.sentence, 0);
    whole.tokens = collapse(draft.tokens, end_id_);
    int32_t before = end_id_;
    for (size_t t = 0; t < draft.tokens.size(); ++t) {
      const int32_t token = draft.tokens[t];
      if (token != end_id_ && token != before) whole.log_p.push_back(draft.log_p[t]);
      before = token;
    }
    const auto most = static_cast<size_t>(limit(draft.sentence) - 1);
    whole.is_cut = whole.tokens.size() > most;
    if (whole.is_cut) {
      whole.tokens.resize(most);
      whole.log_p.resize(most);
    }
    return whole.finish();
  }

  // Leaves the best token of each wanted row in found_. Drafts are in the order of their sentences.
  void run(const models::DecoderInput& input, std::span<Draft* const> drafts,
           const std::vector<int32_t>& wanted) {
    found_.clear();
    if (input.ids.empty()) return;
    std::vector<int32_t> counts(static_cast<size_t>(sources_.examples()), 0);
    for (size_t d = 0; d < drafts.size(); ++d) {
      counts[drafts[d]->sentence] += input.rows->segments.length(static_cast<int64_t>(d));
    }
    cache_.begin_memory_pass(counts);
    const Tensor all = model_.decode(input, cache_, context_);  // [N, D]
    const Tensor states =
        ops::select_rows(all, ops::make_selection(wanted, all.rows()), nullptr);  // [n, D]
    constexpr int64_t kChunk = 512;
    for (int64_t begin = 0; begin < states.rows(); begin += kChunk) {
      const int64_t end = std::min(begin + kChunk, states.rows());
      const Tensor logits =
          as_floats(model_.decoder.logits(states.row_range(begin, end), context_));  // [n, V]
      top_.find(logits, 1, [&](int64_t, TokenScores& scores) {
        for (const int32_t token : forbidden_) scores.forbid(token);
      });
      for (int64_t w = 0; w < end - begin; ++w) found_.push_back(top_.row(w).front());
    }
  }

  const models::Seq2Seq& model_;
  data::Tokens sources_;
  const DecodeOptions& options_;
  std::vector<int32_t> forbidden_;
  int32_t end_id_;
  nn::KvCache cache_;
  nn::Context context_;
  nn::Memory memory_;
  NextTokens top_;
  std::vector<ScoredToken> found_;
};

// Of a batch. Where scores are not finite, sentence by sentence, to know which.
std::vector<Hypothesis> decode_batch(const models::Seq2Seq& model, const data::Tokens& sources,
                                     const DecodeOptions& options,
                                     std::span<const int32_t> forbidden) {
  try {
    return BatchDecoder(model, sources, options, forbidden).decode();
  } catch (const NumericError&) {
    if (sources.examples() == 1) return {{.tokens = {}, .is_finite = false}};
  }
  std::vector<Hypothesis> out;
  for (int64_t s = 0; s < sources.examples(); ++s) {
    data::Tokens one;
    one.add(sources[s]);
    out.push_back(decode_batch(model, one, options, forbidden).front());
  }
  return out;
}

}  // namespace

int64_t masked_in_round(int64_t length, int64_t round, int64_t rounds) {
  return length * (rounds - round) / rounds;
}

std::vector<int32_t> collapse(std::span<const int32_t> classes, int32_t blank) {
  std::vector<int32_t> out;
  int32_t before = blank;
  for (const int32_t c : classes) {
    if (c != blank && c != before) out.push_back(c);
    before = c;
  }
  return out;
}

std::vector<Hypothesis> decode_non_autoregressive(const models::Seq2Seq& model,
                                                  const data::Tokens& sources,
                                                  const DecodeOptions& options,
                                                  std::span<const int32_t> forbidden) {
  const std::vector<int64_t> order = data::longest_first(sources);
  std::vector<Hypothesis> out(order.size());
  for (size_t begin = 0; begin < order.size(); begin += static_cast<size_t>(options.mini_batch)) {
    const size_t end = std::min(order.size(), begin + static_cast<size_t>(options.mini_batch));
    data::Tokens part;
    for (size_t i = begin; i < end; ++i) part.add(sources[order[i]]);
    std::vector<Hypothesis> found = decode_batch(model, part, options, forbidden);
    for (size_t i = begin; i < end; ++i) out[order[i]] = std::move(found[i - begin]);
  }
  return out;
}

}  // namespace weft::decode
