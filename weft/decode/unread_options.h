// Options that decoding by a model does not read.
#ifndef WEFT_DECODE_UNREAD_OPTIONS_H_
#define WEFT_DECODE_UNREAD_OPTIONS_H_

#include "weft/decode/options.h"
#include "weft/models/seq2seq_options.h"

namespace weft::decode {

// Throws OptionError where such an option is not at its default: those of search and sampling where
// positions are predicted at once, and of rounds and lengths where they are not.
void check_unread(const DecodeOptions& options, const models::Seq2SeqOptions& model);

}  // namespace weft::decode

#endif  // WEFT_DECODE_UNREAD_OPTIONS_H_
