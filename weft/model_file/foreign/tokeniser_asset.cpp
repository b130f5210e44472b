#include "weft/model_file/foreign/tokeniser_asset.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/model_file/text_assets.h"

namespace weft::model_file {
namespace {

bool adds_begin(const data::SubwordTokeniser& tokeniser, const std::string& where) {
  const std::string_view text = "a";
  const std::vector<int32_t> plain = tokeniser.encode(text);
  std::vector<int32_t> all = tokeniser.encode(text, {.add_special = true}).ids;
  if (all == plain) return false;
  const bool has_begin = !all.empty() && all.front() == tokeniser.begin_id();
  if (has_begin) all.erase(all.begin());
  if (has_begin && all == plain) return true;
  fail<FormatError>(where, "its post-processor adds other tokens than a begin symbol");
}

// Throws unless a text gets one symbol before it and one after it, and no types but 0.
void check_special_symbols(const data::SubwordTokeniser& tokeniser, const std::string& where) {
  const std::string_view text = "a";
  const data::Encoding all = tokeniser.encode(text, {.add_special = true});
  std::vector<int32_t> expected = tokeniser.encode(text);
  expected.insert(expected.begin(), tokeniser.begin_id());
  expected.push_back(tokeniser.end_id());
  if (tokeniser.begin_id() < 0 || tokeniser.end_id() < 0) {
    fail<FormatError>(where,
                      "no symbols that begin and end a text; expected cls_token and "
                      "sep_token, or bos_token and eos_token");
  }
  if (all.ids == expected && std::ranges::count(all.types, 0) == std::ssize(all.types)) return;
  fail<FormatError>(where,
                    "its post-processor does not put {} before and {} after a text, and nothing "
                    "else",
                    quote(tokeniser.piece(tokeniser.begin_id())),
                    quote(tokeniser.piece(tokeniser.end_id())));
}

}  // namespace

void add_tokeniser(const data::SubwordTokeniserPtr& tokeniser, const std::string& where,
                   ImportedContents& out) {
  out.add(kSourceVocabulary, tokeniser);
  out.set("adds-begin", adds_begin(*tokeniser, where), where);
  Json ends = Json::array();
  for (const int32_t id : tokeniser->end_ids()) ends.push_back(id);
  if (!ends.empty()) out.set("end-ids", ends, where);
  // A text without a prompt begins as one after the end of another.
  const Json begin = tokeniser->begin_id() >= 0 ? Json(tokeniser->begin_id())
                     : ends.empty()             ? Json()
                                                : ends.front();
  if (!begin.is_null()) out.set("begin-id", begin, where);
}

void add_encoder_tokeniser(const data::SubwordTokeniserPtr& tokeniser, const std::string& where,
                           ImportedContents& out) {
  check_special_symbols(*tokeniser, where);
  const models::TextEncoderDims dims = dims_of(*tokeniser);
  out.add(kSourceVocabulary, tokeniser);
  out.set("unknown-id", dims.unknown_id, where);
  out.set("begin-id", dims.begin_id, where);
  out.set("end-id", dims.end_id, where);
}

void add_chat_templates(const data::ChatTemplates& templates, ImportedContents& out) {
  if (templates.empty()) return;
  out.add({.name = kChatTemplates, .bytes = templates.serialise(), .path = templates.where});
}

}  // namespace weft::model_file
