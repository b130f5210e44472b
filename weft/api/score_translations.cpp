// Log-probabilities and alignments of given translations.
#include <cmath>

#include "weft/api/inputs.h"
#include "weft/api/loaded_model.h"
#include "weft/api/read_options.h"
#include "weft/core/log.h"
#include "weft/decode/alignment.h"
#include "weft/model_file/any_model.h"
#include "weft/nn/attention/guide.h"
#include "weft/predict/translation/pair_scorer.h"
#include "weft/predict/translation/score.h"
#include "weft/score.h"

namespace weft {
namespace api {

struct TranslationScorerOptions {
  bool tsv = false;
  predict::PairScorerOptions scoring;
  decode::AlignmentOptions alignment;

  template <class V>
  void fields(V& v) {
    v("tsv", tsv, {.help = "a file has source and target in columns that tabs separate"});
    v("max-length", scoring.max_length,
      {.help = "longest source and target, in tokens, or what the model's tables hold where that "
               "is less; the end of a longer one is not read, which is reported",
       .min = 1,
       .max = 1e6});
    v("mini-batch-words", scoring.rows,
      {.help = "maximum target tokens per batch; affects speed and memory, not scores",
       .min = 1,
       .max = 1e9});
    alignment.fields(v,
                     "instead of scores, print which source tokens each target token attends to");
  }
  void validate() const { options::check_scopes(*this); }
};

}  // namespace api
namespace {

using api::TranslationScorerOptions;
using model_file::TranslatorSession;

// What a model of translations computes probabilities of given targets with: weights of float32,
// not those that are packed for its search.
TranslatorSession session_in(const std::string& path) {
  auto out = model_file::load_any<TranslatorSession>(path);
  predict::check_scores_translations(out.model.options, path);
  return out;
}

const std::string& checked_path(const Model& model) {
  const auto& packed = api::session_of<TranslatorSession>(model);
  predict::check_scores_translations(packed.model.options, model.path());
  return model.path();
}

}  // namespace

struct TranslationScorer::State {
  TranslatorSession session;
  TranslationScorerOptions options;
  predict::PairScorer scorer;

  State(const std::string& path, const TranslationScorerOptions& given)
      : session(session_in(path)), options(given), scorer(session, options.scoring) {}

  data::CorpusText corpus_of(const std::vector<std::string>& files) const {
    const auto [source, target] = session.model.options.longest_pair();
    const int64_t most = options.scoring.max_length;
    return {
        {{.files = files, .tsv = options.tsv, .standard_input = data::StandardInput::kAsItComes}},
        session.tokenisers,
        {.max_lengths = {std::min(source, most), std::min(target, most)},
         .crop = true,
         .keep_all = true}};
  }
  // Of each pair of a part of the text.
  std::vector<ScoredTranslation> results_of(const data::Corpus& corpus) const {
    return options.alignment.is_on() ? alignments_of(corpus) : scores_of(corpus);
  }

 private:
  std::vector<ScoredTranslation> scores_of(const data::Corpus& corpus) const;
  std::vector<ScoredTranslation> alignments_of(const data::Corpus& corpus) const;
};

std::vector<ScoredTranslation> TranslationScorer::State::scores_of(
    const data::Corpus& corpus) const {
  std::vector<ScoredTranslation> out;
  for (const predict::SentenceScore& s :
       predict::score(session.model, corpus, options.scoring.rows)) {
    ScoredTranslation& pair = out.emplace_back();
    if (std::isnan(s.log_probability)) {
      pair.fault = predict::not_finite_fault();
    } else {
      pair.score = {.log_probability = s.log_probability, .tokens = s.tokens};
    }
  }
  return out;
}

std::vector<ScoredTranslation> TranslationScorer::State::alignments_of(
    const data::Corpus& corpus) const {
  const std::vector<decode::AttentionHead> heads =
      decode::printed_heads(options.alignment.heads, session.model.options);
  std::vector<ScoredTranslation> out;
  for (const decode::Alignment& a :
       decode::align_corpus(session.model, corpus, heads, options.scoring.rows)) {
    ScoredTranslation& pair = out.emplace_back();
    if (a.is_finite) {
      pair.alignment = decode::aligned_text(options.alignment, {&a, 1});
    } else {
      pair.fault = predict::not_finite_fault();
    }
  }
  return out;
}

TranslationScorer::TranslationScorer(const Model& model, const Options& options)
    : TranslationScorer(checked_path(model), options) {}

TranslationScorer::TranslationScorer(const std::string& path, const Options& options)
    : state_(std::make_shared<const State>(path,
                                           api::read_options<TranslationScorerOptions>(options))) {}

const OptionSchema& TranslationScorer::schema() {
  return api::schema_of<TranslationScorerOptions>();
}

std::vector<ScoredText> TranslationScorer::score(std::span<const TextPair> pairs,
                                                 Report* report) const {
  return api::predict_all(state_->scorer, pairs, report);
}

bool TranslationScorer::score_files(const std::vector<std::string>& files,
                                    const std::function<void(const ScoredTranslation&)>& on_pair,
                                    Report* report) const {
  Report unread;
  Report& counted = report != nullptr ? *report : unread;
  const data::CorpusText text = state_->corpus_of(files);
  const data::CorpusParts parts = data::read_corpus(text, [&](data::ChunkWords chunk) {
    for (const ScoredTranslation& pair : state_->results_of({text, std::move(chunk)})) {
      const int64_t number = counted.inputs++;
      if (pair.fault) counted.add(*pair.fault, number);
      on_pair(pair);
    }
  });
  const data::CorpusReport& found = parts.reports.front();
  const bool is_whole = found.cropped + found.over_long + found.bad_utf8 + found.few_columns == 0;
  (is_whole && found.empty == 0) ? log::info("{}", found.text()) : log::warn("{}", found.text());
  return is_whole;
}

}  // namespace weft
