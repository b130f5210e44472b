#include "weft/model_file/hugging_face/logits.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "weft/core/error.h"
#include "weft/formats/safetensors.h"

namespace weft::model_file {
namespace {

using formats::SafetensorsFile;

std::vector<int32_t> read_ids(const SafetensorsFile& file, const std::string& name) {
  if (!file.has(name)) fail<FormatError>(file.path(), "no tensor '{}'", name);
  const Tensor x = file.tensor(name);
  if (x.dtype() != DType::kI32) {
    fail<FormatError>(file.path(), "tensor '{}' is {}; expected I32", name, name_of(x.dtype()));
  }
  return {x.data<int32_t>(), x.data<int32_t>() + x.size()};
}

// Packed sentences with validated ids and offsets.
data::Tokens read_sentences(const SafetensorsFile& file, const std::string& field, int64_t size) {
  data::Tokens out{.ids = read_ids(file, field + ".ids"),
                   .segments = {read_ids(file, field + ".offsets")}};
  const std::vector<int32_t>& offsets = out.segments.offsets;
  const bool in_range = std::ranges::all_of(out.ids, [&](int32_t i) { return i >= 0 && i < size; });
  if (!in_range || offsets.size() < 2 || offsets.front() != 0 ||
      offsets.back() != static_cast<int32_t>(out.ids.size()) ||
      std::ranges::adjacent_find(offsets, std::greater_equal()) != offsets.end()) {
    fail<FormatError>(file.path(),
                      "'{}.ids' and '{}.offsets' are not packed sentences of a vocabulary of {}",
                      field, field, size);
  }
  return out;
}

// From those in the file, as a share of the largest; NaN where one is.
double largest_difference(const Tensor& logits, const SafetensorsFile& file,
                          const char* name = "logits") {
  const Tensor expected = file.tensor(name);
  if (expected.shape() != logits.shape() || expected.dtype() != DType::kF32) {
    fail<FormatError>(file.path(), "tensor '{}' has the wrong shape; expected {} F32, got {} {}",
                      name, logits.shape().text(), expected.shape().text(),
                      name_of(expected.dtype()));
  }
  double largest = 0, largest_logit = 0;
  for (int64_t i = 0; i < logits.size(); ++i) {
    const double difference =
        std::abs(double{logits.data<float>()[i]} - double{expected.data<float>()[i]});
    if (std::isnan(difference)) return difference;
    largest = std::max(largest, difference);
    largest_logit = std::max(largest_logit, std::abs(double{expected.data<float>()[i]}));
  }
  return largest_logit > 0 ? largest / largest_logit : largest;
}

}  // namespace

double largest_logit_difference(const TranslatorSession& session, const std::string& path) {
  const SafetensorsFile file(path);
  const models::Seq2Seq& model = session.model;
  const data::Tokens source = read_sentences(file, "source", model.dims.source_vocab);
  const data::Tokens target = read_sentences(file, "target", model.dims.target_vocab);
  if (source.examples() != target.examples()) {
    fail<FormatError>(path, "{} sources and {} targets; expected as many", source.examples(),
                      target.examples());
  }
  nn::Context context;
  const Tensor states = model.states({.fields = {source, target}, .examples = {}}, context);
  const Tensor logits = model.decoder.logits(states, context);
  return largest_difference(logits, file);
}

double largest_logit_difference(const ClassifierSession& session, const std::string& path) {
  const SafetensorsFile file(path);
  if (session.model.options.is_text()) {
    const data::Tokens texts = read_sentences(file, "text", session.model.dims.text.vocab);
    return largest_difference(session.model.logits(texts, {}), file);
  }
  const auto* image = session.model.options.input.get_if<models::ImageInput>();
  if (image == nullptr) {
    fail<OptionError>("--check", "a classifier of {}; expected one of pictures or texts",
                      session.model.options.input.name());
  }
  const data::ImageShape shape = session.model.dims.image;
  const Tensor pictures = file.tensor("pictures");
  const Shape expected{pictures.shape().rank() == 4 ? pictures.shape()[0] : 0, shape.height,
                       shape.width, shape.channels};
  if (pictures.shape() != expected || pictures.dtype() != DType::kU8) {
    fail<FormatError>(path, "tensor 'pictures' has the wrong shape; expected {} U8, got {} {}",
                      expected.text(), pictures.shape().text(), name_of(pictures.dtype()));
  }
  data::Features rows;
  rows.width = shape.size();
  const auto bytes = pictures.span<uint8_t>();
  rows.values.assign(bytes.begin(), bytes.end());
  rows.segments = Segments::uniform(expected[0], 1);
  nn::Context context;
  const data::Features patches = data::patches_of(
      rows, {.shape = shape, .patch = image->vector_side(), .statistics = session.statistics});
  return largest_difference(session.model.logits(patches, context), file);
}

double largest_logit_difference(const LanguageModelSession& session, const std::string& path) {
  const SafetensorsFile file(path);
  const models::LanguageModel& model = session.model;
  const data::Tokens texts = read_sentences(file, "text", model.dims.vocab);
  return largest_difference(model.logits(texts, {}), file);
}

double largest_logit_difference(const EmbedderSession& session, const std::string& path) {
  const SafetensorsFile file(path);
  const models::Embedder& model = session.model;
  const data::Tokens texts = read_sentences(file, "text", model.dims.vocab);
  return largest_difference(model(texts, {}), file, "vectors");
}

double largest_logit_difference(const TaggerSession& session, const std::string& path) {
  const models::Tagger& model = session.model;
  if (model.heads.size() != 1 || model.heads.front().column.is_of_text ||
      model.characters.is_on()) {
    fail<OptionError>("--check",
                      "a tagger that reads characters, or gives other labels than one "
                      "for each word");
  }
  const SafetensorsFile file(path);
  const data::Tokens texts = read_sentences(file, "text", model.dims.encoder.vocab);
  data::Labels all;  // each token is a word
  for (int64_t b = 0; b < texts.examples(); ++b) {
    std::vector<int32_t> rows(texts[b].size());
    std::iota(rows.begin(), rows.end(), 0);
    all.add(rows);
  }
  const models::TagScores scores =
      model({.tokens = texts, .first_rows = all, .characters = nullptr}, {});
  return largest_difference(scores.columns.front().emissions, file);
}

double largest_logit_difference(const MaskedLmSession& session, const std::string& path) {
  const SafetensorsFile file(path);
  const models::MaskedLm& model = session.model;
  const data::Tokens texts = read_sentences(file, "text", model.dims.vocab);
  std::vector<int32_t> rows(texts.ids.size());
  std::iota(rows.begin(), rows.end(), 0);
  return largest_difference(model.logits(model.states(texts, rows, {}), {}), file);
}

}  // namespace weft::model_file
