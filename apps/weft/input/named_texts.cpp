#include "apps/weft/input/named_texts.h"

#include "weft/data/standard_input.h"
#include "weft/data/text/text_file.h"

namespace weft::app {

metrics::NamedTexts read_named_texts(const std::string& path, bool undo_bpe) {
  const bool is_standard = path == data::kStandardInput;
  metrics::NamedTexts out{is_standard ? std::string(data::kStandardInputName) : path,
                          data::read_lines(path)};
  if (undo_bpe) out.undo_bpe();
  return out;
}

metrics::TextsToScore read_references(const std::vector<std::string>& paths, bool undo_bpe) {
  metrics::TextsToScore out;
  for (const std::string& path : paths) out.add_reference(read_named_texts(path, undo_bpe));
  return out;
}

}  // namespace weft::app
