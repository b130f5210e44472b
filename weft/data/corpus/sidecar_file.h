// Files that say something of each line of the training text.
#ifndef WEFT_DATA_CORPUS_SIDECAR_FILE_H_
#define WEFT_DATA_CORPUS_SIDECAR_FILE_H_

#include <functional>
#include <string>
#include <vector>

#include "weft/data/corpus/corpus.h"

namespace weft::data {

// One line of such a file.
struct SidecarLine {
  int64_t example = 0;  // of the corpus
  std::string_view text;
  std::string where;  // "file:line"
};

// Calls take(line) for the line of every example of the corpus, in order; `files` has one for each
// part. Throws OptionError, naming `option`, for another number of files, and FormatError for a
// file with fewer or more lines than the text, or with a line over kMaxLineBytes.
void read_sidecar_files(const Corpus& corpus, const std::vector<std::string>& files,
                        const std::string& option,
                        const std::function<void(const SidecarLine&)>& take);

}  // namespace weft::data

#endif  // WEFT_DATA_CORPUS_SIDECAR_FILE_H_
