#include "weft/api/inspect/ablate.h"

#include <functional>

#include "weft/core/error.h"
#include "weft/data/batcher.h"
#include "weft/data/corpus/corpus.h"
#include "weft/predict/classification/label_probabilities.h"
#include "weft/predict/tagging/tagger.h"
#include "weft/predict/token_limit.h"

namespace weft::api {
namespace {

constexpr data::BatchLimits kAblationBatch{.rows = 4096, .examples = 0};

// A batch's summed loss, and the number of targets in it.
struct SummedLoss {
  double total = 0;
  int64_t targets = 0;
};
using LossOf = std::function<SummedLoss(const data::Batch&)>;

double mean_loss(const data::Dataset& examples, const LossOf& loss_of) {
  SummedLoss sum;
  const data::BatchPlan plan = data::evaluation_plan(examples, kAblationBatch);
  for (int64_t i = 0; i < plan.size(); ++i) {
    const SummedLoss part = loss_of(examples.batch(plan[i]));
    sum.total += part.total;
    sum.targets += part.targets;
  }
  return sum.total / static_cast<double>(std::max<int64_t>(1, sum.targets));
}

// `model` is a copy that may change.
template <class Model, class Loss>
inspect::Ablation ablate_model(Model model, const data::Dataset& examples, const Loss& loss_of) {
  const auto heads = inspect::attentions_of(model);
  if (heads.empty()) {
    fail<OptionError>("--ablate", "the model has no multi-head attention to silence heads of");
  }
  return inspect::ablate(heads, [&] {
    return mean_loss(examples, [&](const data::Batch& batch) { return loss_of(model, batch); });
  });
}

}  // namespace

inspect::Ablation ablate(const model_file::TranslatorSession& session,
                         const AblationOptions& options) {
  constexpr size_t kFiles = 2;
  if (options.files.size() != kFiles) {
    fail<OptionError>("--ablate", "expected a source and a target file, got {}",
                      options.files.size());
  }
  const auto [source, target] = session.model.options.longest_pair();
  const data::Corpus corpus({{options.files, false}}, session.tokenisers,
                            {.max_lengths = {source, target}, .crop = true});
  return ablate_model(session.model, corpus, [](const auto& model, const data::Batch& batch) {
    return SummedLoss{model.loss(batch, {}, {}).total, batch.target().rows()};
  });
}

inspect::Ablation ablate(const model_file::ClassifierSession& session,
                         const AblationOptions& options) {
  const models::ClassifierOptions& model = session.model.options;
  if (!model.is_text()) {
    fail<OptionError>("--ablate", "the model is of --input {}; expected text", model.input.name());
  }
  tasks::LabelledTextLayout layout = options.layout;
  tasks::LineLabelOptions label = options.label;
  label.follow(session.trained_on, layout);
  const data::LabelledFields fields = label.read_by(layout, model.labels);
  layout.check_files("--ablate", options.files);
  const int64_t limit = predict::token_limit(session.max_length, model.table_capacity(), 2);
  const data::LabelledCorpus corpus(
      options.files, {.text = fields.reading(), .tokens = predict::token_params(model, limit)},
      session.text.tokeniser, session.text.labels);
  return ablate_model(session.model, corpus, [](const auto& m, const data::Batch& batch) {
    return SummedLoss{m.loss(batch, {}, {}).total, batch.size()};
  });
}

inspect::Ablation ablate(const model_file::TaggerSession& session, const AblationOptions& options) {
  const models::TaggerOptions& model = session.model.options;
  tasks::LabelledTextLayout layout = options.layout;
  tasks::TagFieldOptions tags = options.tags;
  tags.follow(session.assets.trained_on, layout);
  const data::LabelledFields fields = tags.read_by(layout);
  predict::check_columns(fields, session);
  layout.check_files("--ablate", options.files);
  const data::LabelledCorpus corpus(
      options.files,
      {.text = fields.reading(),
       .tokens = {.max_length = predict::token_limit(0, model.encoder.table_capacity(), 2),
                  .by_word = true,
                  .with_begin = model.with_begin(),
                  .characters = session.characters()}},
      session.assets.text.tokeniser, session.labels());
  const models::TagObjective objective{std::vector<double>(session.labels().size(), 1.0)};
  return ablate_model(session.model, corpus, [&](const auto& m, const data::Batch& batch) {
    const int64_t words = std::get<data::Labels>(batch.fields[1]).segments.rows();
    return SummedLoss{m.loss(batch, objective, {}).total, words};
  });
}

}  // namespace weft::api
