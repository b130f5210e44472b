// Against kaldi-native-fbank. The numbers are written by tools/golden/log_mel.py.
#include "weft/data/audio/log_mel.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/tensors.h"
#include "weft/formats/safetensors.h"

namespace weft::data {
namespace {

class LogMelTest : public testing::Test {
 protected:
  void expect_golden(const std::string& name, const LogMelOptions& options) const {
    const Tensor expected = file_.tensor(name), samples = file_.tensor("samples");
    const std::vector<float> found = LogMel(options)(samples.span<float>());
    ASSERT_EQ(std::ssize(found), expected.size());
    EXPECT_LT(test::distance(Tensor::from(found, expected.shape()), expected), 1e-4);
  }

  formats::SafetensorsFile file_{test::source_path("tests/golden/log_mel.safetensors")};
};

TEST_F(LogMelTest, IsKaldis) {
  expect_golden("wide", {});
  expect_golden("narrow",
                {.sample_rate = 8000, .mel_bins = 23, .frame_length = 32, .frame_shift = 16});
}

TEST_F(LogMelTest, HasAFrameForEachWholeWindow) {
  const LogMelOptions options;  // of 400 samples, every 160
  for (const auto& [samples, frames] :
       {std::pair<int64_t, int64_t>{0, 0}, {399, 0}, {400, 1}, {559, 1}, {560, 2}}) {
    EXPECT_EQ(options.frames_of(samples), frames) << samples;
    EXPECT_EQ(std::ssize(LogMel(options)(std::vector<float>(static_cast<size_t>(samples)))),
              80 * frames);
  }
}

TEST_F(LogMelTest, RefusesBinsThatAreNarrowerThanTheSpectrums) {
  EXPECT_EQ(test::message_of<OptionError>([] { LogMel({.sample_rate = 8000, .mel_bins = 400}); }),
            "--mel-bins: 400 bins are narrower than the 128 of the spectrum; expected fewer, or a "
            "longer --frame-length");
  EXPECT_EQ(test::message_of<OptionError>([] { LogMel({.sample_rate = 1000, .frame_length = 1}); }),
            "--frame-length: a frame of 1 samples every 10; expected at least 2 and 1");
}

}  // namespace
}  // namespace weft::data
