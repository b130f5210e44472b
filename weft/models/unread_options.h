// Options that a type of model does not read.
#ifndef WEFT_MODELS_UNREAD_OPTIONS_H_
#define WEFT_MODELS_UNREAD_OPTIONS_H_

#include "weft/models/seq2seq_options.h"

namespace weft::models {

// Throws OptionError, naming both, where an option that the --type does not read is not at its
// default: whoever set it expects something of it.
void check_unread(const Seq2SeqOptions& options);

}  // namespace weft::models

#endif  // WEFT_MODELS_UNREAD_OPTIONS_H_
