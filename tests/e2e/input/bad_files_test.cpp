// Files that cannot be read among those of a training or an evaluation, for every task that reads
// them by a list or a folder.
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
  const char* evaluation;
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
    write_annotations();
    folder_.file("rows.csv", "1,2\n3,4\n");
    folder_.file("rows.tsv", "a\trows.csv\nb\trows.csv\nb\tpictures/Thumbs.db\n");
    folder_.file("tone.wav", wav_of(tone(2400, 300, 8000), 8000));
    folder_.file("sounds.tsv", "tone.wav\ta\ntone.wav\ta\npictures/Thumbs.db\ta\n");
    folder_.file("pairs.tsv",
                 "pictures/0_0.png\tpictures/0_1.png\npictures/Thumbs.db\tpictures/0_1.png\n");
    folder_.file("moves.tsv",
                 "pictures/0_0.png\tpictures/0_1.png\t1\n"
                 "pictures/Thumbs.db\tpictures/0_1.png\t2\n");
  }
  // Pascal VOC's, one that is cut off and one without a picture.
  void write_annotations() const {
    std::filesystem::create_directory(folder_.path("voc"));
    const std::string whole =
        "<annotation><filename>0.png</filename><object><name>a</name><bndbox><xmin>1</xmin>"
        "<ymin>1</ymin><xmax>4</xmax><ymax>4</ymax></bndbox></object></annotation>";
    folder_.file("voc/0.png", read_bytes(folder_.path("boxed/0.png")));
    folder_.file("voc/0.xml", whole);
    folder_.file("voc/Thumbs.db.xml", whole.substr(0, whole.size() / 2));
    folder_.file("voc/gone.xml", "<annotation><filename>Thumbs.db.png</filename></annotation>");
  }
  ProcessResult train(const std::string& more) const {
    return run_weft(
        words_of("train " + std::string(GetParam().args) +
                 " -m m --enc-depth 1 --dim-emb 8 --transformer-heads 2 --transformer-dim-ffn 8 "
                 "--after 1u --precision float32" +
                 more),
        {.folder = folder_.folder()});
  }
  ProcessResult evaluate(const std::string& more) const {
    return run_weft(words_of(GetParam().evaluation + more), {.folder = folder_.folder()});
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
  const ProcessResult not_measured = evaluate(" --bad-files refuse");
  EXPECT_EQ(not_measured.status, 1) << not_measured.errors;
  EXPECT_THAT(not_measured.errors, HasSubstr("Thumbs.db"));
  const ProcessResult measured = evaluate("");
  EXPECT_EQ(measured.status, 0) << measured.errors;
  EXPECT_THAT(measured.errors, HasSubstr("warning: "));
  EXPECT_THAT(measured.errors, HasSubstr(" left out\n"));
}

INSTANTIATE_TEST_SUITE_P(
    , EveryTaskOfFiles,
    testing::Values(FilesTask{"Pictures", "classification --input image -t folders",
                              "classify -m m --evaluate folders"},
                    FilesTask{"Sequences", "classification --input features -t rows.tsv",
                              "classify -m m --evaluate rows.tsv"},
                    FilesTask{"Boxes", "detection -t boxes.jsonl --dec-depth 1 --query-count 3",
                              "detect -m m --evaluate boxes.jsonl"},
                    FilesTask{"Annotations", "detection -t voc --dec-depth 1 --query-count 3",
                              "detect -m m --evaluate voc"},
                    FilesTask{"Sounds",
                              "transcription -t sounds.tsv -v v --sample-rate 8000 --dec-depth 1",
                              "transcribe -m m --evaluate sounds.tsv"},
                    FilesTask{"Views", "cross-view -t pairs.tsv --dec-depth 1",
                              "complete -m m -i pairs.tsv --evaluate"},
                    FilesTask{"Motion", "cross-view -t moves.tsv --objective motion --dec-depth 1",
                              "motion -m m -i moves.tsv --evaluate"}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace weft::test
