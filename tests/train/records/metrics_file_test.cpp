#include "weft/train/records/metrics_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "tests/train/records/small_records.h"
#include "weft/formats/metrics_lines.h"

namespace weft::train {
namespace {

using test::read_bytes;
using test::Scratch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

ValidationRecord validation(int64_t number) {
  return {.update = number,
          .seconds = 3,
          .metrics = {{"bleu", 30, false}, {"loss", NAN, true}},
          .histograms = {},
          .samples = {}};
}

std::vector<int64_t> updates_in(const std::string& path) {
  std::vector<int64_t> out;
  for (const formats::MetricsLine& line : formats::read_metrics(path)) out.push_back(line.update);
  return out;
}

TEST(MetricsFile, HasALineForEachRecord) {
  const Scratch folder;
  const std::string path = folder.path("m.jsonl");
  MetricsFile file(path, start_of());
  file.on_update(update_of(10));
  file.on_validation(validation(10));
  file.sync();
  const std::string text = read_bytes(path);
  EXPECT_THAT(text, StartsWith(R"({"kind":"start","version":")"));
  EXPECT_THAT(text, HasSubstr(R"("task":"tagging","parameters":7,"training":"0123",)"
                              R"("options":{"seed":1}})"
                              "\n"));
  EXPECT_THAT(
      text,
      HasSubstr(R"({"kind":"update","update":10,"epoch":3,"targets":1000,"seconds":2.0,"loss":1.5,)"
                R"("learn_rate":0.25,"gradient_norm":5.0,"skipped":1,"targets_per_second":1000.0,)"
                R"("memory":{"resident":10,"peak":20},)"
                R"("gradient_norms":{"model.layers.0":3.0,"lm_head":4.0}})"
                "\n"));
  EXPECT_THAT(text, HasSubstr(R"({"kind":"validation","update":10,"seconds":3.0,)"
                              R"("metrics":{"bleu":30.0,"loss":null}})"
                              "\n"));
}

TEST(MetricsFile, IsReadBack) {
  const Scratch folder;
  const std::string path = folder.path("m.jsonl");
  MetricsFile file(path, start_of());
  file.on_update(update_of(10, NAN));
  file.on_validation(validation(10));
  const std::vector<formats::MetricsLine> lines = formats::read_metrics(path);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].kind, "start");
  EXPECT_EQ(lines[1].kind, "update");
  EXPECT_EQ(lines[1].update, 10);
  EXPECT_TRUE(std::isnan(lines[1].values.at("loss")));
  EXPECT_EQ(lines[1].values.at("gradient_norms.model.layers.0"), 3);
  EXPECT_EQ(lines[1].values.at("memory.peak"), 20);
  EXPECT_EQ(lines[2].values.at("metrics.bleu"), 30);
}

TEST(MetricsFile, AResumedTrainingDropsLaterLinesAndGoesOn) {
  const Scratch folder;
  const std::string path = folder.path("m.jsonl");
  {
    MetricsFile file(path, start_of());
    for (const int64_t number : {10, 20, 30, 40}) file.on_update(update_of(number));
  }
  const std::string whole = read_bytes(path);
  folder.file("m.jsonl", whole + R"({"kind":"upd)");  // half-written
  MetricsFile file(path, start_of(25, true));
  EXPECT_THAT(updates_in(path), ElementsAre(0, 10, 20));
  file.on_update(update_of(30));
  EXPECT_THAT(updates_in(path), ElementsAre(0, 10, 20, 30));
  EXPECT_EQ(formats::read_metrics(path).back().values.at("seconds"), 4);  // goes on from 2
  const MetricsFile again(path, start_of(30, true));
  EXPECT_THAT(updates_in(path), ElementsAre(0, 10, 20, 30));
}

TEST(MetricsFile, AHalfWrittenStartIsWrittenAgain) {
  const Scratch folder;
  const std::string path = folder.file("m.jsonl", R"({"kind":"sta)");
  const MetricsFile file(path, start_of(5, true));
  EXPECT_THAT(updates_in(path), ElementsAre(0));
}

TEST(MetricsFile, AnotherTrainingKeepsItsFile) {
  const Scratch folder;
  const std::string path = folder.path("m.jsonl");
  { const MetricsFile file(path, start_of()); }
  const std::string before = read_bytes(path);
  EXPECT_THAT(test::message_of<FileError>([&] { MetricsFile(path, start_of(25, true, "4567")); }),
              StartsWith(path + ": holds the metrics of another training"));
  EXPECT_THAT(test::message_of<FileError>([&] { MetricsFile::check(path, false, false); }),
              HasSubstr("--overwrite"));
  EXPECT_EQ(read_bytes(path), before);
  MetricsFile::check(path, true, false);
  MetricsFile::check(path, false, true);
  MetricsFile::check(folder.file("empty", ""), false, false);
}

TEST(MetricsFile, ForeignFilesAreErrorsThatNameTheLine) {
  const Scratch folder;
  const std::string good = R"({"kind":"start"})"
                           "\n";
  const auto message = [&](const std::string& text) {
    const std::string path = folder.file("m.jsonl", text);
    EXPECT_THROW(MetricsFile(path, start_of(5, true)), Error) << text;
    return test::message_of<FormatError>([&] { formats::read_metrics(path); });
  };
  EXPECT_THAT(message("text\n"), HasSubstr("m.jsonl:1: not a line of training metrics"));
  EXPECT_THAT(message("[1]\n"), HasSubstr("m.jsonl:1: "));
  EXPECT_THAT(message("{\"kind\":1}\n"), HasSubstr("m.jsonl:1: "));
  EXPECT_THAT(message("{\"kind\":\"update\",\"update\":1}\n"), HasSubstr("of kind start"));
  EXPECT_THAT(
      test::message_of<FormatError>([&] {
        formats::read_metrics(folder.file("m", good + "{\"kind\":\"update\",\"update\":1.5}\n"));
      }),
      HasSubstr("m:2: "));
  EXPECT_THAT(
      test::message_of<FormatError>([&] { formats::read_metrics(folder.file("m", good + "\n")); }),
      HasSubstr("m:2: "));
  EXPECT_THAT(test::message_of<FormatError>([&] { formats::read_metrics(folder.file("m", "{")); }),
              HasSubstr("no complete line"));
  const std::string deep(200000, '[');
  EXPECT_THAT(message("{\"kind\":" + deep + "\n"), HasSubstr("m.jsonl:1: "));
}

}  // namespace
}  // namespace weft::train
