#include "weft/model_file/transcriber.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/errors.h"
#include "tests/support/options.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "weft/core/error.h"
#include "weft/data/text/plain_tokeniser.h"

namespace weft::model_file {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TranscriberFile : public testing::TestWithParam<const char*> {
 protected:
  void save_with(const std::string& flags) {
    models::TranscriberOptions o;
    test::set(o, "--enc-depth 1 --dim-emb 16 " + flags);
    session_ =
        new_transcriber(o,
                        {data::make_plain_tokeniser(data::Vocabulary({"a", " "}, "characters")),
                         {.sample_rate = 8000, .mel_bins = 3, .frame_length = 20, .frame_shift = 8},
                         data::PeakNorm{},
                         {{1, 2, 3}, {4, 5, 6}}},
                        7);
    save(path_, session_, session_.parameters);
  }
  std::string load_error() const {
    return test::message_of<FormatError>([&] { load<TranscriberSession>(path_); });
  }
  // Writes the file again with another value of an option, or without it.
  void rewrite(const char* option, const nlohmann::ordered_json& value) const {
    const formats::SafetensorsFile file(path_);
    formats::NamedTensors tensors;
    for (const std::string& name : file.names()) {
      tensors.emplace_back(name, file.tensor(name).clone());
    }
    auto metadata = file.metadata();
    auto options = nlohmann::ordered_json::parse(metadata.at("weft.options"));
    options[option] = value;
    if (value.is_null()) options.erase(option);
    metadata["weft.options"] = options.dump();
    formats::save_safetensors(path_, tensors, metadata, {}, formats::WithChecksum::kYes);
  }

  test::Scratch folder_;
  std::string path_ = folder_.path("model.safetensors");
  TranscriberSession session_;
};

TEST_P(TranscriberFile, HasTheWholeSession) {
  save_with(GetParam());
  const auto loaded = load<TranscriberSession>(path_);
  EXPECT_TRUE(test::same_bits(loaded.parameters, session_.parameters));
  EXPECT_EQ(loaded.tokeniser().serialise(), session_.tokeniser().serialise());
  EXPECT_EQ(loaded.assets.log_mel.sample_rate, 8000);
  EXPECT_EQ(loaded.assets.log_mel.frame_length, 20);
  EXPECT_EQ(loaded.assets.log_mel.frame_shift, 8);
  EXPECT_TRUE(loaded.assets.frame_norm.is<data::PeakNorm>());
  EXPECT_THAT(loaded.assets.statistics.mean, ElementsAre(1, 2, 3));
  EXPECT_THAT(loaded.assets.statistics.deviation, ElementsAre(4, 5, 6));
  EXPECT_EQ(loaded.model.options.decoder.name(), session_.model.options.decoder.name());
  EXPECT_EQ(loaded.model.options.ctc_weight(), session_.model.options.ctc_weight());
}
INSTANTIATE_TEST_SUITE_P(Decoders, TranscriberFile,
                         testing::Values("--decoder joint --ctc-weight 0.7", "--decoder ctc",
                                         "--decoder attention --dec-depth 1",
                                         "--decoder ctc --type rnn"));

using EarlierTranscriberFile = TranscriberFile;
TEST_F(EarlierTranscriberFile, WithoutANormOfFramesHasTheGlobalOne) {
  save_with("");
  rewrite("frame-norm", nullptr);
  EXPECT_TRUE(load<TranscriberSession>(path_).assets.frame_norm.is<data::GlobalNorm>());
}

using DamagedTranscriberFile = TranscriberFile;
TEST_F(DamagedTranscriberFile, IsRefused) {
  struct Damage {
    const char* option;
    nlohmann::ordered_json value;
    const char* error;
  };
  for (const Damage& d :
       {Damage{"mel-bins", 4, "frames of 3 numbers; expected 4"},
        Damage{"channel-mean", {1, 2}, "channel-mean and channel-deviation of 2 and 3"},
        Damage{"vocab-size", 9, "a vocabulary of 5 entries; expected 9"},
        Damage{"end-id", 5, "end id 5 must be below"}, Damage{"sample-rate", 10, "sample-rate"},
        Damage{"mel-bin-count", 0, "mel-bin-count"},
        Damage{"subsampling-layers", 100, "subsampling-layers"},
        Damage{"frame-length", 1e9, "frame-length"},
        Damage{"type", "tagger", "is a model of type 'tagger'"}}) {
    save_with("");
    rewrite(d.option, d.value);
    EXPECT_THAT(load_error(), HasSubstr(d.error)) << d.option;
  }
}

}  // namespace
}  // namespace weft::model_file
