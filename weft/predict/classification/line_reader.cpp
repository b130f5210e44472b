#include "weft/predict/classification/line_reader.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/data/images/image_file.h"
#include "weft/model_file/classifier.h"
#include "weft/predict/classification/label_probabilities.h"

namespace weft::predict {
namespace {

class TextReader : public LineReader {
 public:
  TextReader(const model_file::ClassifierSession& session, int64_t max_length)
      : tokeniser_(session.text.tokeniser),
        params_(token_params(session.model.options, max_length)),
        has_pairs_(session.trained_on.has_pairs()) {}

  ReadExample read(const std::string& text) const override {
    const size_t tab = has_pairs_ ? text.find('\t') : text.npos;
    if (has_pairs_ && tab == text.npos) {
      throw FormatError("no tab; expected two texts with a tab between them");
    }
    const std::string_view line = text;
    const data::EncodedText encoded =
        has_pairs_
            ? data::encode_pair(*tokeniser_, params_, line.substr(0, tab), line.substr(tab + 1))
            : data::encode_text(*tokeniser_, params_, line, {});
    data::Tokens tokens;
    tokens.add_typed(encoded.ids, encoded.types);
    return {.field = std::move(tokens),
            .is_cropped = encoded.is_cropped,
            .has_unknown = std::ranges::count(encoded.ids, tokeniser_->unknown_id()) > 0};
  }

 private:
  data::TokeniserPtr tokeniser_;
  data::TokenOptions params_;
  bool has_pairs_;  // a line is two texts
};

class PictureReader : public LineReader {
 public:
  explicit PictureReader(const model_file::ClassifierSession& session) : session_(session) {}

  ReadExample read(const std::string& path) const override {
    return read_picture(session_, data::read_image(path));
  }

 private:
  const model_file::ClassifierSession& session_;
};

class FeatureReader : public LineReader {
 public:
  explicit FeatureReader(const model_file::ClassifierSession& session)
      : params_(feature_params(session.model.options, session.model.dims.channels)) {}

  ReadExample read(const std::string& path) const override {
    data::FeatureSequence sequence = data::read_features(path);
    const bool is_cropped = data::apply(params_, sequence, path);
    data::Features features{std::move(sequence.values), params_.width, {}, {}};
    features.segments.append(std::ssize(features.values) / params_.width);
    return {.field = std::move(features), .is_cropped = is_cropped};
  }

 private:
  data::FeatureColumns params_;
};

}  // namespace

int64_t ReadExample::rows() const {
  return std::visit([](const auto& example) -> int64_t { return example.segments.rows(); }, field);
}

ReadExample read_picture(const model_file::ClassifierSession& session, const data::Image& picture) {
  const data::ImageShape& shape = session.model.dims.image;
  data::Features pixels{{}, shape.size(), {}, {}};
  data::append_picture(picture, shape, pixels);
  return {.field = std::move(pixels)};
}

std::unique_ptr<LineReader> make_line_reader(const model_file::ClassifierSession& session,
                                             int64_t max_length) {
  const models::InputKinds& input = session.model.options.input;
  if (input.is<models::ImageInput>()) return std::make_unique<PictureReader>(session);
  if (input.is<models::FeatureInput>()) return std::make_unique<FeatureReader>(session);
  return std::make_unique<TextReader>(session, max_length);
}

}  // namespace weft::predict
