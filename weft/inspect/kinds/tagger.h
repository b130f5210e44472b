// What a tagger does with a text: attention, labels of words, and the attributions of words to each
// label.
#ifndef WEFT_INSPECT_KINDS_TAGGER_H_
#define WEFT_INSPECT_KINDS_TAGGER_H_

#include <string_view>
#include <vector>

#include "weft/inspect/inspection.h"
#include "weft/inspect/options.h"
#include "weft/inspect/positions.h"
#include "weft/model_file/tagger.h"

namespace weft::inspect {

// Axes: "tokens", "words". Attributions for the label of each word, and of the text, in each
// column; of a conditional random field for the word's own score, without those of transitions.
Example inspect(const model_file::TaggerSession& session, std::string_view text,
                const InspectionOptions& options);

std::vector<PositionMaps> positions_of(const model_file::TaggerSession& session);
// Throws OptionError for an option that is not at its default and that such a model does not read.
void check_options(const model_file::TaggerSession& session, const InspectionOptions& options);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_KINDS_TAGGER_H_
