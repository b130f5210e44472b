// Files of lines that are scored beside each other.
#ifndef APPS_WEFT_INPUT_NAMED_TEXTS_H_
#define APPS_WEFT_INPUT_NAMED_TEXTS_H_

#include <string>
#include <vector>

#include "weft/metrics/text/metric_options.h"

namespace weft::app {

// The lines of a file, or of standard input: "-". Throws as data::read_lines() does.
metrics::NamedTexts read_named_texts(const std::string& path, bool undo_bpe);

// References alone, one for each file.
metrics::TextsToScore read_references(const std::vector<std::string>& paths, bool undo_bpe);

}  // namespace weft::app

#endif  // APPS_WEFT_INPUT_NAMED_TEXTS_H_
