#include "weft/data/subwords/gguf_words.h"

#include <algorithm>
#include <string>
#include <vector>

#include "weft/core/error.h"
#include "weft/data/subwords/tokenizer_document.h"
#include "weft/data/subwords/word_rules.h"

namespace weft::data {
namespace {

// Regular expressions, whose matches become pieces one expression after the other, or nodes:
constexpr std::string_view kByteLevelWords = "<ByteLevel>";  // GPT-2's expression
constexpr std::string_view kEachDigit = "<Digits>";          // each by itself
constexpr std::string_view kPunctuationRuns = "<Punctuation>";

const std::string_view kGpt4Pattern = word_rule_patterns()[1];
const std::string_view kQwen2Pattern = word_rule_patterns()[2];
const std::string_view kQwen35Pattern = word_rule_patterns()[3];

constexpr std::string_view kO200k =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kTekken =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kDeepseek3 =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)"
    R"(| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
// Letters of the alphabets that have cases.
constexpr std::string_view kCasedLetters =
    R"(\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ)"
    R"(-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-)"
    R"(ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮ)"
    R"(ⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+)";

struct Rule {
  std::vector<std::string_view> names;
  std::vector<std::string_view> splits;
  bool ignore_merges = false;
  bool add_bos = false;
  bool is_nfc = false;
};

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = {
      {{"gpt-2", "phi-2", "jina-es", "jina-de", "jina-v1-en", "jina-v2-es", "jina-v2-de",
        "jina-v2-code", "roberta-bpe", "modern-bert", "gigachat", "a.x-4.0", "mellum", "exaone4",
        "mpt", "olmo", "jais", "trillion", "granite-docling"},
       {kByteLevelWords}},
      {{"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b",
        "mellum2"},
       {kEachDigit, kByteLevelWords}},
      {{"llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2",
        "jina-v5-nano"},
       {kGpt4Pattern},
       true,
       true},
      {{"glm4", "glm5"}, {kGpt4Pattern}, true},
      {{"dbrx", "smaug-bpe", "chatglm-bpe"}, {kGpt4Pattern}},
      {{"qwen2", "deepseek-r1-qwen", "megrez"}, {kQwen2Pattern}, false, false, true},
      {{"stablelm2", "hunyuan", "solar-open", "grok-2"}, {kQwen2Pattern}},
      {{"qwen35"}, {kQwen35Pattern}},
      {{"gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"}, {kO200k}},
      {{"tekken"}, {kTekken}, true, true},
      {{"falcon"}, {kPunctuationRuns, kByteLevelWords, R"([0-9][0-9][0-9])"}},
      {{"deepseek-llm"},
       {R"([\r\n])", kCasedLetters, R"(\s?[!-/:-~！-／：-～‘-‟　-。]+)", R"(\s+$)",
        R"([一-龥ࠀ-一가-퟿]+)", kEachDigit}},
      {{"deepseek-coder"},
       {R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)", R"([一-龥ࠀ-一가-퟿]+)", kEachDigit}},
      {{"deepseek-v3", "hunyuan-dense", "joyai-llm"},
       {R"(\p{N}{1,3})", R"([一-龥぀-ゟ゠-ヿ]+)", kDeepseek3}},
      {{"bloom", "poro-chat", "gpt3-finnish"}, {R"( ?[^(\s|.,!?…。，、।۔،)]+)"}},
      {{"viking"}, {R"( ?[^(\s|.,!?…。，、।۔،)]+)", kEachDigit}},
      // What llama.cpp does for files that name none.
      {{"default"},
       {R"([\p{P}\$\+<=>\^~\|]+)", kByteLevelWords, R"(\p{N}+)", R"([0-9][0-9][0-9])"}},
  };
  return all;
}

DocumentJson byte_level(bool use_regex) {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", false},
          {"trim_offsets", true},
          {"use_regex", use_regex}};
}

DocumentJson node_of(std::string_view split) {
  if (split == kEachDigit) return {{"type", "Digits"}, {"individual_digits", true}};
  if (split == kPunctuationRuns) return {{"type", "Punctuation"}, {"behavior", "Contiguous"}};
  const std::string_view pattern = split == kByteLevelWords ? kGpt2Pattern : split;
  return {{"type", "Split"},
          {"pattern", {{"Regex", pattern}}},
          {"behavior", "Isolated"},
          {"invert", false}};
}

DocumentJson sequence_of(const Rule& rule) {
  DocumentJson nodes = DocumentJson::array();
  for (const std::string_view split : rule.splits) nodes.push_back(node_of(split));
  nodes.push_back(byte_level(false));
  return {{"type", "Sequence"}, {"pretokenizers", std::move(nodes)}};
}

// Adds what node_of() made a node of; false for another node.
bool add_splits(const DocumentJson& node, std::vector<std::string>& out) {
  const std::string type = node.value("type", "");
  if (type == "Sequence") {
    return std::ranges::all_of(node.at("pretokenizers"),
                               [&](const DocumentJson& each) { return add_splits(each, out); });
  }
  if (type == "ByteLevel") {
    if (node.value("add_prefix_space", true)) return false;
    if (node.value("use_regex", true)) out.emplace_back(kByteLevelWords);
    return true;
  }
  for (const std::string_view split : {kEachDigit, kPunctuationRuns}) {
    if (node != node_of(split)) continue;
    out.emplace_back(split);
    return true;
  }
  if (type != "Split" || !node.at("pattern").contains("Regex")) return false;
  const auto pattern = node.at("pattern").at("Regex").get<std::string>();
  out.push_back(pattern == kGpt2Pattern ? std::string(kByteLevelWords) : pattern);
  return node == node_of(out.back());
}

}  // namespace

std::string_view gguf_words_name(const GgufWords& words) {
  std::vector<std::string> splits;
  const bool is_nfc = words.normalizer.is_object() && words.normalizer.value("type", "") == "NFC";
  if (!words.normalizer.is_null() && !is_nfc) return {};
  if (!words.pre_tokenizer.is_object() || !add_splits(words.pre_tokenizer, splits)) return {};
  for (const Rule& rule : rules()) {
    if (std::ranges::equal(rule.splits, splits) && rule.is_nfc == is_nfc &&
        rule.ignore_merges == words.ignore_merges) {
      return rule.names.front();
    }
  }
  return {};
}

GgufWords gguf_words(std::string_view name, std::string_view where) {
  for (const Rule& rule : rules()) {
    if (std::ranges::find(rule.names, name) == rule.names.end()) continue;
    return {.pre_tokenizer = sequence_of(rule),
            .normalizer = rule.is_nfc ? DocumentJson{{"type", "NFC"}} : DocumentJson(),
            .ignore_merges = rule.ignore_merges,
            .add_bos = rule.add_bos};
  }
  fail<FormatError>(where, "tokenizer.ggml.pre is {}, a pre-tokeniser that is not supported",
                    quote(name));
}

}  // namespace weft::data
