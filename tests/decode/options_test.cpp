#include "weft/decode/options.h"

#include <gtest/gtest.h>

#include "tests/support/options.h"
#include "weft/core/error.h"

namespace weft::decode {
namespace {

TEST(DecodeOptions, RefuseWhatSamplingWouldRead) {
  const auto answer = [](const char* flags) {
    DecodeOptions o;
    test::set(o, flags);
    try {
      o.validate();
    } catch (const OptionError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(answer("--sampling-topk 5"), "--sampling-topk: needs --sampling topk");
  EXPECT_EQ(answer("--sampling-topp 0.5 --sampling topk"),
            "--sampling-topp: belongs to --sampling topp; got it with topk");
  EXPECT_EQ(answer("--temperature 0.5"),
            "--temperature: needs --sampling temperature, topk or topp");
  EXPECT_EQ(answer("--seed 2"), "--seed: needs --sampling temperature, topk or topp");
  EXPECT_EQ(answer("--alignment-heads 1.1"), "--alignment-heads: needs --alignment soft or hard");
  EXPECT_EQ(answer("--sampling topk --sampling-topk 5 --seed 2"), "");
}

TEST(DecodeOptions, RefuseAShortestBeyondTheLongest) {
  EXPECT_NO_THROW((DecodeOptions{.min_length = 9, .max_output_length = 10}.validate()));
  EXPECT_THROW((DecodeOptions{.min_length = 10, .max_output_length = 10}.validate()), OptionError);
}

}  // namespace
}  // namespace weft::decode
