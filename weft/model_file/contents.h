// A model without its tensors: its options and assets, from which Session::open() makes it.
#ifndef WEFT_MODEL_FILE_CONTENTS_H_
#define WEFT_MODEL_FILE_CONTENTS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/data/text/tokeniser.h"
#include "weft/options/json.h"

namespace weft::model_file {

// The version of the file format, which the options of every kind of model start with.
inline constexpr int64_t kFormatVersion = 2;

// Named bytes stored with the weights, such as "vocab.source".
struct Asset {
  std::string name;
  std::string bytes;
  std::string alias_of = {};  // the asset that has the same bytes; `bytes` is then empty
  std::string path = {};      // the file that it was read from, where that is not the model's
};

// What a model file holds beside tensors.
struct Contents {
  std::string options;  // JSON
  std::vector<Asset> assets;
};

// Contents that are read: of a model file, or of another system's model.
class ContentsReader {
 public:
  virtual ~ContentsReader() = default;

  const std::string& path() const { return path_; }  // for errors
  // "seq2seq", "tagger"
  const std::string& kind() const { return kind_; }

  // Parses the options into a struct whose fields start with "format-version" and "type". Throws
  // FormatError for a model of another kind, naming both, and for invalid options.
  template <class Header>
  Header header(std::string_view kind) {
    check_kind(kind);
    Header out;
    options::OptionTable table;
    table.add(out);
    for (const auto& [json, where] : options_) options::read_json(table, json, where);
    all_options_ = options::to_json(table);
    return out;
  }
  // The options of the header that was read, with defaults, as JSON.
  const std::string& all_options() const { return all_options_; }

  // The bytes of an asset. Throws FormatError if there is none; `description` is used in the error
  // ("the vocabulary").
  virtual std::string asset(const std::string& name, std::string_view description) = 0;
  virtual bool has_asset(const std::string& name) const = 0;
  // The file that holds an asset, for errors.
  virtual std::string path_of(const std::string&) const { return path_; }
  // The tokeniser that an asset holds, if it is in memory already; otherwise null.
  virtual data::TokeniserPtr tokeniser(const std::string&) const { return nullptr; }
  // The asset that `name` is an alias of; `name` if it is not an alias.
  virtual std::string resolve_alias(const std::string& name) const = 0;

 protected:
  // Some of the options, and what errors about them are prefixed with.
  struct Part {
    std::string json;
    std::string where;
  };

  explicit ContentsReader(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::string kind_;
  std::vector<Part> options_;
  std::string all_options_;

 private:
  void check_kind(std::string_view kind) const;
};

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_CONTENTS_H_
