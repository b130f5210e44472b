// The texts that a language model is trained on.
#ifndef WEFT_DATA_SEQUENCES_TRAINING_TEXTS_H_
#define WEFT_DATA_SEQUENCES_TRAINING_TEXTS_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::data {

enum class TextFormat { kDocuments, kLines };

// Calls take(text) for each text of the files, in order: a whole file, or each of its lines that is
// not empty. Throws what reading throws, and FormatError, naming the file and the line, for text
// that is not UTF-8 and for a line that is too long.
void read_training_texts(const std::vector<std::string>& files, TextFormat format,
                         const std::function<void(std::string_view text)>& take);

}  // namespace weft::data

#endif  // WEFT_DATA_SEQUENCES_TRAINING_TEXTS_H_
