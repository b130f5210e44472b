#include "weft/data/corpus/sidecar_file.h"

#include <fmt/core.h>

#include "weft/core/error.h"
#include "weft/core/text/counted.h"
#include "weft/data/text/text_file.h"

namespace weft::data {
namespace {

using TakeLine = std::function<void(const SidecarLine&)>;

void read_part(const Corpus& corpus, const Part& part, int64_t lines, const std::string& path,
               const TakeLine& take) {
  TextFile file(path);
  int64_t example = part.begin;
  while (file.next()) {
    if (example == part.end || corpus.line(example) != file.line_number() - 1) continue;
    const std::string where = fmt::format("{}:{}", path, file.line_number());
    if (file.is_too_long()) fail<FormatError>(where, "is over {} bytes", kMaxLineBytes);
    take({example, file.line(), where});
    ++example;
  }
  if (file.line_number() != lines) {
    fail<FormatError>(path, "{}; the text has {}", counted(file.line_number(), "line"), lines);
  }
}

}  // namespace

void read_sidecar_files(const Corpus& corpus, const std::vector<std::string>& files,
                        const std::string& option, const TakeLine& take) {
  const std::vector<Part> parts = corpus.parts();
  if (files.size() != parts.size()) {
    fail<OptionError>(option, "expected a file for each corpus, {} in all; got {}", parts.size(),
                      files.size());
  }
  for (size_t p = 0; p < parts.size(); ++p) {
    read_part(corpus, parts[p], corpus.reports()[p].lines, files[p], take);
  }
}

}  // namespace weft::data
