// The options in a model's file, of models of every kind: which kind it is, the options of the
// network, and what else the file has to say, such as sizes and statistics.
#ifndef WEFT_MODEL_FILE_HEADER_H_
#define WEFT_MODEL_FILE_HEADER_H_

#include <string>
#include <utility>

#include "weft/model_file/options_in_file.h"
#include "weft/model_file/session.h"

namespace weft::model_file {

// Metadata is a struct with
//   template <class V> void fields(V& v, const Options& options);
template <class Options, class Metadata>
struct Header {
  int64_t format_version = kFormatVersion;
  std::string type = {};
  Options options = {};
  Metadata metadata = {};

  template <class V>
  void fields(V& v) {
    v("format-version", format_version, {.min = 1});
    v("type", type);
    InFile<V> in_file{v};
    options.fields(in_file);
    metadata.fields(v, options);
  }
};

// The header of what Session::open() reads. Throws FormatError, as ContentsReader::header() does.
template <class Session, class Metadata>
auto read_header(ContentsReader& file) {
  using Options = decltype(Session::model.options);
  return file.header<Header<Options, Metadata>>(Session::kKind);
}

// What Session::contents() returns.
template <class Session, class Metadata>
Contents contents_of(const Session& session, Metadata metadata, std::vector<Asset> assets) {
  Header<decltype(Session::model.options), Metadata> header{.type = std::string(Session::kKind),
                                                            .options = session.model.options,
                                                            .metadata = std::move(metadata)};
  return {options::options_to_json(header), std::move(assets)};
}

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HEADER_H_
