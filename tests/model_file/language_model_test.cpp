#include "weft/model_file/language_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model_file/small_language_model.h"
#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "weft/core/error.h"
#include "weft/model_file/tagger.h"

namespace weft::model_file {
namespace {

using testing::HasSubstr;

TEST(LanguageModelFile, ComesBackAsItWas) {
  const test::Scratch folder;
  LanguageModelSession session = small_language_model("--rotary-base 500 --embedding-scale 2");
  session.adds_begin = true;
  session.model.dims.end_ids = {0, 7};
  save(folder.path("one"), session, session.parameters);
  const auto loaded = load<LanguageModelSession>(folder.path("one"));
  EXPECT_TRUE(test::same_bits(loaded.parameters, session.parameters));
  EXPECT_TRUE(loaded.adds_begin);
  EXPECT_EQ(loaded.model.dims.end_ids, session.model.dims.end_ids);
  EXPECT_EQ(loaded.tokeniser->encode("w3 w1"), session.tokeniser->encode("w3 w1"));
  save(folder.path("two"), loaded, loaded.parameters);
  EXPECT_EQ(test::read_bytes(folder.path("one")), test::read_bytes(folder.path("two")));
  EXPECT_THAT(test::message_of<FormatError>([&] { load<TaggerSession>(folder.path("one")); }),
              HasSubstr("is a model of type 'language-model'; expected tagger"));
}

// The model has outputs that are no tokens, as those whose vocabulary is padded.
TEST(LanguageModelFile, MayHaveMoreOutputsThanTokens) {
  const test::Scratch folder;
  for (const int64_t vocab : {48, 39}) {
    LanguageModelSession session = small_language_model();
    models::LanguageModelDims dims = session.model.dims;
    dims.vocab = vocab;
    session.model = models::LanguageModel(session.model.options, dims);
    initialise(session, 1);
    save(folder.path("model"), session, session.parameters);
    if (vocab == 48) {
      EXPECT_EQ(load<LanguageModelSession>(folder.path("model")).model.dims.vocab, 48);
      continue;
    }
    EXPECT_THAT(
        test::message_of<FormatError>([&] { load<LanguageModelSession>(folder.path("model")); }),
        HasSubstr("a vocabulary of 40 entries; expected at most 39, as the model"));
  }
}

}  // namespace
}  // namespace weft::model_file
