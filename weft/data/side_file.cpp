#include "weft/data/side_file.h"

#include "weft/core/error.h"
#include "weft/data/text_file.h"

namespace weft::data {
namespace {

void read_part(const Corpus& corpus, int64_t part, const std::string& path,
               const std::function<void(const SideLine&)>& take) {
  TextFile file(path);
  int64_t sentence = corpus.part_begin(part);
  const int64_t end = corpus.part_begin(part + 1);
  while (file.next()) {
    if (sentence == end || corpus.line(sentence) != file.line_number() - 1) continue;
    const std::string where = fmt::format("{}:{}", path, file.line_number());
    if (file.is_too_long()) fail<FormatError>(where, "is over {} bytes", kMaxLineBytes);
    take({sentence, file.line(), where});
    ++sentence;
  }
  const int64_t lines = corpus.reports()[part].lines;
  if (file.line_number() != lines) {
    fail<FormatError>(path, "{} lines; the text has {}", file.line_number(), lines);
  }
}

}  // namespace

void read_side_files(const Corpus& corpus, const std::vector<std::string>& files,
                     const std::string& option, const std::function<void(const SideLine&)>& take) {
  if (std::ssize(files) != corpus.parts()) {
    fail<OptionError>(option, "expected a file for each corpus, {} in all; got {}", corpus.parts(),
                      files.size());
  }
  for (int64_t part = 0; part < corpus.parts(); ++part) {
    read_part(corpus, part, files[part], take);
  }
}

}  // namespace weft::data
