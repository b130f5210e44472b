// A phrase book of thirty lines, English and Chinese split into characters, is memorised.
#include <gtest/gtest.h>

#include "tests/e2e/program.h"
#include "tests/support/scratch.h"

namespace weft::test {
namespace {

struct Phrase {
  const char *english, *chinese;
};

constexpr Phrase kPhrases[] = {
    {"hello", "你好"},
    {"good morning", "早上好"},
    {"good evening", "晚上好"},
    {"good night", "晚安"},
    {"goodbye", "再见"},
    {"see you tomorrow", "明天见"},
    {"thank you", "谢谢"},
    {"you are welcome", "不客气"},
    {"excuse me", "打扰一下"},
    {"i am sorry", "对不起"},
    {"please", "请"},
    {"yes", "是"},
    {"no", "不是"},
    {"how are you ?", "你好吗？"},
    {"i am fine", "我很好"},
    {"what is your name ?", "你叫什么名字？"},
    {"my name is li", "我叫李"},
    {"where is the station ?", "车站在哪里？"},
    {"where is the toilet ?", "厕所在哪里？"},
    {"how much is this ?", "这个多少钱？"},
    {"too expensive", "太贵了"},
    {"i do not understand", "我不明白"},
    {"please speak slowly", "请慢慢说"},
    {"do you speak english ?", "你会说英语吗？"},
    {"i need a doctor", "我需要医生"},
    {"call the police", "叫警察"},
    {"a cup of tea , please", "请给我一杯茶"},
    {"the bill , please", "请结账"},
    {"it tastes good", "很好吃"},
    {"cheers", "干杯"},
};

TEST(PhraseBook, IsMemorised) {
  const Scratch folder;
  std::string english, chinese;
  for (const Phrase& phrase : kPhrases) {
    english += std::string(phrase.english) + "\n";
    chinese += std::string(phrase.chinese) + "\n";
  }
  folder.file("book.en", english);
  folder.file("book.zh", chinese);
  const ProcessResult training = run_weft({"train",
                                           "-t",
                                           "book.en",
                                           "book.zh",
                                           "-v",
                                           "en.vocab",
                                           "zh.vocab",
                                           "--vocab-type",
                                           "character",
                                           "-m",
                                           "book.safetensors",
                                           "--enc-depth",
                                           "1",
                                           "--dec-depth",
                                           "1",
                                           "--dim-emb",
                                           "64",
                                           "--transformer-heads",
                                           "4",
                                           "--transformer-dim-ffn",
                                           "128",
                                           "--lr-warmup",
                                           "40",
                                           "--learn-rate",
                                           "0.003",
                                           "--after",
                                           "200u",
                                           "--threads",
                                           "1"},
                                          {.folder = folder.folder()});
  ASSERT_EQ(training.status, 0) << training.errors;
  const ProcessResult translation =
      run_weft({"translate", "-m", "book.safetensors", "--threads", "1"},
               {.input = english, .folder = folder.folder()});
  ASSERT_EQ(translation.status, 0) << translation.errors;
  EXPECT_EQ(translation.output, chinese);
}

}  // namespace
}  // namespace weft::test
