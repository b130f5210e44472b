#include "weft/tasks/translation/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/decode/small_session.h"
#include "tests/support/options.h"

namespace weft::tasks {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

model_file::TranslatorSession session_of(const std::string& flags) {
  models::Seq2SeqOptions options;
  test::set(options, "--enc-depth 2 --dec-depth 2 --dim-emb 16 " + flags);
  return decode::small_session(options);
}

TEST(Samples, HaveAPictureOfMeanCrossAttention) {
  const auto session = session_of("--transformer-heads 2");
  const auto pictures =
      attention_pictures(session, std::vector<int32_t>{4, 5, 6}, std::vector<int32_t>{7});
  ASSERT_THAT(pictures, SizeIs(1));
  EXPECT_EQ(pictures[0].name, "cross-attention");
  const data::Image& image = pictures[0].image;
  EXPECT_EQ(image.height, 2 * 12);
  EXPECT_EQ(image.width, 4 * 12);
  ASSERT_EQ(image.channels, 1);
  // The probabilities of a row are 1 in all.
  for (int64_t t = 0; t < 2; ++t) {
    int sum = 0;
    for (int64_t s = 0; s < 4; ++s) {
      sum += 255 - image.pixels[static_cast<size_t>(t * 12 * image.width + s * 12)];
    }
    EXPECT_NEAR(sum, 255, 4);
  }
}

TEST(Samples, HaveAPictureIfThereAreAttentionProbabilities) {
  const std::vector<int32_t> source = {4, 5}, target = {7};
  for (const char* flags : {"--type rnn", "--generation ctc", "--generation mask-predict"}) {
    EXPECT_THAT(attention_pictures(session_of(flags), source, target), IsEmpty()) << flags;
  }
  EXPECT_THAT(attention_pictures(session_of("--type rnn-attention"), source, target), SizeIs(1));
}

TEST(Samples, ShowAtMostAHundredTokens) {
  const std::vector<int32_t> ids(1000, 5);
  const auto pictures = attention_pictures(session_of("--transformer-heads 2"), ids, ids);
  ASSERT_THAT(pictures, SizeIs(1));
  EXPECT_EQ(pictures[0].image.width, 101 * 12);
  EXPECT_EQ(pictures[0].image.height, 101 * 12);
}

}  // namespace
}  // namespace weft::tasks
