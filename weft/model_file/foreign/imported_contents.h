// The options and assets of another system's model, by Weft's names.
#ifndef WEFT_MODEL_FILE_FOREIGN_IMPORTED_CONTENTS_H_
#define WEFT_MODEL_FILE_FOREIGN_IMPORTED_CONTENTS_H_

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/model_file/contents.h"
#include "weft/model_file/foreign/fields.h"

namespace weft::model_file {

class ImportedContents final : public ContentsReader {
 public:
  // Of a model of this kind, with default options.
  ImportedContents(std::string path, std::string_view kind);
  // Those of a model of Weft.
  ImportedContents(std::string path, const Contents& contents);

  // Sets an option. Errors about its value, when it is read, are prefixed with `where`.
  void set(std::string_view option, const Json& value, std::string where);
  void add(Asset asset) { assets_.push_back(std::move(asset)); }
  void add(const std::string& name, data::TokeniserPtr tokeniser) {
    tokenisers_[name] = std::move(tokeniser);
  }

  std::string asset(const std::string& name, std::string_view description) override;
  bool has_asset(const std::string& name) const override {
    return tokenisers_.contains(name) || find(name) != nullptr;
  }
  std::string path_of(const std::string& name) const override;
  data::TokeniserPtr tokeniser(const std::string& name) const override {
    const auto found = tokenisers_.find(name);
    return found == tokenisers_.end() ? nullptr : found->second;
  }
  std::string resolve_alias(const std::string& name) const override;

 private:
  const Asset* find(const std::string& name) const;

  std::vector<Asset> assets_;
  std::map<std::string, data::TokeniserPtr> tokenisers_;  // assets too
};

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_FOREIGN_IMPORTED_CONTENTS_H_
