// Tokenisers of GGUF files, as the nodes of a tokenizer.json.
#include <algorithm>
#include <set>

#include "weft/core/error.h"
#include "weft/core/text/utf8.h"
#include "weft/data/subwords/added_tokens.h"
#include "weft/data/subwords/gguf_words.h"
#include "weft/data/subwords/models/token_table.h"
#include "weft/data/subwords/score_merges.h"
#include "weft/data/subwords/subword_tokeniser.h"

namespace weft::data {
namespace {

constexpr std::string_view kGgufPrefix = "tokenizer.ggml.";
constexpr std::string_view kVisibleSpace = "\xE2\x96\x81";  // U+2581

enum class GgufTokenType { kNormal = 1, kUnknown, kControl, kUserDefined, kUnused, kByte };

// The fields `tokenizer.ggml.*`. Each field is consumed or refused.
class GgufFields {
 public:
  GgufFields(const DocumentJson& metadata, std::string_view where)
      : metadata_(metadata), where_(where) {}

  const DocumentJson* find(std::string_view name) {
    const std::string key = std::string(kGgufPrefix) + std::string(name);
    consumed_.insert(key);
    const auto found = metadata_.find(key);
    return found == metadata_.end() ? nullptr : &*found;
  }
  std::string text(std::string_view name, std::string_view missing) {
    const DocumentJson* found = find(name);
    if (found == nullptr) return std::string(missing);
    if (!found->is_string()) refuse(name, "a string");
    return found->get<std::string>();
  }
  bool flag(std::string_view name, bool missing) {
    const DocumentJson* found = find(name);
    if (found == nullptr) return missing;
    if (!found->is_boolean()) refuse(name, "true or false");
    return found->get<bool>();
  }
  // A list, which must have `size` entries unless that is 0.
  const DocumentJson& list(std::string_view name, size_t size = 0) {
    const DocumentJson* found = find(name);
    if (found == nullptr || !found->is_array() || found->empty()) refuse(name, "a list");
    if (size > 0 && found->size() != size) {
      fail<FormatError>(where_, "{}{} has {} entries; expected {}", kGgufPrefix, name,
                        found->size(), size);
    }
    return *found;
  }
  // The text of the token with the id that a field says; empty without the field.
  std::string token(std::string_view name, const std::vector<ModelToken>& tokens) {
    const DocumentJson* found = find(name);
    if (found == nullptr) return {};
    if (!found->is_number_unsigned() || found->get<uint64_t>() >= tokens.size()) {
      refuse(name, "the id of a token");
    }
    return tokens[found->get<size_t>()].text;
  }

  void finish() const {
    for (const auto& [key, value] : metadata_.items()) {
      if (key.starts_with(kGgufPrefix) && !consumed_.contains(key)) {
        fail<FormatError>(where_, "{} is not supported", quote(key));
      }
    }
  }
  [[noreturn]] void refuse(std::string_view name, std::string_view expected) const {
    fail<FormatError>(where_, "{}{} is missing or of another kind; expected {}", kGgufPrefix, name,
                      expected);
  }
  std::string_view where() const { return where_; }

 private:
  const DocumentJson& metadata_;
  std::string_view where_;
  std::set<std::string, std::less<>> consumed_;
};

class GgufBuilder {
 public:
  GgufBuilder(const DocumentJson& metadata, std::string_view where) : fields_(metadata, where) {}

  TokenizerDocument build();

 private:
  void read_tokens();
  void read_scores();
  void read_merges();
  void build_byte_level();
  void build_sentencepiece();
  void build_space_bpe();
  void build_word_piece();
  void build_unigram();
  void add_tokens();
  void add_special(bool add_begin, bool add_end, bool is_bert);
  GgufTokenType type_of(size_t id) const;
  static DocumentJson replace(std::string_view from, std::string_view to,
                              const char* kind = "String") {
    return {{"type", "Replace"}, {"pattern", {{kind, from}}}, {"content", to}};
  }
  static DocumentJson sequence(const char* name, DocumentJson nodes) {
    return {{"type", "Sequence"}, {name, std::move(nodes)}};
  }
  static DocumentJson space_decoder(bool strips);

  GgufFields fields_;
  TokenizerDocument out_;
  std::vector<int> types_;
  std::string unknown_;
};

GgufTokenType GgufBuilder::type_of(size_t id) const {
  return id < types_.size() ? static_cast<GgufTokenType>(types_[id]) : GgufTokenType::kNormal;
}

void GgufBuilder::read_tokens() {
  const DocumentJson& tokens = fields_.list("tokens");
  if (std::ssize(tokens) > kMaxTokens) fields_.refuse("tokens", "fewer tokens");
  out_.tokens.reserve(tokens.size());
  for (const DocumentJson& token : tokens) {
    if (!token.is_string()) fields_.refuse("tokens", "a list of strings");
    const auto& text = token.get_ref<const std::string&>();
    out_.tokens.push_back({repair_utf8(text), static_cast<int32_t>(out_.tokens.size()), 0});
  }
  if (fields_.find("token_type") != nullptr) {
    for (const DocumentJson& type : fields_.list("token_type", tokens.size())) {
      if (!type.is_number_integer()) fields_.refuse("token_type", "a list of numbers");
      types_.push_back(type.get<int>());
    }
  }
  unknown_ = fields_.token("unknown_token_id", out_.tokens);
  for (size_t i = 0; i < types_.size() && unknown_.empty(); ++i) {
    if (type_of(i) == GgufTokenType::kUnknown) unknown_ = out_.tokens[i].text;
  }
}

void GgufBuilder::read_scores() {
  const DocumentJson& scores = fields_.list("scores", out_.tokens.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    if (!scores[i].is_number()) fields_.refuse("scores", "a list of numbers");
    out_.tokens[i].score = scores[i].get<double>();
  }
}

void GgufBuilder::read_merges() {
  TokenTable ids(out_.tokens.size());
  for (const ModelToken& token : out_.tokens) ids.add(token.text, token.id);
  const DocumentJson& merges = fields_.list("merges");
  out_.merges.reserve(merges.size());
  for (const DocumentJson& merge : merges) {
    if (!merge.is_string()) fields_.refuse("merges", "a list of strings");
    const std::string_view text = merge.get_ref<const std::string&>();
    const size_t space = text.find(' ', 1);
    const int32_t left = ids.find(text.substr(0, space));
    const int32_t right = space == text.npos ? -1 : ids.find(text.substr(space + 1));
    if (left < 0 || right < 0) {
      fail<FormatError>(fields_.where(), "{}merges has {}; expected two tokens and a space",
                        kGgufPrefix, quote(text));
    }
    out_.merges.emplace_back(left, right);
  }
}

void GgufBuilder::build_byte_level() {
  GgufWords words = gguf_words(fields_.text("pre", "default"), fields_.where());
  (void)fields_.find("add_space_prefix");  // of SentencePiece only
  (void)fields_.find("scores");
  read_merges();
  out_.nodes["normalizer"] = std::move(words.normalizer);
  out_.nodes["pre_tokenizer"] = std::move(words.pre_tokenizer);
  out_.nodes["decoder"] = {{"type", "ByteLevel"},
                           {"add_prefix_space", false},
                           {"trim_offsets", true},
                           {"use_regex", true}};
  out_.nodes["model"] = {{"type", "BPE"}, {"ignore_merges", words.ignore_merges}};
  add_special(fields_.flag("add_bos_token", words.add_bos), fields_.flag("add_eos_token", false),
              false);
}

DocumentJson GgufBuilder::space_decoder(bool strips) {
  DocumentJson steps = DocumentJson::array(
      {replace(kVisibleSpace, " "), {{"type", "ByteFallback"}}, {{"type", "Fuse"}}});
  if (strips) {
    steps.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  }
  return sequence("decoders", std::move(steps));
}

void GgufBuilder::build_sentencepiece() {
  read_scores();
  out_.merges = merges_by_score(out_.tokens);
  (void)fields_.find("pre");
  const bool has_prefix = fields_.flag("add_space_prefix", true);
  if (fields_.flag("remove_extra_whitespaces", false)) {
    fields_.refuse("remove_extra_whitespaces", "false");
  }
  DocumentJson normalizers = DocumentJson::array();
  if (has_prefix) normalizers.push_back({{"type", "Prepend"}, {"prepend", kVisibleSpace}});
  normalizers.push_back(replace(" ", kVisibleSpace));
  out_.nodes["normalizer"] = sequence("normalizers", std::move(normalizers));
  out_.nodes["decoder"] = space_decoder(has_prefix);
  out_.nodes["model"] = {{"type", "BPE"}, {"fuse_unk", true}, {"byte_fallback", true}};
  if (!unknown_.empty()) out_.nodes["model"]["unk_token"] = unknown_;
  add_special(fields_.flag("add_bos_token", true), fields_.flag("add_eos_token", false), false);
}

// Merges over text with visible spaces, as Gemma's.
void GgufBuilder::build_space_bpe() {
  read_merges();
  (void)fields_.find("scores");
  (void)fields_.find("pre");
  if (fields_.flag("add_space_prefix", false)) fields_.refuse("add_space_prefix", "false");
  out_.nodes["normalizer"] = replace(" ", kVisibleSpace);
  out_.nodes["pre_tokenizer"] = {{"type", "Split"},
                                 {"pattern", {{"Regex", R"([^\n]+|[\n]+)"}}},
                                 {"behavior", "Isolated"},
                                 {"invert", false}};
  out_.nodes["decoder"] = space_decoder(false);
  out_.nodes["model"] = {{"type", "BPE"}, {"fuse_unk", true}, {"byte_fallback", true}};
  if (!unknown_.empty()) out_.nodes["model"]["unk_token"] = unknown_;
  add_special(fields_.flag("add_bos_token", true), fields_.flag("add_eos_token", false), false);
}

// Tokens that begin words have a visible space, which they do not have in a tokenizer.json; the
// others have no "##".
void GgufBuilder::build_word_piece() {
  for (size_t i = 0; i < out_.tokens.size(); ++i) {
    std::string& text = out_.tokens[i].text;
    if (type_of(i) != GgufTokenType::kNormal) continue;
    if (text.starts_with(kVisibleSpace)) {
      text.erase(0, kVisibleSpace.size());
    } else {
      text.insert(0, "##");
    }
  }
  (void)fields_.find("pre");
  (void)fields_.find("scores");
  const bool lowercase = fields_.flag("normalizer.lowercase", true);
  out_.nodes["normalizer"] = {
      {"type", "BertNormalizer"},
      {"clean_text", true},
      {"handle_chinese_chars", true},
      {"strip_accents", fields_.flag("normalizer.strip_accents", lowercase)},
      {"lowercase", lowercase}};
  out_.nodes["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
  out_.nodes["decoder"] = {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}};
  out_.nodes["model"] = {{"type", "WordPiece"},
                         {"unk_token", unknown_},
                         {"continuing_subword_prefix", "##"},
                         {"max_input_chars_per_word", 100}};
  add_special(fields_.flag("add_bos_token", true), fields_.flag("add_eos_token", true), true);
}

void GgufBuilder::build_unigram() {
  read_scores();
  (void)fields_.find("pre");
  DocumentJson normalizers = DocumentJson::array();
  if (const DocumentJson* map = fields_.find("precompiled_charsmap");
      map != nullptr && !map->empty()) {
    constexpr std::string_view kBase64Digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string base64;
    uint32_t bits = 0;
    int count = 0;
    for (const DocumentJson& byte : *map) {
      if (!byte.is_number_integer()) fields_.refuse("precompiled_charsmap", "a list of bytes");
      bits = bits << 8 | static_cast<uint8_t>(byte.get<int>());
      for (count += 8; count >= 6; count -= 6) base64 += kBase64Digits[bits >> (count - 6) & 63];
    }
    if (count > 0) base64 += kBase64Digits[bits << (6 - count) & 63];
    normalizers.push_back({{"type", "Precompiled"}, {"precompiled_charsmap", base64}});
  }
  if (fields_.flag("remove_extra_whitespaces", true)) {
    normalizers.push_back(replace(" {2,}", " ", "Regex"));
  }
  if (!normalizers.empty()) {
    out_.nodes["normalizer"] = sequence("normalizers", std::move(normalizers));
  }
  const char* scheme = fields_.flag("add_space_prefix", true) ? "always" : "never";
  const DocumentJson metaspace = {{"type", "Metaspace"},
                                  {"replacement", kVisibleSpace},
                                  {"prepend_scheme", scheme},
                                  {"split", true}};
  out_.nodes["pre_tokenizer"] = metaspace;
  out_.nodes["decoder"] = metaspace;
  const auto id = std::ranges::find(out_.tokens, unknown_, &ModelToken::text);
  if (unknown_.empty()) fields_.refuse("unknown_token_id", "the id of a token");
  out_.nodes["model"] = {{"type", "Unigram"}, {"unk_id", id->id}, {"byte_fallback", false}};
  add_special(fields_.flag("add_bos_token", false), fields_.flag("add_eos_token", true), false);
}

// Control tokens are special, tokens of users are found in the text before all else.
void GgufBuilder::add_tokens() {
  DocumentJson added = DocumentJson::array();
  for (size_t i = 0; i < types_.size(); ++i) {
    const GgufTokenType type = type_of(i);
    const bool is_special = type == GgufTokenType::kControl || type == GgufTokenType::kUnknown;
    if (!is_special && type != GgufTokenType::kUserDefined) continue;
    added.push_back(node_of(
        {.id = static_cast<int32_t>(i), .text = out_.tokens[i].text, .special = is_special}));
  }
  out_.nodes["added_tokens"] = std::move(added);
}

void GgufBuilder::add_special(bool add_begin, bool add_end, bool is_bert) {
  SpecialTokens special;
  special.begin = fields_.token("bos_token_id", out_.tokens);
  const std::string first = fields_.token("cls_token_id", out_.tokens);  // an older name
  if (is_bert && special.begin.empty()) special.begin = first;
  if (is_bert && !first.empty() && first != special.begin) {
    fields_.refuse("cls_token_id", "the same id as bos_token_id");
  }
  for (const char* name : {"eos_token_id", "eot_token_id", "eom_token_id"}) {
    const std::string text = fields_.token(name, out_.tokens);
    if (!text.empty() && std::ranges::find(special.end, text) == special.end.end()) {
      special.end.push_back(text);
    }
  }
  const std::string separator = fields_.token("seperator_token_id", out_.tokens);
  if (is_bert || special.end.empty()) special.end.assign(separator.empty() ? 0 : 1, separator);
  special.padding = fields_.token("padding_token_id", out_.tokens);
  special.mask = fields_.token("mask_token_id", out_.tokens);
  for (const char* name : {"token_type_count", "add_sep_token"}) {
    (void)fields_.find(name);
  }
  set_special_tokens(out_, special);
  add_begin = add_begin && !special.begin.empty();
  add_end = add_end && !special.end.empty();
  if (!add_begin && !add_end) return;
  DocumentJson ids = DocumentJson::object();
  const auto part = [&](const std::string& text, int type) -> DocumentJson {
    const auto id = std::ranges::find(out_.tokens, text, &ModelToken::text)->id;
    ids[text] = {{"id", text}, {"ids", {id}}, {"tokens", {text}}};
    return {{"SpecialToken", {{"id", text}, {"type_id", type}}}};
  };
  const auto add_text = [&](const char* text, bool begins, int type, DocumentJson& parts) {
    if (begins) parts.push_back(part(special.begin, type));
    parts.push_back({{"Sequence", {{"id", text}, {"type_id", type}}}});
    if (add_end) parts.push_back(part(special.end.front(), type));
  };
  DocumentJson single = DocumentJson::array(), pair = DocumentJson::array();
  add_text("A", add_begin, 0, single);
  add_text("A", add_begin, 0, pair);
  add_text("B", add_begin && !is_bert, 1, pair);
  out_.nodes["post_processor"] = {{"type", "TemplateProcessing"},
                                  {"single", std::move(single)},
                                  {"pair", std::move(pair)},
                                  {"special_tokens", std::move(ids)}};
}

TokenizerDocument GgufBuilder::build() {
  out_.nodes = {{"version", "1.0"}, {"added_tokens", DocumentJson::array()}};
  read_tokens();
  const std::string model = fields_.text("model", "");
  if (model == "gpt2") {
    build_byte_level();
  } else if (model == "llama") {
    build_sentencepiece();
  } else if (model == "gemma4") {
    build_space_bpe();
  } else if (model == "bert") {
    build_word_piece();
  } else if (model == "t5") {
    build_unigram();
  } else {
    fail<FormatError>(fields_.where(), "{}model is {}; expected gpt2, llama, gemma4, bert or t5",
                      kGgufPrefix, quote(model));
  }
  add_tokens();
  fields_.finish();
  return std::move(out_);
}

}  // namespace

SubwordTokeniserPtr load_gguf_tokeniser(const nlohmann::ordered_json& metadata,
                                        std::string_view where) {
  return std::make_shared<SubwordTokeniser>(GgufBuilder(metadata, where).build(), where);
}

}  // namespace weft::data
