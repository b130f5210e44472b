#include "weft/model_file/hugging_face/encoders/word_pieces.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "weft/core/text/utf8.h"
#include "weft/data/subwords/added_tokens.h"

namespace weft::model_file {
namespace {

class WordPieceList {
 public:
  WordPieceList(const std::string& text, const std::string& path) : path_(path) {
    for (size_t from = 0; from < text.size();) {
      const size_t end = std::min(text.find('\n', from), text.size());
      std::string token = text.substr(from, end - from);
      if (token.ends_with('\r')) token.pop_back();
      if (!valid_utf8(token)) fail<FormatError>(path, "token {} is not UTF-8", tokens_.size());
      if (!ids_.try_emplace(token, std::ssize(tokens_)).second) {
        fail<FormatError>(path, "token {} is there twice", quote(token));
      }
      tokens_.push_back(std::move(token));
      from = end + 1;
    }
  }

  // The special token that a field names, a text or the object of an added token.
  std::pair<std::string, int64_t> special(Fields& settings, const char* field,
                                          const char* missing) const {
    const Json given = settings.take_or(field, missing);
    const Json token = given.is_object() ? given.value("content", Json()) : given;
    const auto found = token.is_string() ? ids_.find(token.get<std::string>()) : ids_.end();
    if (found == ids_.end()) {
      fail<FormatError>(path_, "no token {}; expected it, as the {}", short_text(token), field);
    }
    return *found;
  }

  // Of tokens and their ids. Not by name, which takes time for each token before it.
  Json vocabulary() const {
    Json out = Json::object();
    auto& members = out.get_ref<Json::object_t&>();
    for (size_t id = 0; id < tokens_.size(); ++id) members.emplace_back(tokens_[id], id);
    return out;
  }

 private:
  std::string path_;
  std::vector<std::string> tokens_;
  std::unordered_map<std::string, int64_t> ids_;
};

Json added_token(const std::pair<std::string, int64_t>& token) {
  return data::node_of(
      {.id = static_cast<int32_t>(token.second), .text = token.first, .special = true});
}

Json normaliser_node(Fields& settings) {
  settings.require("do_basic_tokenize", true);
  const Json accents = settings.take_or("strip_accents", Json());
  const bool lowercase = settings.take_bool_or("do_lower_case", true);
  const bool chinese = settings.take_bool_or("tokenize_chinese_chars", true);
  return {{"type", "BertNormalizer"},
          {"clean_text", true},
          {"handle_chinese_chars", chinese},
          {"strip_accents", accents},
          {"lowercase", lowercase}};
}

}  // namespace

std::string word_piece_json(const std::string& tokens, const std::string& path, Fields& settings) {
  const WordPieceList list(tokens, path);
  const auto padding = list.special(settings, "pad_token", "[PAD]"),
             unknown = list.special(settings, "unk_token", "[UNK]"),
             begin = list.special(settings, "cls_token", "[CLS]"),
             end = list.special(settings, "sep_token", "[SEP]"),
             mask = list.special(settings, "mask_token", "[MASK]");
  Json added = Json::array();
  for (const auto& token : {padding, unknown, begin, end, mask})
    added.push_back(added_token(token));
  const Json document = {{"version", "1.0"},
                         {"added_tokens", added},
                         {"normalizer", normaliser_node(settings)},
                         {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
                         {"post_processor",
                          {{"type", "BertProcessing"},
                           {"sep", Json::array({end.first, end.second})},
                           {"cls", Json::array({begin.first, begin.second})}}},
                         {"decoder", {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}},
                         {"model",
                          {{"type", "WordPiece"},
                           {"unk_token", unknown.first},
                           {"continuing_subword_prefix", "##"},
                           {"max_input_chars_per_word", 100},
                           {"vocab", list.vocabulary()}}}};
  return document.dump();
}

}  // namespace weft::model_file
