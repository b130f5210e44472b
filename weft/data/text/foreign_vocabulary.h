// Vocabularies of other systems that would be read as lists of whole words.
#ifndef WEFT_DATA_TEXT_FOREIGN_VOCABULARY_H_
#define WEFT_DATA_TEXT_FOREIGN_VOCABULARY_H_

#include <string_view>

namespace weft::data {

// Throws FormatError, naming `where`, for the bytes of BERT's vocab.txt and of the vocab.json of a
// byte-level BPE.
void refuse_foreign_vocabulary(std::string_view bytes, std::string_view where);

// Whether the bytes are those of a tokenizer.json of Hugging Face's tokenizers.
bool is_tokenizer_json_file(std::string_view bytes);

}  // namespace weft::data

#endif  // WEFT_DATA_TEXT_FOREIGN_VOCABULARY_H_
