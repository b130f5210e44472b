#include "weft/model_file/contents.h"

#include "weft/core/error.h"

namespace weft::model_file {

void ContentsReader::check_kind(std::string_view kind) const {
  // Without a kind, parsing the options reports the error.
  if (kind_.empty() || kind_ == kind) return;
  fail<FormatError>(path_, "is a model of type '{}'; expected {}", kind_, kind);
}

}  // namespace weft::model_file
