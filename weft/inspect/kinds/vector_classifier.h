// What a classifier does with a picture or a sequence of vectors.
#ifndef WEFT_INSPECT_KINDS_VECTOR_CLASSIFIER_H_
#define WEFT_INSPECT_KINDS_VECTOR_CLASSIFIER_H_

#include <string>

#include "weft/inspect/inspection.h"
#include "weft/inspect/options.h"
#include "weft/model_file/classifier.h"

namespace weft::inspect {

// Of the file at this path: its labels, and attention over "patches" or "vectors". Throws FileError
// and FormatError for what cannot be read.
Example inspect_vectors(const model_file::ClassifierSession& session, const std::string& path,
                        const InspectionOptions& options);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_KINDS_VECTOR_CLASSIFIER_H_
