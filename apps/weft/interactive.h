// weft generate --interactive: a conversation in the terminal.
#ifndef APPS_WEFT_INTERACTIVE_H_
#define APPS_WEFT_INTERACTIVE_H_

#include "weft/generate.h"

namespace weft::app {

// Answers the lines of standard input, one after the other, up to its end. An answer is written as
// it is decided. Ctrl-C ends an answer; a second Ctrl-C, at the prompt, ends the conversation.
// Returns the exit status.
int converse(Chat& chat);

}  // namespace weft::app

#endif  // APPS_WEFT_INTERACTIVE_H_
