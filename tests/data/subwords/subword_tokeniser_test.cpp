#include "weft/data/subwords/subword_tokeniser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/data/subwords/golden_tokenisers.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"
#include "weft/core/random.h"
#include "weft/core/text/utf8.h"

namespace weft::data {
namespace {

using nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;

const char* const kGoldenNames[] = {"gpt2", "roberta", "llama3", "llama2",          "unknown_bpe",
                                    "bert", "unigram", "words",  "first_metaspace", "ctc"};

// A tokeniser of the letters a to c and some merges, with the given fields changed.
ordered_json small_tokenizer() {
  return ordered_json::parse(R"({
    "version": "1.0",
    "added_tokens": [{"id": 6, "content": "<end>", "special": true}],
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4, "<": 5},
              "merges": [["a", "b"], "ab c"]}})");
}

SubwordTokeniserPtr load(const ordered_json& json) { return load_tokenizer_json(json.dump(), "t"); }

std::string load_error(const ordered_json& json) {
  return test::message_of<FormatError>([&] { load(json); });
}

TEST(SubwordTokeniser, MergesAndSpansBytes) {
  const SubwordTokeniserPtr tokeniser = load(small_tokenizer());
  const Encoding found = tokeniser->encode("abcab", {});
  EXPECT_THAT(found.ids, ElementsAre(4, 3));
  EXPECT_THAT(found.spans, ElementsAre(ByteRange{0, 3}, ByteRange{3, 5}));
  EXPECT_EQ(tokeniser->size(), 7);
  EXPECT_EQ(tokeniser->piece(4), "abc");
  EXPECT_EQ(tokeniser->find("ab"), 3);
  EXPECT_EQ(tokeniser->find("x"), std::nullopt);
  EXPECT_THROW(tokeniser->piece(7), FormatError);
  EXPECT_EQ(tokeniser->end_id(), -1);
}

// A long word takes the queue, a short one the search.
TEST(SubwordTokeniser, MergesLongWordsAsShortOnes) {
  const SubwordTokeniserPtr tokeniser = golden_tokeniser("gpt2");
  const std::string word = "unbelievablenewerwidest";
  const std::vector<int32_t> once = tokeniser->encode(word);
  std::string text;
  std::vector<int32_t> expected;
  for (int i = 0; i < 40; ++i) {
    text += word + "\n";
    expected.insert(expected.end(), once.begin(), once.end());
    expected.push_back(*tokeniser->find("\xC4\x8A"));
  }
  EXPECT_EQ(tokeniser->encode(text), expected);
  const SubwordTokeniserPtr unsplit = golden_tokeniser("llama2");
  EXPECT_GT(unsplit->encode(text).size(), 48u);
  EXPECT_EQ(unsplit->decode(unsplit->encode(text)), text);
}

TEST(SubwordTokeniser, TextOfAUserNeverBecomesASpecialToken) {
  for (const char* name : kGoldenNames) {
    SCOPED_TRACE(name);
    const SubwordTokeniserPtr tokeniser = golden_tokeniser(name);
    std::string text = "x";
    for (int32_t id = 0; id < tokeniser->size(); ++id) {
      if (tokeniser->is_special(id)) text += std::string(tokeniser->piece(id)) + " a ";
    }
    const auto is_special = [&](int32_t id) {
      return tokeniser->is_special(id) && id != tokeniser->unknown_id();
    };
    EXPECT_TRUE(std::ranges::none_of(tokeniser->encode(text), is_special));
    const std::vector<int32_t> parsed = tokeniser->encode(text, {.parse_special = true}).ids;
    EXPECT_EQ(std::ranges::any_of(parsed, is_special),
              text.find("s>") != text.npos || text.find("[CLS]") != text.npos);
  }
}

// Not even where only one byte of it was typed; then a shorter one may be found.
TEST(SubwordTokeniser, FindsNoSpecialTokenInWhatWasTyped) {
  ordered_json json = small_tokenizer();
  json["added_tokens"].push_back({{"id", 7}, {"content", "<end>a"}, {"special", true}});
  const SubwordTokeniserPtr tokeniser = load(json);
  const auto ends_in = [&](std::string_view text, std::vector<ByteRange> typed) {
    const auto ids = tokeniser->encode(text, {.parse_special = true, .typed = typed}).ids;
    return std::ranges::count(ids, 6);
  };
  EXPECT_EQ(ends_in("<end>b<end>", {}), 2);
  EXPECT_EQ(ends_in("<end>b<end>", {{6, 11}}), 1);
  EXPECT_EQ(ends_in("<end>b<end>", {{0, 1}}), 1);
  EXPECT_EQ(ends_in("<end>b<end>", {{4, 5}, {10, 11}}), 0);
  EXPECT_EQ(ends_in("<end>b<end>", {{5, 6}}), 2);
  EXPECT_EQ(ends_in("<<end>b", {{0, 1}}), 1);
  EXPECT_THAT(tokeniser->encode("<end>a", {.parse_special = true}).ids, ElementsAre(7));
  const ByteRange typed[] = {{5, 6}};
  EXPECT_THAT(tokeniser->encode("<end>a", {.parse_special = true, .typed = typed}).ids,
              ElementsAre(6, 0));
}

// Neither as a whole word nor by merges.
TEST(SubwordTokeniser, NeverBuildsASpecialTokenOfItsParts) {
  ordered_json json = small_tokenizer();
  json["added_tokens"] = {{{"id", 4}, {"content", "abc"}, {"special", true}}};
  for (const bool ignores_merges : {false, true}) {
    json["model"]["ignore_merges"] = ignores_merges;
    EXPECT_THAT(load(json)->encode("abc"), ElementsAre(3, 2));
    EXPECT_THAT(load(json)->encode("abc", {.parse_special = true}).ids, ElementsAre(4));
  }
}

// Token by token it is the text of decode(), and never the half of a character.
TEST(TokenStream, GivesTheTextOfDecode) {
  RandomStream random(1, 2);
  for (const char* name : kGoldenNames) {
    SCOPED_TRACE(name);
    const SubwordTokeniserPtr tokeniser = golden_tokeniser(name);
    for (int i = 0; i < 50; ++i) {
      std::vector<int32_t> ids(20);
      for (int32_t& id : ids) {
        id = static_cast<int32_t>(random.below(static_cast<uint64_t>(tokeniser->size())));
      }
      TokenStream stream(*tokeniser);
      std::string text;
      for (const int32_t id : ids) {
        const std::string part = stream.push(id);
        EXPECT_TRUE(valid_utf8(part));
        text += part;
      }
      text += stream.finish();
      EXPECT_EQ(text, tokeniser->decode(ids));
    }
  }
}

TEST(TokenStream, HoldsBackBytesThatAreNoCharacterYet) {
  const SubwordTokeniserPtr tokeniser = golden_tokeniser("gpt2");
  TokenStream stream(*tokeniser);
  std::vector<std::string> parts;
  for (const char* piece : {"x", "\xC3\xB0", "\xC5\x81", "\xC2\xA6", "\xC4\xBB", "y"}) {
    parts.push_back(stream.push(*tokeniser->find(piece)));  // the bytes F0 9F A6 99: a llama
  }
  EXPECT_THAT(parts, ElementsAre("x", "", "", "", "\xF0\x9F\xA6\x99", "y"));
  EXPECT_EQ(stream.push(*tokeniser->find("\xC3\xB0")), "");
  EXPECT_EQ(stream.finish(), "\xEF\xBF\xBD");
}

TEST(SubwordTokeniser, ReadsMalformedBytesAsReplacementCharacters) {
  const SubwordTokeniserPtr tokeniser = golden_tokeniser("gpt2");
  const Encoding found = tokeniser->encode("a\xFF", {});
  EXPECT_EQ(tokeniser->decode(found.ids), "a\xEF\xBF\xBD");
  EXPECT_EQ(found.spans.back(), (ByteRange{1, 2}));
}

// As tokenizers does, the spans of what follows move to the left.
TEST(SubwordTokeniser, LeavesOutBytesWithoutToken) {
  ordered_json json = small_tokenizer();
  json["pre_tokenizer"] = {
      {"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
  const Encoding found = load(json)->encode(
      "\x01"
      "ab",
      {});
  EXPECT_THAT(found.ids, ElementsAre(3));
  EXPECT_THAT(found.spans, ElementsAre(ByteRange{0, 1}));
}

TEST(SubwordTokeniser, KnowsWhatItsSpecialTokensAreFor) {
  ordered_json json = small_tokenizer();
  json["special_tokens"] = {{"bos_token", "a"}, {"eos_token", {"<end>", "b"}}, {"pad_token", "c"}};
  const SubwordTokeniserPtr tokeniser = load(json);
  EXPECT_EQ(tokeniser->begin_id(), 0);
  EXPECT_EQ(tokeniser->end_id(), 6);
  EXPECT_THAT(tokeniser->end_ids(), ElementsAre(6, 1));
  EXPECT_EQ(tokeniser->padding_id(), 2);
  EXPECT_EQ(load_tokenizer_json(tokeniser->serialise(), "t")->end_ids().size(), 2u);
  EXPECT_EQ(load_tokenizer_json(tokeniser->file_bytes(false), "t")->end_ids().size(), 0u);
  const SpecialTokens read = read_special_tokens(
      R"({"eos_token": {"content": "<end>"}, "cls_token": "a", "chat_template": "x"})", "config");
  EXPECT_EQ(load_tokenizer_json(small_tokenizer().dump(), "t", read)->end_id(), 6);
  EXPECT_EQ(golden_tokeniser("bert")->begin_id(), 2);  // of the post-processor
  EXPECT_EQ(golden_tokeniser("bert")->end_id(), 3);
}

TEST(SubwordTokeniser, NamesWhatItDoesNotSupport) {
  const auto with = [](const char* pointer, const ordered_json& value) {
    ordered_json json = small_tokenizer();
    json[ordered_json::json_pointer(pointer)] = value;
    return load_error(json);
  };
  EXPECT_EQ(with("/normalizer", {{"type", "Magic"}}),
            "t.normalizer: the normalizer 'Magic' is not supported");
  EXPECT_EQ(with("/pre_tokenizer", {{"type", "Magic"}}),
            "t.pre_tokenizer: the pre-tokenizer 'Magic' is not supported");
  EXPECT_EQ(with("/decoder", {{"type", "Magic"}}),
            "t.decoder: the decoder 'Magic' is not supported");
  EXPECT_EQ(with("/post_processor", {{"type", "Magic"}}),
            "t.post_processor: the post-processor 'Magic' is not supported");
  EXPECT_EQ(with("/model/type", "Magic"), "t.model: the model 'Magic' is not supported");
  EXPECT_EQ(with("/model/magic", 1), "t.model: field 'magic' is not supported");
  EXPECT_EQ(with("/magic", 1), "t: field 'magic' is not supported");
  EXPECT_EQ(with("/model/dropout", 0.1), "t.model: dropout makes the tokens random; expected none");
  EXPECT_EQ(with("/version", "2.0"), "t: version '2.0'; expected 1.0");
  EXPECT_EQ(with("/model/unk_token", "<unk>"),
            "t.model: the token '<unk>' is not in the vocabulary");
  EXPECT_EQ(with("/model/merges/0", {"a", "x"}),
            "t: model.merges has 'x', which is not in model.vocab");
  EXPECT_EQ(with("/model/merges/0", {"b", "a"}),
            "t.model: merge 0 makes 'ba', which is not in the vocabulary");
  EXPECT_EQ(with("/model/vocab/a", "0"), "t: model.vocab has an entry of another kind");
  EXPECT_THAT(with("/model/vocab/a", 1), HasSubstr("token 'b' has id 1, but so has 'a'"));
  EXPECT_THAT(with("/model/vocab/a", 4000000000u), HasSubstr("token 'a' has the id 4000000000"));
  EXPECT_EQ(with("/pre_tokenizer",
                 {{"type", "Split"}, {"pattern", {{"Regex", "("}}}, {"behavior", "Isolated"}}),
            "t.pre_tokenizer.pattern: the regular expression '(': end pattern with unmatched "
            "parenthesis");
  EXPECT_THAT(test::message_of<FormatError>([] { load_tokenizer_json("{", "t"); }),
              HasSubstr("t: is no JSON: "));
  EXPECT_EQ(test::message_of<FormatError>([] { load_tokenizer_json("{}", "t"); }),
            "t: is no tokenizer.json; expected an object with a model");
}

// As tokenizers, which says "Missing vocab/merges".
TEST(SubwordTokeniser, RefusesPairsWithoutAListOfMerges) {
  ordered_json json = small_tokenizer();
  json["model"]["merges"] = ordered_json::array();
  EXPECT_THAT(load(json)->encode("ab"), ElementsAre(0, 1));
  constexpr const char* kMissing =
      "t: model.merges is missing; expected a list, which may be empty";
  json["model"]["merges"] = nullptr;
  EXPECT_EQ(load_error(json), kMissing);
  json["model"].erase("merges");
  EXPECT_EQ(load_error(json), kMissing);
}

TEST(SubwordTokeniser, StopsAnExpressionThatTakesTooLong) {
  ordered_json json = small_tokenizer();
  json["pre_tokenizer"] = {
      {"type", "Split"}, {"pattern", {{"Regex", "(a|aa)+$"}}}, {"behavior", "Isolated"}};
  const SubwordTokeniserPtr tokeniser = load(json);
  EXPECT_EQ(tokeniser->encode("aab").size(), 2u);
  EXPECT_THAT(
      test::message_of<FormatError>([&] { tokeniser->encode(std::string(200, 'a') + "b"); }),
      HasSubstr("the regular expression '(a|aa)+$' on a text of 201 bytes: retry-limit"));
}

// Each node makes the text four times as long.
TEST(SubwordTokeniser, StopsNodesThatMakeTextsEndless) {
  ordered_json json = small_tokenizer();
  const ordered_json node = {
      {"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aaaa"}};
  json["normalizer"] = {{"type", "Sequence"}, {"normalizers", ordered_json::array()}};
  for (int i = 0; i < 40; ++i) json["normalizer"]["normalizers"].push_back(node);
  EXPECT_THAT(test::message_of<FormatError>([&] { load(json)->encode("a"); }),
              HasSubstr("its nodes make 262144 bytes of a text of 1"));
}

}  // namespace
}  // namespace weft::data
