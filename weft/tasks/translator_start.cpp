#include "weft/tasks/translator_start.h"

#include "weft/model_file/any_model.h"
#include "weft/tasks/started_session.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {
namespace {

// Of a model that starts from a file with these vocabularies.
Shapes shapes_of_translator(const models::Seq2SeqOptions& options, const FileVocabularies& theirs) {
  models::Seq2SeqDims dims{.source_vocab = theirs.source->size(),
                           .target_vocab = theirs.target->size()};
  if (options.shares_table()) dims.target_vocab = dims.source_vocab;
  return shapes_of(models::Seq2Seq(options, dims));
}

}  // namespace

model_file::TranslatorSession translator_from(const std::string& path,
                                              const models::Seq2SeqOptions& given) {
  auto out = model_file::load_any<model_file::TranslatorSession>(path);
  models::Seq2SeqOptions options = out.model.options;
  options.encoder.transformer =
      with_dropout_of(options.encoder.transformer, given.encoder.transformer);
  set_options(out, options);
  return out;
}

std::optional<Pretrained> pretrained_translator(const PretrainedOptions& options,
                                                const models::Seq2SeqOptions& model) {
  if (options.model.empty()) return std::nullopt;
  return std::make_optional<Pretrained>(
      options,
      std::make_unique<ModelOptionsOf<models::Seq2SeqOptions>>(model, shapes_of_translator));
}

}  // namespace weft::tasks
