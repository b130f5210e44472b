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

}  // namespace
}  // namespace weft::decode
