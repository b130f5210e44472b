// Tagging as a task: text with a label for each word, or several, and labels of the whole.
#ifndef WEFT_TASKS_TAGGING_TAGGING_H_
#define WEFT_TASKS_TAGGING_TAGGING_H_

#include <optional>

#include "weft/model_file/tagger.h"
#include "weft/tasks/labels/labelled_data.h"
#include "weft/tasks/session_task.h"
#include "weft/tasks/tagging/model_start.h"
#include "weft/tasks/tagging/teacher.h"
#include "weft/tasks/tagging/validator.h"

namespace weft::tasks {

class Tagging : public SessionTask<TaggingOptions, model_file::TaggerSession> {
 public:
  static constexpr std::string_view kName = "tagging";
  static constexpr std::string_view kTargets = "words";

  // Throws OptionError for options that contradict each other.
  explicit Tagging(const Options& options);

  std::string_view name() const override { return kName; }
  void check_ranks() const override;
  void make_model(train::Group& group, bool resumes) override;
  void read_data(train::Group& group) override;
  std::shared_ptr<const data::Dataset> dataset() const override;
  int64_t targets(int64_t example) const override { return data_.training()->words(example); }
  uint64_t fingerprint() const override;
  void write_assets() const override { data_.write_made(); }
  ops::Loss loss(const train::MicroBatch& batch, const nn::Context& context) override;
  std::vector<train::Metric> validate() override;

 private:
  // The characters of words, and their vocabulary.
  data::TokeniserPtr open_characters();

  TaggerStart start_;
  std::optional<TaggerTeacher> teacher_;
  LabelledData data_;
  std::shared_ptr<const data::Dataset> joint_;  // with a teacher
  std::optional<TagValidator> validator_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TAGGING_TAGGING_H_
