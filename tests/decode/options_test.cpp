#include "weft/decode/options.h"

#include <gtest/gtest.h>

#include "weft/core/error.h"

namespace weft::decode {
namespace {

TEST(DecodeOptions, RefuseWhatSamplingWouldRead) {
  EXPECT_THROW(DecodeOptions{.sampling_topk = 5}.validate(), OptionError);
  EXPECT_THROW(DecodeOptions{.sampling_topp = 0.5}.validate(), OptionError);
  EXPECT_THROW(DecodeOptions{.temperature = 0.5}.validate(), OptionError);
  EXPECT_THROW(DecodeOptions{.seed = 2}.validate(), OptionError);
  EXPECT_THROW((DecodeOptions{.sampling = "topk", .sampling_topp = 0.5}.validate()), OptionError);
  EXPECT_NO_THROW((DecodeOptions{.sampling = "topk", .sampling_topk = 5, .seed = 2}.validate()));
}

TEST(DecodeOptions, RefuseAShortestBeyondTheLongest) {
  EXPECT_NO_THROW((DecodeOptions{.min_length = 9, .max_output_length = 10}.validate()));
  EXPECT_THROW((DecodeOptions{.min_length = 10, .max_output_length = 10}.validate()), OptionError);
}

}  // namespace
}  // namespace weft::decode
