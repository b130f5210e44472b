#include "weft/data/subwords/gguf_fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "weft/core/error.h"
#include "weft/data/subwords/gguf_words.h"
#include "weft/data/subwords/score_merges.h"
#include "weft/data/subwords/special_tokens.h"

namespace weft::data {
namespace {

constexpr const char* kGgufExport = "--to-gguf";
constexpr std::string_view kSpaceOfGguf = "\xE2\x96\x81";  // U+2581

// The numbers of token_type.
constexpr int kNormalToken = 1, kUnknownToken = 2, kControlToken = 3, kUserToken = 4,
              kUnusedToken = 5, kByteToken = 6;

bool is_node(const DocumentJson& node, std::string_view type) {
  return node.is_object() && node.value("type", "") == type;
}

bool is_on(const DocumentJson& node, const char* flag) {
  const auto found = node.find(flag);
  return found != node.end() && *found == true;
}

// The nodes of a sequence, or the one node; null: none.
std::vector<DocumentJson> nodes_in(const DocumentJson& node, const char* list) {
  if (node.is_null()) return {};
  if (!is_node(node, "Sequence")) return {node};
  return {node.at(list).begin(), node.at(list).end()};
}

class GgufFieldBuilder {
 public:
  GgufFieldBuilder(const TokenizerDocument& document, const TokenRoles& roles)
      : document_(document), roles_(roles), model_(document.nodes.at("model")) {}

  DocumentJson build();

 private:
  DocumentJson node(const char* name) const { return document_.nodes.value(name, DocumentJson()); }
  void set(const std::string& name, DocumentJson value) {
    out_["tokenizer.ggml." + name] = std::move(value);
  }
  void set_id(const std::string& name, int64_t id) { set(name, static_cast<uint64_t>(id)); }
  void list_tokens();
  void type_added_tokens();
  void add_byte_level();
  void add_space_model();
  std::optional<bool> adds_space() const;
  std::vector<double> scores() const;
  void add_word_pieces();
  void add_word_piece_roles();
  void add_roles();
  void add_role(const std::string& field, const std::string& token);

  const TokenizerDocument& document_;
  const TokenRoles& roles_;
  const DocumentJson& model_;
  DocumentJson out_ = DocumentJson::object();
  std::vector<std::string> texts_;  // by id
  std::vector<int> types_;
};

// The text of an id that no token has.
std::string unused_text(size_t id) { return fmt::format("[PAD{}]", id); }

void GgufFieldBuilder::list_tokens() {
  const auto size = static_cast<size_t>(roles_.size);
  texts_.resize(size);
  types_.assign(size, kUnusedToken);
  for (const ModelToken& token : document_.tokens) {
    const auto id = static_cast<size_t>(token.id);
    texts_.at(id) = token.text;
    // Read from GGUF, unused tokens are tokens like others.
    types_[id] = token.text == unused_text(id) ? kUnusedToken : kNormalToken;
  }
  type_added_tokens();
  for (size_t i = 0; i < size; ++i) {
    if (types_[i] == kUnusedToken) texts_[i] = unused_text(i);
  }
}

void GgufFieldBuilder::type_added_tokens() {
  for (const DocumentJson& token : node("added_tokens")) {
    const auto text = token.at("content").get<std::string>();
    for (const char* flag : {"single_word", "lstrip", "rstrip"}) {
      if (!is_on(token, flag)) continue;
      fail<OptionError>(kGgufExport, "token {} has {}, which GGUF does not have", quote(text),
                        flag);
    }
    const auto id = token.at("id").get<size_t>();
    texts_.at(id) = text;
    types_[id] = is_on(token, "special") ? kControlToken : kUserToken;
  }
}

void GgufFieldBuilder::add_byte_level() {
  const std::string_view name = gguf_words_name({.pre_tokenizer = node("pre_tokenizer"),
                                                 .normalizer = node("normalizer"),
                                                 .ignore_merges = is_on(model_, "ignore_merges")});
  if (name.empty()) {
    fail<OptionError>(kGgufExport, "the tokeniser's normaliser and pre-tokeniser are none of GGUF");
  }
  set("model", "gpt2");
  set("pre", name);
  set("tokens", texts_);
  set("token_type", types_);
  std::unordered_map<int32_t, std::string_view> text_of;
  text_of.reserve(document_.tokens.size());
  for (const ModelToken& token : document_.tokens) text_of.emplace(token.id, token.text);
  DocumentJson merges = DocumentJson::array();
  for (const auto& [left, right] : document_.merges) {
    merges.push_back(fmt::format("{} {}", text_of.at(left), text_of.at(right)));
  }
  set("merges", std::move(merges));
}

// Whether a visible space is put before a text; nullopt where the nodes are not those of
// SentencePiece.
std::optional<bool> GgufFieldBuilder::adds_space() const {
  bool adds = false, replaces = false;
  for (const DocumentJson& step : nodes_in(node("normalizer"), "normalizers")) {
    if (is_node(step, "Prepend") && step.at("prepend") == kSpaceOfGguf) {
      adds = true;
    } else if (is_node(step, "Replace") && step.at("content") == kSpaceOfGguf &&
               step.at("pattern") == DocumentJson{{"String", " "}}) {
      replaces = true;
    } else {
      return {};
    }
  }
  for (const DocumentJson& step : nodes_in(node("pre_tokenizer"), "pretokenizers")) {
    // Gemma's: no text has a space any more.
    const bool is_idle =
        replaces && is_node(step, "Split") && step.at("pattern") == DocumentJson{{"String", " "}};
    if (is_idle) continue;
    if (!is_node(step, "Metaspace") || step.value("split", true)) return {};
    adds = step.value("prepend_scheme", "always") != "never";
    replaces = true;
  }
  return replaces ? std::optional(adds) : std::nullopt;
}

std::vector<double> GgufFieldBuilder::scores() const {
  const auto found = scores_of_merges(document_);
  if (!found) fail<OptionError>(kGgufExport, "the merges are none of a SentencePiece model");
  std::vector<double> out(texts_.size(), -static_cast<double>(texts_.size()));
  for (size_t i = 0; i < found->size(); ++i) {
    out[static_cast<size_t>(document_.tokens[i].id)] = (*found)[i];
  }
  return out;
}

void GgufFieldBuilder::add_space_model() {
  const std::optional<bool> adds = adds_space();
  if (!adds) fail<OptionError>(kGgufExport, "the tokeniser's nodes are none of GGUF");
  const auto unknown = model_.value("unk_token", DocumentJson());
  for (size_t i = 0; i < texts_.size(); ++i) {
    if (types_[i] == kUnusedToken) continue;
    const bool is_byte = texts_[i].size() == 6 && texts_[i].starts_with("<0x");
    if (is_byte) types_[i] = kByteToken;
    if (unknown == texts_[i]) types_[i] = kUnknownToken;
  }
  set("model", "llama");
  set("pre", "default");
  set("tokens", texts_);
  set("scores", scores());
  set("token_type", types_);
  set("add_space_prefix", *adds);
  if (unknown.is_string()) add_role("unknown", unknown.get<std::string>());
}

// Pieces that begin words have a visible space there, the others no "##".
void GgufFieldBuilder::add_word_pieces() {
  constexpr std::string_view kContinues = "##";
  const DocumentJson rules = node("normalizer");
  const bool is_bert = is_node(rules, "BertNormalizer") && is_on(rules, "clean_text") &&
                       is_on(rules, "handle_chinese_chars") &&
                       is_node(node("pre_tokenizer"), "BertPreTokenizer") &&
                       model_.value("continuing_subword_prefix", kContinues) == kContinues;
  if (!is_bert) {
    fail<OptionError>(kGgufExport, "the tokeniser's nodes are not BERT's, as those of GGUF");
  }
  constexpr int kMaxWord = 100;
  if (const int given = model_.value("max_input_chars_per_word", kMaxWord); given != kMaxWord) {
    fail<OptionError>(kGgufExport, "the tokeniser has words of at most {} characters; expected {}",
                      given, kMaxWord);
  }
  for (const DocumentJson& token : node("added_tokens")) {
    if (!is_on(token, "normalized")) continue;
    fail<OptionError>(kGgufExport, "token {} is found in normalised text, which GGUF does not have",
                      quote(token.at("content").get<std::string>()));
  }
  const auto unknown = model_.value("unk_token", DocumentJson());
  std::vector<std::string> texts = texts_;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (unknown == texts[i]) types_[i] = kUnknownToken;
    if (types_[i] != kNormalToken) continue;
    const bool continues = texts[i].starts_with(kContinues);
    if (continues) texts[i].erase(0, kContinues.size());
    if (continues && texts[i].starts_with(kSpaceOfGguf)) {
      fail<OptionError>(kGgufExport, "piece {} would begin a word in GGUF", quote(texts[i]));
    }
    if (!continues) texts[i].insert(0, kSpaceOfGguf);
  }
  const bool lowercase = is_on(rules, "lowercase");
  const auto strips = rules.find("strip_accents");
  set("model", "bert");
  set("tokens", texts);
  set("token_type", types_);
  set("normalizer.lowercase", lowercase);
  set("normalizer.strip_accents",
      strips == rules.end() || strips->is_null() ? lowercase : *strips == true);
  if (unknown.is_string()) add_role("unknown", unknown.get<std::string>());
  add_word_piece_roles();
}

void GgufFieldBuilder::add_word_piece_roles() {
  for (const char* name : {"bos_token_id", "cls_token_id"}) set_id(name, roles_.begin_id);
  for (const char* name : {"eos_token_id", "seperator_token_id"}) {  // as GGUF spells it
    set_id(name, roles_.end_ids.front());
  }
  const SpecialTokens special = special_tokens_of(document_, kGgufExport);
  add_role("padding", special.padding);
  add_role("mask", special.mask);
  if (roles_.token_types > 0) set_id("token_type_count", roles_.token_types);
}

void GgufFieldBuilder::add_role(const std::string& field, const std::string& token) {
  if (token.empty()) return;
  const auto id = std::ranges::find(texts_, token) - texts_.begin();
  if (id < std::ssize(texts_)) set_id(field + "_token_id", id);
}

void GgufFieldBuilder::add_roles() {
  constexpr const char* kEnds[] = {"eos_token_id", "eot_token_id", "eom_token_id"};
  if (roles_.end_ids.size() > std::size(kEnds)) {
    fail<OptionError>(kGgufExport, "the model has {} end symbols; GGUF has {}",
                      roles_.end_ids.size(), std::size(kEnds));
  }
  set_id("bos_token_id", roles_.begin_id);
  for (size_t i = 0; i < roles_.end_ids.size(); ++i) set_id(kEnds[i], roles_.end_ids[i]);
  const SpecialTokens special = special_tokens_of(document_, kGgufExport);
  add_role("padding", special.padding);
  add_role("mask", special.mask);
  set("add_bos_token", roles_.adds_begin);
  set("add_eos_token", false);
}

DocumentJson GgufFieldBuilder::build() {
  const std::string_view expected = roles_.is_encoder ? "WordPiece" : "BPE";
  if (!is_node(model_, expected)) {
    fail<OptionError>(kGgufExport, "a tokeniser of the model {}; expected {}",
                      quote(model_.value("type", "")), expected);
  }
  list_tokens();
  if (roles_.is_encoder) {
    add_word_pieces();
    return std::move(out_);
  }
  if (is_on(model_, "byte_fallback")) {
    add_space_model();
  } else {
    add_byte_level();
  }
  add_roles();
  return std::move(out_);
}

}  // namespace

nlohmann::ordered_json gguf_tokeniser_fields(const TokenizerDocument& document,
                                             const TokenRoles& roles) {
  return GgufFieldBuilder(document, roles).build();
}

}  // namespace weft::data
