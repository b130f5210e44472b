// Embedders as a task: texts that belong together get vectors that are near to each other.
#ifndef WEFT_TASKS_EMBEDDING_EMBEDDING_H_
#define WEFT_TASKS_EMBEDDING_EMBEDDING_H_

#include <memory>
#include <optional>

#include "weft/data/sequences/text_groups.h"
#include "weft/model_file/embedder.h"
#include "weft/tasks/embedding/options.h"
#include "weft/tasks/embedding/teacher.h"
#include "weft/tasks/session_task.h"

namespace weft::tasks {

class SentenceEmbedding
    : public SessionTask<SentenceEmbeddingOptions, model_file::EmbedderSession> {
 public:
  static constexpr std::string_view kName = "embedding";
  static constexpr std::string_view kTargets = "lines";

  // Throws OptionError for options that contradict each other.
  explicit SentenceEmbedding(const Options& options);

  std::string_view name() const override { return kName; }
  void check_ranks() const override;
  void make_model(train::Group& group, bool resumes) override;
  void read_data(train::Group& group) override;
  std::shared_ptr<const data::Dataset> dataset() const override;
  int64_t targets(int64_t) const override { return 1; }
  uint64_t fingerprint() const override;
  void write_assets() const override { vocabularies_.write_made(); }
  ops::Loss loss(const train::MicroBatch& batch, const nn::Context& context) override;
  std::vector<train::Metric> validate() override;

 private:
  void create_model(train::Group& group, bool resumes);
  void start_from_model();
  double validation_loss() const;
  // As the model of `session` reads them.
  std::unique_ptr<data::TextGroups> read_groups(const data::TextGroupSources& files,
                                                const model_file::EmbedderSession& session) const;

  std::optional<EmbedderTeacher> teacher_;
  data::Vocabularies vocabularies_;
  std::shared_ptr<const data::TextGroups> training_;
  std::shared_ptr<const data::Dataset> joint_;    // with a teacher
  std::unique_ptr<data::TextGroups> validation_;  // on rank 0
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_EMBEDDING_EMBEDDING_H_
