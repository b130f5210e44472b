// What a language model does with a prompt: attention, its continuation, alternatives, and the
// attributions of the prompt's words.
#ifndef WEFT_INSPECT_KINDS_LANGUAGE_MODEL_H_
#define WEFT_INSPECT_KINDS_LANGUAGE_MODEL_H_

#include <string_view>
#include <vector>

#include "weft/inspect/inspection.h"
#include "weft/inspect/options.h"
#include "weft/inspect/positions.h"
#include "weft/model_file/language_model.h"

namespace weft::inspect {

// Continues the prompt greedily, then runs the model once more over both, with a trace. Axes:
// "input", the tokens that the model reads; "output", the token that follows each; "words" of the
// prompt. Attributions for the most probable first tokens of the continuation: what each word adds
// to their logits. Throws NumericError for scores that are not finite.
Example inspect(const model_file::LanguageModelSession& session, std::string_view text,
                const InspectionOptions& options);

std::vector<PositionMaps> positions_of(const model_file::LanguageModelSession& session);
// Throws OptionError for an option that is not at its default and that such a model does not read.
void check_options(const model_file::LanguageModelSession& session,
                   const InspectionOptions& options);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_KINDS_LANGUAGE_MODEL_H_
