// The vocabularies of a training by several ranks.
#ifndef WEFT_TASKS_OPEN_VOCABULARIES_H_
#define WEFT_TASKS_OPEN_VOCABULARIES_H_

#include "weft/data/text/open_vocabularies.h"
#include "weft/train/distributed/group.h"

namespace weft::tasks {

// data::open_vocabularies() on rank 0, whose vocabularies every rank gets.
data::Vocabularies open_vocabularies(train::Group& group, const data::VocabularyOptions& options,
                                     const data::VocabularyText& text, uint64_t seed);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_OPEN_VOCABULARIES_H_
