// Every kind of node against Hugging Face's tokenizers (tools/golden/tokenizer_nodes.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/subwords/golden_tokenisers.h"
#include "weft/data/subwords/nodes/pre_tokeniser.h"

namespace weft::data {
namespace {

using nlohmann::ordered_json;

std::vector<std::vector<uint32_t>> lists_of(const std::vector<ByteRange>& spans) {
  std::vector<std::vector<uint32_t>> out;
  for (const ByteRange& span : spans) out.push_back({span.begin, span.end});
  return out;
}

class TokenizerNodes : public testing::TestWithParam<const char*> {};

TEST_P(TokenizerNodes, EncodeAndDecodeAsTokenizersDoes) {
  const SubwordTokeniserPtr tokeniser = golden_tokeniser(GetParam());
  for (const ordered_json& expected : golden_file(GetParam()).at("cases")) {
    const auto text = expected.at("text").get<std::string>();
    SCOPED_TRACE(expected.dump());
    const Encoding found = tokeniser->encode(text, {.parse_special = expected.at("parse_special"),
                                                    .add_special = expected.at("add_special")});
    EXPECT_EQ(found.ids, expected.at("ids").get<std::vector<int32_t>>());
    EXPECT_EQ(lists_of(found.spans),
              expected.at("spans").get<std::vector<std::vector<uint32_t>>>());
    const auto ids = expected.at("ids").get<std::vector<int32_t>>();
    EXPECT_EQ(tokeniser->decode(ids), expected.at("decoded"));
    EXPECT_EQ(tokeniser->decode(ids, true), expected.at("decoded_special"));
  }
}

TEST_P(TokenizerNodes, JoinPairs) {
  const SubwordTokeniserPtr tokeniser = golden_tokeniser(GetParam());
  for (const ordered_json& expected : golden_file(GetParam()).at("pairs")) {
    SCOPED_TRACE(expected.dump());
    const Encoding found = tokeniser->encode_pair(expected.at("texts")[0].get<std::string>(),
                                                  expected.at("texts")[1].get<std::string>(),
                                                  {.parse_special = true, .add_special = true});
    EXPECT_EQ(found.ids, expected.at("ids").get<std::vector<int32_t>>());
    EXPECT_EQ(found.types, expected.at("types").get<std::vector<int32_t>>());
  }
}

TEST_P(TokenizerNodes, JoinTheTokensOfPairs) {
  const SubwordTokeniserPtr tokeniser = golden_tokeniser(GetParam());
  const Encoding pair = tokeniser->encode_pair("a b", "c", {.add_special = true});
  const Encoding joined = tokeniser->join_pair(tokeniser->encode("a b"), tokeniser->encode("c"));
  EXPECT_EQ(joined.ids, pair.ids);
  EXPECT_EQ(joined.types, pair.types);
  const size_t texts = tokeniser->encode("a b").size() + tokeniser->encode("c").size();
  EXPECT_EQ(tokeniser->has_pair_symbols(), pair.ids.size() > texts);
}

TEST_P(TokenizerNodes, AreTheSameAfterTheyWereWritten) {
  const SubwordTokeniserPtr first = golden_tokeniser(GetParam());
  const SubwordTokeniserPtr second = load_tokenizer_json(first->serialise(), "again");
  EXPECT_EQ(second->serialise(), first->serialise());
  for (const ordered_json& expected : golden_file(GetParam()).at("cases")) {
    const auto text = expected.at("text").get<std::string>();
    EXPECT_EQ(second->encode(text), first->encode(text));
  }
}

INSTANTIATE_TEST_SUITE_P(All, TokenizerNodes,
                         testing::Values("gpt2", "roberta", "llama3", "llama2", "unknown_bpe",
                                         "bert", "cased_bert", "unigram", "first_metaspace",
                                         "words", "ctc"),
                         [](const auto& golden) { return golden.param; });

TEST(PreTokenisers, SplitByEveryBehaviour) {
  for (const ordered_json& expected : golden_file("splits")) {
    SCOPED_TRACE(expected.at("node").dump());
    const PreTokenisers steps = read_pre_tokenisers({expected.at("node"), "splits"});
    for (size_t i = 0; i < expected.at("texts").size(); ++i) {
      const auto text = expected.at("texts")[i].get<std::string>();
      SplitText split{AlignedText(text), {{{0, static_cast<uint32_t>(text.size())}}}};
      if (text.empty()) split.pieces.clear();
      for (const auto& step : steps.steps) step->apply(split);
      std::vector<std::string> pieces;
      for (const Piece& piece : split.pieces) pieces.emplace_back(split.piece(piece));
      EXPECT_EQ(pieces, expected.at("pieces")[i].get<std::vector<std::string>>()) << text;
    }
  }
}

}  // namespace
}  // namespace weft::data
