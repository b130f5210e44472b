// Transcription as a task: sounds, a transcriber, and error rates of its transcripts.
#ifndef WEFT_TASKS_TRANSCRIPTION_TRANSCRIPTION_H_
#define WEFT_TASKS_TRANSCRIPTION_TRANSCRIPTION_H_

#include "weft/data/audio/transcribed_audio.h"
#include "weft/data/text/open_vocabularies.h"
#include "weft/model_file/transcriber.h"
#include "weft/tasks/session_task.h"
#include "weft/tasks/transcription/options.h"

namespace weft::tasks {

class Transcription : public SessionTask<TranscriptionOptions, model_file::TranscriberSession> {
 public:
  static constexpr std::string_view kName = "transcription";
  static constexpr std::string_view kTargets = "tokens";

  // Throws OptionError for options that contradict each other.
  explicit Transcription(Options options);

  std::string_view name() const override { return kName; }
  void check_ranks() const override;
  void make_model(train::Group& group, bool resumes) override;
  void read_data(train::Group& group) override;
  std::shared_ptr<const data::Dataset> dataset() const override { return training_; }
  int64_t targets(int64_t example) const override { return training_->tokens(example); }
  uint64_t fingerprint() const override { return training_->fingerprint(); }
  void write_assets() const override { vocabularies_.write_made(); }
  ops::Loss loss(const train::MicroBatch& batch, const nn::Context& context) override;
  std::vector<train::Metric> validate() override;

 private:
  std::shared_ptr<const data::TranscribedAudio> read(const std::vector<std::string>& files) const;
  double cross_entropy() const;
  std::vector<std::string> transcripts() const;

  data::LogMel log_mel_;
  data::Vocabularies vocabularies_;
  std::shared_ptr<const data::TranscribedAudio> training_, validation_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSCRIPTION_TRANSCRIPTION_H_
