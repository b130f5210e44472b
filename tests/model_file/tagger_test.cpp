#include "weft/model_file/tagger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/options.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "weft/core/error.h"
#include "weft/data/text/plain_tokeniser.h"

namespace weft::model_file {
namespace {

using test::Scratch;
using testing::HasSubstr;

TaggerSession session_of(const std::string& flags, uint64_t seed = 3,
                         const std::vector<std::string>& labels = {"O", "B-X", "I-X"}) {
  models::TaggerOptions o;
  test::set(o, "--dim-emb 16 --transformer-heads 2 --transformer-dim-ffn 32 " + flags);
  data::TokeniserPtr characters;
  if (o.characters.is_on()) {
    characters = data::make_plain_tokeniser(data::Vocabulary({"a", "b", " "}, "characters"));
  }
  return new_tagger(o,
                    {{data::make_plain_tokeniser(data::Vocabulary({"ab", "c"}, "words")),
                      {data::LabelSet(labels, "chunks"), data::LabelSet({"ask", "tell"}, "texts")}},
                     1,
                     characters},
                    seed);
}

class TaggerFile : public testing::Test {
 protected:
  void save_with(const std::string& flags) {
    session_ = session_of(flags);
    save(path_, session_, session_.parameters);
  }
  std::string load_error() const {
    return test::message_of<FormatError>([&] { load<TaggerSession>(path_); });
  }
  // Writes the file again with other tensors or metadata.
  template <class Edit>
  void rewrite(Edit edit) const {
    formats::NamedTensors tensors;
    const formats::SafetensorsFile file(path_);
    for (const std::string& name : file.names()) {
      tensors.emplace_back(name, file.tensor(name).clone());
    }
    auto metadata = file.metadata();
    edit(tensors, metadata);
    formats::save_safetensors(path_, tensors, metadata, file.aliases(),
                              formats::WithChecksum::kYes);
  }

  Scratch folder_;
  std::string path_ = folder_.path("model.safetensors");
  TaggerSession session_;
};

TEST_F(TaggerFile, ComesBackAsItWas) {
  save_with("--crf spans --char-encoder cnn --max-word-length 7 --pooling max");
  const TaggerSession loaded = load<TaggerSession>(path_);
  EXPECT_TRUE(test::same_bits(loaded.parameters, session_.parameters));
  EXPECT_EQ(loaded.labels()[0].names(), session_.labels()[0].names());
  EXPECT_EQ(loaded.labels()[1].names(), session_.labels()[1].names());
  EXPECT_EQ(loaded.assets.word_columns, 1u);
  EXPECT_EQ(loaded.tokeniser().encode("ab c"), session_.tokeniser().encode("ab c"));
  std::vector<int32_t> one, other;
  loaded.characters().append("abababababz", one);
  session_.characters().append("abababababz", other);
  EXPECT_EQ(one, other);
  EXPECT_EQ(one.size(), 9u);
  const models::LabelColumn& column = loaded.model.dims.columns[0];
  EXPECT_TRUE(column.has_crf);
  ASSERT_NE(column.allowed, nullptr);
  EXPECT_TRUE(loaded.model.dims.columns[1].is_of_text);
}

// The scores of a CRF's transitions are vectors, which are never rounded.
TEST_F(TaggerFile, IsRounded) {
  save_with("--crf all --char-encoder transformer");
  auto transitions = session_.model.heads[0].crf.transitions.value.span<float>();
  for (size_t i = 0; i < transitions.size(); ++i) transitions[i] = 0.1F * static_cast<float>(i);
  const std::string small = folder_.path("small");
  save_rounded(small, session_, Precision::kInt8);
  const TaggerSession loaded = load_packed<TaggerSession>(small, Precision::kStored);
  EXPECT_FALSE(loaded.parameters);
  EXPECT_TRUE(test::same_bits(loaded.model.heads[0].crf.transitions.value,
                              session_.model.heads[0].crf.transitions.value));
  EXPECT_TRUE(loaded.model.heads[0].out_proj.weight.packed);
}

TEST_F(TaggerFile, RefusesWhatIsNotWhole) {
  save_with("--char-encoder cnn");
  const auto without = [&](const std::string& name) {
    save_with("--char-encoder cnn");
    rewrite([&](formats::NamedTensors& tensors, auto&) {
      std::erase_if(tensors, [&](const auto& one) { return one.first == name; });
    });
    return load_error();
  };
  EXPECT_THAT(without("labels.1"), HasSubstr("no tensor 'labels.1', the labels"));
  EXPECT_THAT(without("vocab.characters"), HasSubstr("no tensor 'vocab.characters'"));
  EXPECT_THAT(without("tagger.0.out_proj.weight"), HasSubstr("tagger.0.out_proj.weight"));
  const auto with_option = [&](const std::string& from, const std::string& to) {
    save_with("--char-encoder cnn");
    rewrite([&](auto&, auto& metadata) {
      std::string& options = metadata["weft.options"];
      const size_t place = options.find(from);
      ASSERT_NE(place, std::string::npos) << options;
      options.replace(place, from.size(), to);
    });
    return load_error();
  };
  EXPECT_THAT(with_option("\"tagger\"", "\"other\""), HasSubstr("is a model of type 'other'"));
  EXPECT_THAT(with_option("\"character-count\":6", "\"character-count\":7"),
              HasSubstr("a vocabulary of 6 characters; the options say 7"));
  EXPECT_THAT(with_option("\"crf\":\"none\"", "\"crf\":\"all\""), HasSubstr("crf"));
}

TEST(SameAssets, AreNeededToTagTogether) {
  const TaggerSession first = session_of("");
  const auto error = [&](const TaggerSession& other) {
    return test::message_of<OptionError>([&] { check_same_assets(first, other, "second"); });
  };
  check_same_assets(first, session_of("--char-encoder cnn --crf all", 4), "second");
  EXPECT_THAT(error(session_of("", 3, {"B-X", "O", "I-X"})),
              HasSubstr("second: the labels are not those of the first model"));
  EXPECT_THAT(error(session_of("--pooling first")), HasSubstr("begin symbols"));
}

}  // namespace
}  // namespace weft::model_file
