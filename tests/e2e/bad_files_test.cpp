// Files that cannot be read among those of a training, for every task that reads them by a list or
// a folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/program.h"
#include "tests/e2e/training.h"
#include "tests/support/sounds.h"
#include "tests/tasks/labels/toy_boxes.h"
#include "tests/tasks/labels/toy_pictures.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

struct FilesTask {
  const char* name;
  const char* args;
};

class EveryTaskOfFiles : public testing::TestWithParam<FilesTask> {
 protected:
  EveryTaskOfFiles() {
    write_toy_pictures(folder_);
    write_boxed_pictures(folder_);
    for (const char* name : {"folders", "folders/a", "folders/b"}) {
      std::filesystem::create_directory(folder_.path(name));
    }
    for (const char* name : {"a/1.png", "a/2.png", "b/1.png", "b/2.png"}) {
      folder_.file("folders/" + std::string(name), data::encode_png(toy_picture(0, name[2])));
    }
    for (const char* name : {"folders/Thumbs.db", "folders/a/Thumbs.db", "pictures/Thumbs.db"}) {
      folder_.file(name, std::string("\xD0\xCF\x11\xE0\0", 5));
    }
    folder_.file("boxes.jsonl",
                 boxes_text(1, 20) + R"({"image": "pictures/Thumbs.db", "boxes": []})");
    folder_.file("rows.csv", "1,2\n3,4\n");
    folder_.file("rows.tsv", "a\trows.csv\nb\trows.csv\nb\tpictures/Thumbs.db\n");
    folder_.file("tone.wav", wav_of(tone(2400, 300, 8000), 8000));
    folder_.file("sounds.tsv", "tone.wav\ta\ntone.wav\ta\npictures/Thumbs.db\ta\n");
    folder_.file("pairs.tsv", "pictures/0_0.png\tpictures/0_1.png\n0_0.png\tpictures/0_1.png\n");
  }
  ProcessResult train(const std::string& more) const {
    return run_weft(
        words_of("train " + std::string(GetParam().args) +
                 " -m m --enc-depth 1 --dim-emb 8 --transformer-heads 2 --transformer-dim-ffn 8 "
                 "--after 1u --precision float32" +
                 more),
        {.folder = folder_.folder()});
  }

  Scratch folder_;
};

TEST_P(EveryTaskOfFiles, CountsAndNamesThem) {
  const ProcessResult refused = train(" --bad-files refuse");
  EXPECT_EQ(refused.status, 1) << refused.errors;
  const ProcessResult trained = train("");
  EXPECT_EQ(trained.status, 0) << trained.errors;
  EXPECT_THAT(trained.errors, HasSubstr("warning: "));
  EXPECT_THAT(trained.errors, HasSubstr(": left out\n"));
  EXPECT_THAT(trained.errors, HasSubstr(" left out\n"));
}

INSTANTIATE_TEST_SUITE_P(
    , EveryTaskOfFiles,
    testing::Values(FilesTask{"Pictures", "classification --input image -t folders"},
                    FilesTask{"Sequences", "classification --input features -t rows.tsv"},
                    FilesTask{"Boxes", "detection -t boxes.jsonl --dec-depth 1 --query-count 3"},
                    FilesTask{"Sounds",
                              "transcription -t sounds.tsv -v v --sample-rate 8000 --dec-depth 1"},
                    FilesTask{"Views", "cross-view -t pairs.tsv --dec-depth 1"}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace weft::test
