#include "weft/model_file/foreign/imported_contents.h"

#include <algorithm>

#include "weft/core/error.h"

namespace weft::model_file {

ImportedContents::ImportedContents(std::string path, std::string_view kind)
    : ContentsReader(std::move(path)) {
  kind_ = kind;
}

ImportedContents::ImportedContents(std::string path, const Contents& contents)
    : ContentsReader(std::move(path)), assets_(contents.assets) {
  options_ = {{contents.options, this->path()}};
}

void ImportedContents::set(std::string_view option, const Json& value, std::string where) {
  options_.push_back({Json{{option, value}}.dump(), std::move(where)});
}

const Asset* ImportedContents::find(const std::string& name) const {
  const auto found = std::ranges::find(assets_, name, &Asset::name);
  return found == assets_.end() ? nullptr : &*found;
}

std::string ImportedContents::asset(const std::string& name, std::string_view description) {
  if (const data::TokeniserPtr loaded = tokeniser(name)) return loaded->serialise();
  const Asset* found = find(resolve_alias(name));
  if (found == nullptr) fail<FormatError>(path(), "no {}, '{}'", description, name);
  return found->bytes;
}

std::string ImportedContents::path_of(const std::string& name) const {
  const Asset* found = find(name);
  return found == nullptr || found->path.empty() ? path() : found->path;
}

std::string ImportedContents::resolve_alias(const std::string& name) const {
  const Asset* found = find(name);
  return found == nullptr || found->alias_of.empty() ? name : found->alias_of;
}

}  // namespace weft::model_file
