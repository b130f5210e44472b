// What a transcriber does with a sound: attention on its spectrogram, and its text.
#ifndef WEFT_INSPECT_KINDS_TRANSCRIBER_H_
#define WEFT_INSPECT_KINDS_TRANSCRIBER_H_

#include <string_view>
#include <vector>

#include "weft/inspect/inspection.h"
#include "weft/inspect/options.h"
#include "weft/inspect/positions.h"
#include "weft/model_file/transcriber.h"

namespace weft::inspect {

// Of the first 30 seconds of the sound at this path, or of as many frames as the model reads at a
// time. Axes: "frames", with words by the alignment of CTC; of a model with a decoder "input" and
// "output", as of a translator. Throws FileError and FormatError for what cannot be read.
Example inspect(const model_file::TranscriberSession& session, std::string_view path,
                const InspectionOptions& options);

std::vector<PositionMaps> positions_of(const model_file::TranscriberSession& session);
// Throws OptionError for an option that is not at its default and that such a model does not read.
void check_options(const model_file::TranscriberSession& session, const InspectionOptions& options);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_KINDS_TRANSCRIBER_H_
