// Vocabularies of other systems that would be read as lists of whole words.
#ifndef WEFT_DATA_TEXT_FOREIGN_VOCABULARY_H_
#define WEFT_DATA_TEXT_FOREIGN_VOCABULARY_H_

#include <string_view>

namespace weft::data {

// Throws FormatError, naming `where`, for the bytes of a tokenizer.json of Hugging Face's
// tokenizers, of BERT's vocab.txt, and of the vocab.json of a byte-level BPE.
void refuse_foreign_vocabulary(std::string_view bytes, std::string_view where);

}  // namespace weft::data

#endif  // WEFT_DATA_TEXT_FOREIGN_VOCABULARY_H_
