// Tokenisers to the metadata of GGUF files and back.
#include "weft/data/subwords/gguf_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/subwords/golden_tokenisers.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"
#include "weft/data/subwords/score_merges.h"

namespace weft::data {
namespace {

using testing::HasSubstr;

constexpr int64_t kEnds[] = {1, 3};

TokenRoles roles_in(const SubwordTokeniser& tokeniser, int64_t more = 0) {
  return {.size = tokeniser.size() + more, .begin_id = 2, .end_ids = kEnds, .adds_begin = true};
}

DocumentJson fields_of(const TokenizerDocument& document, const SubwordTokeniser& tokeniser) {
  return gguf_tokeniser_fields(document, roles_in(tokeniser));
}

std::string refusal(const std::string& name, const auto& change) {
  const SubwordTokeniserPtr tokeniser = golden_tokeniser(name);
  TokenizerDocument document = parse_tokenizer_json(tokeniser->serialise(), name);
  change(document);
  return test::message_of<OptionError>([&] { fields_of(document, *tokeniser); });
}

// Its merges are those of scores, where it has visible spaces.
SubwordTokeniserPtr gguf_like_tokeniser(const std::string& name) {
  TokenizerDocument document = parse_tokenizer_json(golden_tokeniser(name)->serialise(), name);
  for (ModelToken& token : document.tokens) token.score = -token.id;
  if (name == "llama2") document.merges = merges_by_score(document.tokens);
  return std::make_shared<SubwordTokeniser>(std::move(document), name);
}

TEST(GgufFields, GiveTheSameTokeniser) {
  for (const char* name : {"gpt2", "llama3", "llama2"}) {
    SCOPED_TRACE(name);
    const SubwordTokeniserPtr tokeniser = gguf_like_tokeniser(name);
    const TokenizerDocument document = parse_tokenizer_json(tokeniser->serialise(), name);
    const DocumentJson fields = gguf_tokeniser_fields(document, roles_in(*tokeniser, 2));
    const SubwordTokeniserPtr back = load_gguf_tokeniser(fields, name);
    EXPECT_EQ(back->size(), tokeniser->size() + 2);
    EXPECT_EQ(back->begin_id(), 2);
    EXPECT_THAT(back->end_ids(), testing::ElementsAre(1, 3));
    EXPECT_EQ(back->encode("a", {.add_special = true}).ids.front(), 2);
    for (const std::string text : {"  a text of 1234 words,\n\n\tit's  Ã©â¬", " ", "xyz"}) {
      EXPECT_EQ(back->encode(text), tokeniser->encode(text)) << text;
      EXPECT_EQ(back->decode(back->encode(text)), tokeniser->decode(tokeniser->encode(text)));
    }
    const auto again = parse_tokenizer_json(back->serialise(), name);
    EXPECT_EQ(again.merges, document.merges);
    EXPECT_EQ(fields_of(again, *back), gguf_tokeniser_fields(again, roles_in(*back)));
  }
}

TokenRoles encoder_roles(const SubwordTokeniser& tokeniser) {
  return {.size = tokeniser.size(),
          .begin_id = 2,
          .end_ids = std::span(kEnds).first(1),
          .is_encoder = true,
          .token_types = 2};
}

// BERT's tokeniser of the golden file, as GGUF has it: it has words of at most 100 characters.
TokenizerDocument bert_document() {
  TokenizerDocument out = parse_tokenizer_json(golden_tokeniser("bert")->serialise(), "bert");
  out.nodes["model"]["max_input_chars_per_word"] = 100;
  for (DocumentJson& token : out.nodes["added_tokens"]) token["normalized"] = false;
  return out;
}

TEST(GgufFields, GiveTheSameWordPieces) {
  for (const bool lowercase : {true, false}) {
    TokenizerDocument document = bert_document();
    document.nodes["normalizer"]["lowercase"] = lowercase;
    const auto tokeniser = std::make_shared<SubwordTokeniser>(document, "bert");
    const DocumentJson fields = gguf_tokeniser_fields(document, encoder_roles(*tokeniser));
    const SubwordTokeniserPtr back = load_gguf_tokeniser(fields, "bert");
    ASSERT_EQ(back->size(), tokeniser->size());
    for (int32_t id = 0; id < tokeniser->size(); ++id) {
      EXPECT_EQ(back->piece(id), tokeniser->piece(id));
    }
    std::vector<std::string> texts = {"  A text,\n\n\tit's  \u00e9\u4e2d", std::string(90, 'a'),
                                      std::string(101, 'a')};
    for (const DocumentJson& one : golden_file("bert").at("cases")) texts.push_back(one.at("text"));
    for (const std::string& text : texts) {
      EXPECT_EQ(back->encode(text), tokeniser->encode(text)) << text;
    }
    const std::vector<int32_t> around = back->encode("a", {.add_special = true}).ids;
    EXPECT_EQ(around.front(), 2);
    EXPECT_EQ(around.back(), 1);
    const auto again = parse_tokenizer_json(back->serialise(), "bert");
    EXPECT_EQ(gguf_tokeniser_fields(again, encoder_roles(*back)), fields);
  }
}

TEST(GgufFields, RefuseWordPiecesOfOtherRules) {
  const auto refusal_of = [](TokenizerDocument document) {
    const SubwordTokeniser tokeniser(document, "bert");
    return test::message_of<OptionError>(
        [&] { gguf_tokeniser_fields(document, encoder_roles(tokeniser)); });
  };
  const auto with = [&](const char* node, const char* field, const DocumentJson& value) {
    TokenizerDocument document = bert_document();
    document.nodes[node][field] = value;
    return refusal_of(document);
  };
  const auto gpt2 = parse_tokenizer_json(golden_tokeniser("gpt2")->serialise(), "gpt2");
  EXPECT_THAT(refusal_of(gpt2), HasSubstr("of the model 'BPE'; expected WordPiece"));
  const auto other = HasSubstr("the tokeniser's nodes are not BERT's");
  EXPECT_THAT(with("normalizer", "clean_text", false), other);
  EXPECT_THAT(with("model", "continuing_subword_prefix", "@"), other);
  EXPECT_THAT(with("model", "max_input_chars_per_word", 40),
              HasSubstr("words of at most 40 characters; expected 100"));
  TokenizerDocument document = bert_document();
  document.nodes["normalizer"] = {{"type", "NFC"}};
  EXPECT_THAT(refusal_of(document), other);
  document = bert_document();
  document.nodes["added_tokens"][0]["normalized"] = true;
  EXPECT_THAT(refusal_of(document), HasSubstr("is found in normalised text"));
  document = bert_document();
  const auto piece = std::ranges::find_if(
      document.tokens, [](const ModelToken& token) { return token.text.starts_with("##"); });
  piece->text = "##\xE2\x96\x81x";
  EXPECT_THAT(refusal_of(document), HasSubstr("would begin a word in GGUF"));
}

TEST(GgufFields, RefuseTwoSymbolsThatBeginATextOfBert) {
  const SubwordTokeniserPtr tokeniser = golden_tokeniser("bert");
  DocumentJson fields = gguf_tokeniser_fields(bert_document(), encoder_roles(*tokeniser));
  fields["tokenizer.ggml.cls_token_id"] = 1U;
  EXPECT_THAT(test::message_of<FormatError>([&] { load_gguf_tokeniser(fields, "x"); }),
              HasSubstr("cls_token_id is missing or of another kind; expected the same id"));
  fields.erase("tokenizer.ggml.bos_token_id");
  EXPECT_EQ(load_gguf_tokeniser(fields, "x")->begin_id(), 1);
}

TEST(GgufFields, RefuseWhatGgufDoesNotHave) {
  const auto same = [](TokenizerDocument&) {};
  EXPECT_THAT(refusal("unigram", same), HasSubstr("--to-gguf: a tokeniser of the model 'Unigram'"));
  EXPECT_THAT(refusal("bert", same), HasSubstr("of the model 'WordPiece'; expected BPE"));
  EXPECT_THAT(refusal("gpt2",
                      [](auto& x) {
                        x.nodes["normalizer"] = {{"type", "NFKC"}};
                      }),
              HasSubstr("normaliser and pre-tokeniser are none of GGUF"));
  EXPECT_THAT(refusal("llama2",
                      [](auto& x) {
                        x.nodes["normalizer"] = {{"type", "NFC"}};
                      }),
              HasSubstr("the tokeniser's nodes are none of GGUF"));
  EXPECT_THAT(refusal("llama2", [](auto& x) { x.merges.pop_back(); }),
              HasSubstr("the merges are none of a SentencePiece model"));
  EXPECT_THAT(refusal("gpt2", [](auto& x) { x.nodes["added_tokens"][0]["lstrip"] = true; }),
              HasSubstr("has lstrip, which GGUF does not have"));
  const SubwordTokeniserPtr tokeniser = golden_tokeniser("gpt2");
  const int64_t ends[] = {0, 1, 2, 3};
  EXPECT_THAT(test::message_of<OptionError>([&] {
                gguf_tokeniser_fields(parse_tokenizer_json(tokeniser->serialise(), "gpt2"),
                                      {.size = tokeniser->size(), .end_ids = ends});
              }),
              HasSubstr("the model has 4 end symbols; GGUF has 3"));
}

// Tokens of one score: their merges are mixed, the longest left parts first.
TEST(GgufFields, FindScoresOfMergesThatAreMixed) {
  TokenizerDocument document;
  for (const char* text : {"a", "b", "aa", "bb", "aaa", "bbb"}) {
    document.tokens.push_back({text, static_cast<int32_t>(document.tokens.size()), 0});
  }
  const double scores[] = {-9, -9, -1, -1, -2, -2};
  for (size_t i = 0; i < 6; ++i) document.tokens[i].score = scores[i];
  document.merges = merges_by_score(document.tokens);
  const auto found = scores_of_merges(document);
  ASSERT_TRUE(found.has_value());
  for (size_t i = 0; i < 6; ++i) document.tokens[i].score = (*found)[i];
  EXPECT_EQ(merges_by_score(document.tokens), document.merges);
  std::swap(document.merges.front(), document.merges.back());
  EXPECT_FALSE(scores_of_merges(document).has_value());
}

}  // namespace
}  // namespace weft::data
