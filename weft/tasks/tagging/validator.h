// How good a tagger is on held-out text.
#ifndef WEFT_TASKS_TAGGING_VALIDATOR_H_
#define WEFT_TASKS_TAGGING_VALIDATOR_H_

#include <string>
#include <vector>

#include "weft/data/labels/labelled_corpus.h"
#include "weft/model_file/tagger.h"
#include "weft/tasks/tagging/options.h"
#include "weft/train/task.h"

namespace weft::tasks {

class TagValidator {
 public:
  // Throws OptionError for span-f1 where no labels mark spans.
  TagValidator(const TaggingOptions& options, const std::vector<data::LabelSet>& labels);

  // The metrics asked for, in their order; accuracies and F1 once for each column that they are of,
  // with the number of its field where there are several. Cross-entropy is in nats a word. All are
  // not a number where the scores are none.
  std::vector<train::Metric> measure(const model_file::TaggerSession& session,
                                     const data::LabelledCorpus& corpus) const;

 private:
  std::vector<size_t> columns_of(std::string_view metric) const;

  std::vector<std::string> metrics_;
  data::LabelledFields fields_;
  std::vector<double> weights_;    // of each column
  std::vector<bool> marks_spans_;  // of each column
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TAGGING_VALIDATOR_H_
