// What a translator does with a sentence: attention, hypotheses, beam search, alternatives.
#ifndef WEFT_INSPECT_KINDS_TRANSLATOR_H_
#define WEFT_INSPECT_KINDS_TRANSLATOR_H_

#include <string_view>
#include <vector>

#include "weft/inspect/inspection.h"
#include "weft/inspect/options.h"
#include "weft/inspect/positions.h"
#include "weft/model_file/translator.h"

namespace weft::inspect {

// Translates the text, then runs the model once more over the source and its best translation, with
// a trace. Axes: "source"; "input", what the decoder reads, and "output", what it predicts. Throws
// OptionError for a model that is not left-to-right.
Example inspect(const model_file::TranslatorSession& session, std::string_view text,
                const InspectionOptions& options);

std::vector<PositionMaps> positions_of(const model_file::TranslatorSession& session);
// Throws OptionError for an option that is not at its default and that such a model does not read.
void check_options(const model_file::TranslatorSession& session, const InspectionOptions& options);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_KINDS_TRANSLATOR_H_
