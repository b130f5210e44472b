// How near the vectors of texts are that belong together.
#ifndef WEFT_TASKS_EMBEDDING_VALIDATION_H_
#define WEFT_TASKS_EMBEDDING_VALIDATION_H_

#include <vector>

#include "weft/data/sequences/text_groups.h"
#include "weft/metrics/regression.h"
#include "weft/metrics/retrieval.h"
#include "weft/model_file/embedder.h"

namespace weft::tasks {

// Cosines of the two texts of each example against their scores. Throws NumericError for vectors
// that are not finite, as retrieval_of() does.
metrics::RegressionScores similarity_of(const model_file::EmbedderSession& session,
                                        const data::TextGroups& pairs);

// The first text of an example is the query, the second its document among those of all examples.
// Other documents that are as near as it count as found before it; the same text in another example
// does not count.
metrics::RetrievalScores retrieval_of(const model_file::EmbedderSession& session,
                                      const data::TextGroups& pairs);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_EMBEDDING_VALIDATION_H_
