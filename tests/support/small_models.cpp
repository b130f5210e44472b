#include "tests/support/small_models.h"

#include "tests/decode/small_session.h"
#include "tests/model_file/small_language_model.h"
#include "tests/support/options.h"
#include "tests/support/sounds.h"
#include "weft/data/images/png.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/model_file/classifier.h"
#include "weft/model_file/cross_view.h"
#include "weft/model_file/detector.h"
#include "weft/model_file/embedder.h"
#include "weft/model_file/masked_lm.h"
#include "weft/model_file/tagger.h"
#include "weft/model_file/transcriber.h"

namespace weft::test {
namespace {

constexpr const char* kSmallModel =
    "--enc-depth 1 --dim-emb 16 --transformer-heads 2 --transformer-dim-ffn 16 ";

template <class Options>
Options options_of(const std::string& flags) {
  Options out;
  set(out, kSmallModel + flags);
  return out;
}

data::TokeniserPtr words() {
  std::vector<std::string> out;
  for (int i = 0; i < 20; ++i) out.push_back(fmt::format("w{}", i));
  return data::make_plain_tokeniser(data::Vocabulary(std::move(out), "words"));
}

data::LabelSet labels() { return data::LabelSet({"x", "y", "z"}, "labels"); }

template <class Session>
void save(const Scratch& folder, const std::string& name, const Session& session) {
  model_file::save(folder.path(name), session, session.parameters);
}

void write_classifiers(const Scratch& folder) {
  using Options = models::ClassifierOptions;
  save(folder, "classifier",
       model_file::new_classifier(options_of<Options>(""),
                                  {.text = {.tokeniser = words(), .labels = {labels()}}}, 3));
  save(folder, "pictures",
       model_file::new_classifier(options_of<Options>("--input image --patch-size 4"),
                                  {.text = {.labels = {labels()}},
                                   .image = {.height = 8, .width = 8, .channels = 1},
                                   .statistics = {{0.5}, {0.2}}},
                                  3));
  save(folder, "vectors",
       model_file::new_classifier(
           options_of<Options>("--input features"),
           {.text = {.labels = {labels()}}, .channels = 2, .statistics = {{0, 0}, {1, 1}}}, 3));
}

void write_cross_views(const Scratch& folder) {
  const models::CrossViewDims dims{.image = {.height = 8, .width = 8, .channels = 1}};
  const data::ChannelStatistics pixels{{0.5}, {0.2}};
  using Options = models::CrossViewOptions;
  save(folder, "completer",
       model_file::new_cross_view(options_of<Options>("--dec-depth 1 --patch-size 4"),
                                  {.dims = dims, .pixels = pixels, .numbers = {}}, 3));
  models::CrossViewDims with_numbers = dims;
  with_numbers.numbers = 2;
  save(folder, "motion",
       model_file::new_cross_view(
           options_of<Options>("--dec-depth 1 --patch-size 4 --objective motion"),
           {.dims = with_numbers, .pixels = pixels, .numbers = {{1, 2}, {3, 4}}}, 3));
}

void write_examples(const Scratch& folder) {
  for (int i = 0; i < 4; ++i) {
    data::Image image{.height = 8, .width = 8, .channels = 1, .pixels = {}};
    for (int p = 0; p < 64; ++p) image.pixels.push_back(static_cast<uint8_t>(p * (37 * i + 11)));
    folder.file(fmt::format("{}.png", i), data::encode_png(image));
    folder.file(fmt::format("{}.wav", i), wav_of(tone(2000, 300 + 200 * i, 8000), 8000));
    folder.file(fmt::format("{}.csv", i), fmt::format("{},2\n3,{}\n", i, 2 * i));
  }
}

}  // namespace

void write_small_models(const Scratch& folder) {
  save(folder, "translator", decode::small_session(decode::small_options()));
  write_classifiers(folder);
  save(folder, "tagger",
       model_file::new_tagger(options_of<models::TaggerOptions>(""),
                              {{.tokeniser = words(), .labels = {labels()}}, 1, nullptr}, 3));
  save(folder, "detector",
       model_file::new_detector(
           options_of<models::DetectorOptions>("--dec-depth 1 --patch-size 4 --query-count 3"),
           {.labels = labels(),
            .image = {.height = 8, .width = 8, .channels = 1},
            .statistics = {{0.5}, {0.2}}},
           3));
  save(
      folder, "transcriber",
      model_file::new_transcriber(
          options_of<models::TranscriberOptions>("--decoder ctc"),
          {.tokeniser = data::make_plain_tokeniser(data::Vocabulary({"a", "b", " "}, "characters")),
           .log_mel = {.sample_rate = 8000, .mel_bins = 3, .frame_length = 20, .frame_shift = 8},
           .statistics = {{1, 2, 3}, {4, 5, 6}}},
          3));
  save(folder, "embedder",
       model_file::new_embedder(options_of<models::EmbedderOptions>("--begin-symbol"), words(), 3));
  save(
      folder, "masked",
      model_file::new_masked_lm(options_of<models::MaskedLmOptions>("--begin-symbol"), words(), 3));
  save(folder, "language", model_file::small_language_model());
  write_cross_views(folder);
  write_examples(folder);
}

}  // namespace weft::test
