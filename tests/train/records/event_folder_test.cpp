#include "weft/train/records/event_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "tests/train/records/small_records.h"
#include "weft/formats/tfrecord.h"
#include "weft/train/records/event.h"

namespace weft::train {
namespace {

using test::Scratch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::UnorderedElementsAre;

// The summaries in all files of a folder: their steps, and their tags.
struct Summaries {
  std::vector<int64_t> steps;
  std::vector<std::string> tags;
};

Summaries summaries_in(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  Summaries out;
  for (const std::string& path : paths) {
    const std::string bytes = test::read_bytes(path);
    formats::TfrecordReader in(bytes);
    while (in.next()) {
      for (data::ProtobufReader event(in.data(), path); event.next();) {
        if (event.field() != 5) continue;
        out.steps.push_back(step_of(in.data(), path));
        for (data::ProtobufReader values(event.bytes(), path); values.next();) {
          data::ProtobufReader value(values.bytes(), path);
          while (value.next()) {
            if (value.field() == 1) out.tags.emplace_back(value.bytes());
          }
        }
      }
    }
    EXPECT_EQ(in.end(), bytes.size());
  }
  return out;
}

TEST(EventFolder, WritesAnEventForEachRecord) {
  const Scratch folder;
  EventFolder events(folder.path("tb"), start_of());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("tb")));
  events.on_update(update_of(10));
  data::Image image{.height = 1, .width = 1, .channels = 1, .pixels = {7}};
  Sample sample{.name = "1", .text = "text", .pictures = {{"attention", image}}};
  events.on_validation({.update = 12,
                        .seconds = 1,
                        .metrics = {{.name = "bleu", .value = 1}},
                        .histograms = {{"lm_head", {.count = 1, .limits = {1}, .counts = {1}}}},
                        .samples = {sample}});
  events.sync();
  const Summaries got = summaries_in(folder.path("tb"));
  EXPECT_THAT(got.steps, ElementsAre(10, 12));
  EXPECT_THAT(got.tags, UnorderedElementsAre(
                            "train/loss", "train/learn_rate", "train/gradient_norm",
                            "train/targets_per_second", "train/gradient_norm/lm_head",
                            "train/gradient_norm/model.layers.0", "memory/resident", "memory/peak",
                            "valid/bleu", "weights/lm_head", "samples/1", "samples/1/attention"));
}

TEST(EventFolder, AResumedTrainingDropsLaterEventsAndGoesOn) {
  const Scratch folder;
  {
    EventFolder events(folder.folder(), start_of());
    for (const int64_t number : {10, 20, 30}) events.on_update(update_of(number));
  }
  ASSERT_THAT(folder.names(), SizeIs(1));
  const std::string file = folder.names().front();
  folder.file(file, test::read_bytes(folder.path(file)) + "half-written");
  {
    EventFolder events(folder.folder(), start_of(25, true));
    EXPECT_THAT(summaries_in(folder.folder()).steps, ElementsAre(10, 20));
    EXPECT_THAT(folder.names(), SizeIs(1));
    events.on_update(update_of(30));
  }
  EXPECT_THAT(folder.names(), SizeIs(2));  // also within the same second
  EXPECT_EQ(folder.names().front(), file);
  EXPECT_THAT(summaries_in(folder.folder()).steps, ElementsAre(10, 20, 30));
  const EventFolder again(folder.folder(), start_of(15, true));
  EXPECT_THAT(summaries_in(folder.folder()).steps, ElementsAre(10));
}

TEST(EventFolder, StartingOverRemovesWhatWeftWrote) {
  const Scratch folder;
  { EventFolder(folder.folder(), start_of()).on_update(update_of(10)); }
  EXPECT_THAT(
      test::message_of<FileError>([&] { EventFolder::check(folder.folder(), false, false); }),
      HasSubstr("--overwrite"));
  EventFolder::check(folder.folder(), true, false);
  EventFolder::check(folder.folder(), false, true);
  const EventFolder events(folder.folder(), start_of(0, false, "4567"));
  EXPECT_TRUE(folder.names().empty());
}

TEST(EventFolder, KeepsWhatOthersWrote) {
  const Scratch folder;
  folder.file("notes.txt", "text");
  EventFolder::check(folder.folder(), false, false);
  { EventFolder(folder.folder(), start_of()).on_update(update_of(10)); }
  EXPECT_THAT(test::message_of<FileError>(
                  [&] { EventFolder(folder.folder(), start_of(10, true, "4567")); }),
              HasSubstr("an event file of another training"));
  folder.file("events.out.tfevents.1.host", "bytes");
  for (const bool overwrite : {false, true}) {
    EXPECT_THAT(
        test::message_of<FileError>([&] { EventFolder::check(folder.folder(), true, overwrite); }),
        HasSubstr("has events.out.tfevents.1.host, an event file of another training"));
  }
  EXPECT_THAT(folder.names(), SizeIs(3));
}

TEST(EventFolder, PathsThatCannotBeFoldersAreErrors) {
  const Scratch folder;
  const std::string file = folder.file("file", "text");
  for (const std::string& path : {file, file + "/tb"}) {
    EXPECT_THAT(test::message_of<FileError>([&] { EventFolder::check(path, false, false); }),
                HasSubstr("is not a folder"));
    EXPECT_THROW(EventFolder(path, start_of()), FileError);
  }
  EventFolder::check(folder.path("a/b/c"), false, false);
  EXPECT_FALSE(std::filesystem::exists(folder.path("a")));
}

}  // namespace
}  // namespace weft::train
