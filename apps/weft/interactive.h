// weft generate --interactive: a conversation in the terminal.
#ifndef APPS_WEFT_INTERACTIVE_H_
#define APPS_WEFT_INTERACTIVE_H_

#include "weft/predict/generation/dialogue.h"

namespace weft::app {

// Reads lines of standard input, each of which is answered as the text is decided, up to the end
// of the input. Ctrl-C ends an answer, and at the prompt, the second time, the conversation.
// Returns the exit status.
int converse(predict::Dialogue& dialogue);

}  // namespace weft::app

#endif  // APPS_WEFT_INTERACTIVE_H_
