#include "weft/model_file/foreign/tokeniser_asset.h"

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

void add_chat_templates(const data::ChatTemplates& templates, ImportedContents& out) {
  if (templates.empty()) return;
  out.add({.name = kChatTemplates, .bytes = templates.serialise(), .path = templates.where});
}

}  // namespace weft::model_file
