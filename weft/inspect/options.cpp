#include "weft/inspect/options.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "weft/model_file/classifier.h"
#include "weft/options/option_table.h"

namespace weft::inspect {
namespace {

void check_read(const InspectionOptions& options, const std::vector<std::string_view>& read,
                const char* when) {
  options::check_unread(
      options, [&](std::string_view name) { return std::ranges::find(read, name) != read.end(); },
      when);
}

}  // namespace

void check_options(const model_file::TranslatorSession&, const InspectionOptions& options) {
  check_read(options, {"max-length", "beam-size", "alternatives"}, "with a translator");
}

void check_options(const model_file::ClassifierSession& session, const InspectionOptions& options) {
  std::vector<std::string_view> read;
  if (session.model.options.is_text()) read = {"max-length", "alternatives"};
  check_read(options, read, "with such a classifier");
}

void check_options(const model_file::TaggerSession&, const InspectionOptions& options) {
  check_read(options, {"max-length", "max-explained"}, "with a tagger");
}

void check_options(const model_file::TranscriberSession&, const InspectionOptions& options) {
  check_read(options, {"beam-size"}, "with a transcriber");
}

void check_options(const model_file::DetectorSession&, const InspectionOptions& options) {
  check_read(options, {}, "with a detector");
}

void check_options(const model_file::CrossViewSession&, const InspectionOptions& options) {
  check_read(options, {}, "with a model of two views");
}

}  // namespace weft::inspect
