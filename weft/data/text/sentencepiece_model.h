// What of a SentencePiece model the library may be trusted with: it checks little of a model, and
// a damaged one would end the process or be read past its end.
#ifndef WEFT_DATA_TEXT_SENTENCEPIECE_MODEL_H_
#define WEFT_DATA_TEXT_SENTENCEPIECE_MODEL_H_

#include <string>
#include <string_view>

namespace weft::data {

// The bytes of an equal model that holds only what encoding and decoding use (pieces, kinds of
// whitespace, normalisers), all of it checked; its self-test and what is unknown are left out.
// Throws FormatError, naming `where` and the piece or field.
std::string checked_sentencepiece_model(std::string_view bytes, std::string_view where);

}  // namespace weft::data

#endif  // WEFT_DATA_TEXT_SENTENCEPIECE_MODEL_H_
