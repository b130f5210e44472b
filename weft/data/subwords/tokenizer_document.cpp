#include "weft/data/subwords/tokenizer_document.h"

#include <limits>
#include <unordered_map>

#include "weft/core/error.h"
#include "weft/core/text/utf8.h"

namespace weft::data {
namespace {

constexpr size_t kMaxDepth = 32;
constexpr size_t kMaxMembers = 1000;  // of an object other than the vocabulary

struct MergeText {
  std::string left, right;
};

// Takes the events of the parser: the vocabulary and the merges into lists, all else into `nodes`.
class DocumentReader : public nlohmann::json_sax<DocumentJson> {
 public:
  DocumentReader(std::string_view where, TokenizerDocument& out) : where_(where), out_(out) {}

  bool null() override { return value(nullptr); }
  bool boolean(bool x) override { return value(x); }
  bool number_integer(number_integer_t x) override { return value(x); }
  bool number_unsigned(number_unsigned_t x) override {
    if (mode_ == Mode::kVocabulary && depth_in_list_ == 1 && is_object_) return token_id(x);
    if (mode_ == Mode::kVocabulary && depth_in_list_ == 2) return score(static_cast<double>(x));
    return value(x);
  }
  bool number_float(number_float_t x, const string_t&) override {
    if (mode_ == Mode::kVocabulary && depth_in_list_ == 2) return score(x);
    return value(x);
  }
  bool string(string_t& text) override;
  bool binary(binary_t&) override { return true; }
  bool key(string_t& name) override;
  bool start_object(std::size_t) override { return open(DocumentJson::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(DocumentJson::array()); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const DocumentJson::exception& error) override {
    std::string_view reason = error.what();
    const size_t bracket = reason.find("] ");
    fail<FormatError>(where_, "is no JSON: {}",
                      bracket == reason.npos ? reason : reason.substr(bracket + 2));
  }

  void finish();

 private:
  enum class Mode { kNodes, kVocabulary, kMerges };

  bool value(DocumentJson x);
  bool open(DocumentJson container);
  bool close();
  bool token_id(uint64_t id);
  bool score(double x);
  DocumentJson* put(DocumentJson x);
  [[noreturn]] void refuse_entry() const {
    fail<FormatError>(where_, "model.{} has an entry of another kind",
                      mode_ == Mode::kMerges ? "merges" : "vocab");
  }

  std::string_view where_;
  TokenizerDocument& out_;
  std::vector<DocumentJson*> open_;  // the containers around the next value
  std::string name_;                 // of the next value, in an object
  std::vector<std::string> path_;
  Mode mode_ = Mode::kNodes;
  size_t depth_in_list_ = 0;  // 1: in the vocabulary or the list of merges; 2: in an entry
  bool is_object_ = false;    // the vocabulary is one
  std::vector<std::string> entry_;
  std::vector<MergeText> merges_;
  bool has_merges_ = false;  // a list of them, which may be empty
};

DocumentJson* DocumentReader::put(DocumentJson x) {
  if (open_.empty()) {
    out_.nodes = std::move(x);
    return &out_.nodes;
  }
  DocumentJson& parent = *open_.back();
  if (parent.is_array()) {
    parent.push_back(std::move(x));
    return &parent.back();
  }
  if (parent.size() >= kMaxMembers) {
    fail<FormatError>(where_, "an object with over {} members", kMaxMembers);
  }
  if (parent.contains(name_)) fail<FormatError>(where_, "duplicate key {}", quote(name_));
  return &(parent[name_] = std::move(x));
}

bool DocumentReader::value(DocumentJson x) {
  if (mode_ != Mode::kNodes) refuse_entry();
  put(std::move(x));
  return true;
}

bool DocumentReader::key(string_t& name) {
  name_ = std::move(name);
  return true;
}

bool DocumentReader::string(string_t& text) {
  if (mode_ == Mode::kNodes) return value(std::move(text));
  if (mode_ == Mode::kMerges && depth_in_list_ == 1) {
    const size_t space = text.find(' ');
    if (space == text.npos || text.find(' ', space + 1) != text.npos) {
      fail<FormatError>(where_, "model.merges has {}; expected two tokens and a space",
                        quote(text));
    }
    merges_.push_back({text.substr(0, space), text.substr(space + 1)});
    return true;
  }
  if (depth_in_list_ != 2 || entry_.size() == 2) refuse_entry();
  entry_.push_back(std::move(text));
  return true;
}

bool DocumentReader::open(DocumentJson container) {
  if (mode_ != Mode::kNodes) {
    if (++depth_in_list_ > 2 || !container.is_array() || is_object_) refuse_entry();
    entry_.clear();
    return true;
  }
  const bool in_model = path_.size() == 2 && path_[1] == "model";
  if (in_model && (name_ == "vocab" || name_ == "merges")) {
    mode_ = name_ == "vocab" ? Mode::kVocabulary : Mode::kMerges;
    is_object_ = container.is_object();
    if (mode_ == Mode::kMerges && is_object_) refuse_entry();
    if (mode_ == Mode::kMerges) has_merges_ = true;
    depth_in_list_ = 1;
    return true;
  }
  if (open_.size() == kMaxDepth) fail<FormatError>(where_, "has over {} levels", kMaxDepth);
  path_.push_back(name_);
  open_.push_back(put(std::move(container)));
  return true;
}

bool DocumentReader::close() {
  if (mode_ == Mode::kNodes) {
    open_.pop_back();
    path_.pop_back();
    return true;
  }
  if (--depth_in_list_ == 0) {
    mode_ = Mode::kNodes;
    is_object_ = false;
  } else if (mode_ == Mode::kMerges) {
    if (entry_.size() != 2) refuse_entry();
    merges_.push_back({std::move(entry_[0]), std::move(entry_[1])});
  } else if (!entry_.empty()) {
    refuse_entry();  // a token without score
  }
  return true;
}

bool DocumentReader::token_id(uint64_t id) {
  if (id >= static_cast<uint64_t>(kMaxTokens)) {
    fail<FormatError>(where_, "token {} has the id {}; expected less than {}", quote(name_), id,
                      kMaxTokens);
  }
  out_.tokens.push_back({std::move(name_), static_cast<int32_t>(id), 0});
  return true;
}

bool DocumentReader::score(double x) {
  if (entry_.size() != 1 || std::ssize(out_.tokens) == kMaxTokens) refuse_entry();
  const auto id = static_cast<int32_t>(out_.tokens.size());
  out_.tokens.push_back({std::move(entry_[0]), id, x});
  entry_.clear();
  return true;
}

void DocumentReader::finish() {
  const DocumentJson& model = out_.nodes.at("model");
  if (!has_merges_ && model.contains("type") && model["type"] == "BPE") {
    fail<FormatError>(where_, "model.merges is missing; expected a list, which may be empty");
  }
  if (merges_.empty()) return;
  std::unordered_map<std::string_view, int32_t> ids;
  ids.reserve(out_.tokens.size());
  for (const ModelToken& token : out_.tokens) ids.emplace(token.text, token.id);
  const auto id_of = [&](const std::string& text) {
    const auto found = ids.find(text);
    if (found == ids.end()) {
      fail<FormatError>(where_, "model.merges has {}, which is not in model.vocab", quote(text));
    }
    return found->second;
  };
  out_.merges.reserve(merges_.size());
  for (const auto& [left, right] : merges_) out_.merges.emplace_back(id_of(left), id_of(right));
}

std::string json_text(const DocumentJson& value) {
  return value.dump(-1, ' ', false, DocumentJson::error_handler_t::replace);
}

std::string vocabulary_text(const TokenizerDocument& document, bool has_scores) {
  std::string out(1, has_scores ? '[' : '{');
  for (const ModelToken& token : document.tokens) {
    if (out.size() > 1) out += ',';
    if (has_scores) {
      out += json_text(DocumentJson::array({token.text, token.score}));
    } else {
      out += json_text(token.text) + ':' + std::to_string(token.id);
    }
  }
  return out += has_scores ? ']' : '}';
}

std::string merges_text(const TokenizerDocument& document) {
  std::unordered_map<int32_t, std::string> texts;
  texts.reserve(document.tokens.size());
  for (const ModelToken& token : document.tokens) texts.emplace(token.id, json_text(token.text));
  std::string out = "[";
  for (const auto& [left, right] : document.merges) {
    if (out.size() > 1) out += ',';
    out += '[' + texts.at(left) + ',' + texts.at(right) + ']';
  }
  return out += ']';
}

}  // namespace

TokenizerDocument parse_tokenizer_json(std::string_view text, std::string_view where) {
  TokenizerDocument out;
  DocumentReader reader(where, out);
  DocumentJson::sax_parse(text, &reader);
  const auto model = out.nodes.is_object() ? out.nodes.find("model") : out.nodes.end();
  if (!out.nodes.is_object() || model == out.nodes.end() || !model->is_object()) {
    fail<FormatError>(where, "is no tokenizer.json; expected an object with a model");
  }
  reader.finish();
  return out;
}

std::string tokenizer_json(const TokenizerDocument& document) {
  const DocumentJson& model = document.nodes.at("model");
  const bool has_scores = model.value("type", "") == "Unigram";
  std::string out = "{";
  for (const auto& [name, value] : document.nodes.items()) {
    if (out.size() > 1) out += ',';
    out += json_text(name) + ':' + (name == "model" ? "" : json_text(value));
    if (name != "model") continue;
    std::string text = json_text(model);
    text.pop_back();
    if (!model.empty()) text += ',';
    out += text + "\"vocab\":" + vocabulary_text(document, has_scores);
    if (model.value("type", "") == "BPE") out += ",\"merges\":" + merges_text(document);
    out += '}';
  }
  return out += '}';
}

bool is_tokenizer_json(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != text.npos && text[begin] == '{';
}

}  // namespace weft::data
