// A folder of event files for TensorBoard (--tensorboard), with these tags:
//
//     train/loss, train/learn_rate, train/gradient_norm, train/targets_per_second
//     train/gradient_norm/PART, memory/resident, memory/peak      at each report
//     valid/METRIC, weights/PART, samples/NAME, samples/NAME/PICTURE   at each validation
#ifndef WEFT_TRAIN_RECORDS_EVENT_FOLDER_H_
#define WEFT_TRAIN_RECORDS_EVENT_FOLDER_H_

#include <optional>
#include <string>
#include <string_view>

#include "weft/core/files/appended_file.h"
#include "weft/train/records/recorder.h"

namespace weft::train {

class EventFolder final : public Recorder {
 public:
  // Throws FileError if the path is not a folder, cannot become one, or has event files although
  // the training does not resume, unless `overwrite`. For an early check; makes nothing.
  static void check(const std::string& path, bool resumes, bool overwrite);

  // Shortens the event files of the training that resumes, or removes those that Weft wrote. Throws
  // FileError, also for other event files: TensorBoard would show both as one training.
  EventFolder(std::string path, const TrainingStart& start);

  void on_update(const UpdateRecord& record) override;
  void on_validation(const ValidationRecord& record) override;
  bool wants_details() const override { return true; }
  void sync() override;

 private:
  void write(std::string_view event);
  void open();

  std::string path_, id_;
  int64_t updates_;                   // made before
  std::optional<AppendedFile> file_;  // from the first event on
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_RECORDS_EVENT_FOLDER_H_
