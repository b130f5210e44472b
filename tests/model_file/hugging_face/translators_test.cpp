// Folders of translators against Transformers: tools/golden/marian.py and t5.py made them.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "weft/formats/safetensors.h"
#include "weft/model_file/hugging_face/folder.h"
#include "weft/model_file/hugging_face/logits.h"
#include "weft/model_file/translator.h"

namespace weft::model_file {
namespace {

class TranslatorFolder : public testing::TestWithParam<const char*> {
 protected:
  static TranslatorSession read(const std::string& folder) {
    return HuggingFaceModel(folder).load<TranslatorSession>();
  }
  std::string golden() const {
    return test::source_path(std::string("tests/golden/") + GetParam());
  }
};

TEST_P(TranslatorFolder, GivesTheLogitsOfTransformers) {
  EXPECT_LT(largest_logit_difference(read(golden()), golden() + "/logits.safetensors"), 1e-5);
}

TEST_P(TranslatorFolder, RoundTrips) {
  const test::Scratch folder;
  TranslatorSession session = read(golden());
  write_hugging_face(folder.path("hf"), session);
  const formats::SafetensorsFile theirs(golden() + "/model.safetensors");
  const formats::SafetensorsFile ours(folder.path("hf") + "/model.safetensors");
  ASSERT_EQ(ours.names().size(), theirs.names().size());
  for (const std::string& name : theirs.names()) {
    const Tensor x = theirs.tensor(name), y = ours.tensor(name);
    ASSERT_EQ(x.shape(), y.shape()) << name;
    EXPECT_EQ(std::memcmp(x.bytes(), y.bytes(), static_cast<size_t>(x.size()) * 4), 0) << name;
  }
  TranslatorSession again = read(folder.path("hf"));
  save(folder.path("one"), session, session.parameters);
  save(folder.path("two"), again, again.parameters);
  EXPECT_TRUE(test::read_bytes(folder.path("one")) == test::read_bytes(folder.path("two")));
}

INSTANTIATE_TEST_SUITE_P(Models, TranslatorFolder,
                         testing::Values("marian_shared", "marian_apart", "t5_first", "t5_gated"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace weft::model_file
