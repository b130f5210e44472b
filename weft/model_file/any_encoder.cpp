#include "weft/model_file/any_encoder.h"

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/model_file/embedder.h"
#include "weft/model_file/hugging_face/folder.h"

namespace weft::model_file {
namespace {

template <class Session>
Session load_finite(const std::string& path) {
  auto out = load_any<Session>(path);
  if (!std::isfinite(sum_of_squares(out.parameters))) {
    fail<NumericError>(path, "has weights that are not finite numbers");
  }
  return out;
}

PretrainedEncoder encoder_of(EmbedderSession session, const std::string& path) {
  return {path, std::move(session.model.encoder), session.parameters, session.tokeniser};
}

PretrainedEncoder encoder_of(ClassifierSession session, const std::string& path) {
  auto* const encoder = std::get_if<models::TextEncoder>(&session.model.encoder);
  if (encoder == nullptr) {
    fail<OptionError>(path, "is a classifier of --input {}; expected one of text",
                      session.model.options.input.name());
  }
  return {path, std::move(*encoder), session.parameters, session.text.tokeniser};
}

PretrainedEncoder encoder_of(TaggerSession session, const std::string& path) {
  return {path, std::move(session.model.encoder), session.parameters,
          session.assets.text.tokeniser};
}

PretrainedEncoder encoder_of(MaskedLmSession session, const std::string& path) {
  return {path, std::move(session.model.encoder), session.parameters, session.tokeniser};
}

}  // namespace

void PretrainedEncoder::copy_to(models::TextEncoder& to) const {
  models::TextEncoder from = encoder;
  const std::vector<nn::NamedParameter> theirs = nn::parameters_of(from);
  const std::vector<nn::NamedParameter> ours = nn::parameters_of(to);
  if (theirs.size() != ours.size()) {
    fail<ShapeError>(path, "an encoder of {} parameters; expected {}", theirs.size(), ours.size());
  }
  for (size_t i = 0; i < ours.size(); ++i) {
    const Tensor& value = ours[i].parameter->value;
    const Shape shape = theirs[i].parameter->shape;
    const bool is_table = theirs[i].parameter->vocabulary != nn::Vocabulary::kNone;
    const bool fits = shape == value.shape() || (is_table && shape.cols() == value.cols() &&
                                                 shape.rows() >= tokeniser->size());
    if (!fits || theirs[i].name != ours[i].name) {
      fail<ShapeError>(path, "{} {}; expected {} {}", theirs[i].name, shape.text(), ours[i].name,
                       value.shape().text());
    }
    const int64_t rows = std::min(shape.rows(), value.rows());
    backend_of(value)(kernels::Copy{.x = theirs[i].parameter->value.row_range(0, rows),
                                    .y = value.row_range(0, rows)});
  }
}

PretrainedEncoder load_encoder(const std::string& path) {
  const std::string kind = kind_of_model(path);
  if (kind == EmbedderSession::kKind) return encoder_of(load_finite<EmbedderSession>(path), path);
  if (kind == MaskedLmSession::kKind) {
    // The head of a folder is not read.
    return is_model_folder(path) ? encoder_of(load_finite<EmbedderSession>(path), path)
                                 : encoder_of(load_finite<MaskedLmSession>(path), path);
  }
  if (kind == TaggerSession::kKind) return encoder_of(load_finite<TaggerSession>(path), path);
  if (kind == ClassifierSession::kKind || kind.empty()) {
    return encoder_of(load_any_classifier(path), path);
  }
  fail<OptionError>(path,
                    "is a model of type '{}'; expected an embedder, a classifier of text, a "
                    "tagger or a masked language model; hint: --pretrained-model with "
                    "--pretrained-parts 'model.encoder.*' "
                    "takes the encoder of a translator",
                    kind);
}

ClassifierSession load_any_classifier(const std::string& path) {
  return load_finite<ClassifierSession>(path);
}

TaggerSession load_any_tagger(const std::string& path) { return load_finite<TaggerSession>(path); }

MaskedLmSession load_any_masked_lm(const std::string& path) {
  return load_finite<MaskedLmSession>(path);
}

EmbedderSession load_any_embedder(const std::string& path) {
  if (is_model_folder(path) || kind_of_model(path) != MaskedLmSession::kKind) {
    return load_finite<EmbedderSession>(path);
  }
  const auto found = load_finite<MaskedLmSession>(path);
  models::EmbedderOptions options;
  options.encoder = found.model.options.encoder;
  constexpr uint64_t kAnySeed = 1;  // of weights that are all replaced
  EmbedderSession out = new_embedder(options, found.tokeniser, kAnySeed);
  out.max_length = found.max_length;
  encoder_of(found, path).copy_to(out.model.encoder);
  return out;
}

}  // namespace weft::model_file
