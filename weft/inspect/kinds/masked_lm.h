// What a masked language model does with a text: attention, the tokens that its masks may stand
// for, and which words speak for these.
#ifndef WEFT_INSPECT_KINDS_MASKED_LM_H_
#define WEFT_INSPECT_KINDS_MASKED_LM_H_

#include <string_view>
#include <vector>

#include "weft/inspect/inspection.h"
#include "weft/inspect/options.h"
#include "weft/inspect/positions.h"
#include "weft/model_file/masked_lm.h"

namespace weft::inspect {

// The axes are "tokens" and "words"; each mask is a word. For a text with masks, the prediction is
// the filled text, with a token for each mask, as weft fill fills them; an alternative's
// continuation is the text with that token in the place of the mask. Throws NumericError for scores
// that are not finite.
Example inspect(const model_file::MaskedLmSession& session, std::string_view text,
                const InspectionOptions& options);

std::vector<PositionMaps> positions_of(const model_file::MaskedLmSession& session);
// Throws OptionError for an option that is not at its default and that such a model does not read.
void check_options(const model_file::MaskedLmSession& session, const InspectionOptions& options);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_KINDS_MASKED_LM_H_
