// Training metrics as JSON lines (--metrics): one line of kind "start", then one of kind "update"
// for each report and one of kind "validation" for each validation, in the order of updates.
#ifndef WEFT_TRAIN_RECORDS_METRICS_FILE_H_
#define WEFT_TRAIN_RECORDS_METRICS_FILE_H_

#include <optional>
#include <string>

#include "weft/core/files/appended_file.h"
#include "weft/train/records/recorder.h"

namespace weft::train {

class MetricsFile final : public Recorder {
 public:
  // Throws FileError if the file cannot be written, or if there is one although the training does
  // not resume, unless `overwrite`. For an early check; opens nothing.
  static void check(const std::string& path, bool resumes, bool overwrite);

  // Begins the file, or shortens the file of the training that resumes. Throws FileError, as
  // check() and for a file of another training, and FormatError for a file of another format.
  MetricsFile(const std::string& path, const TrainingStart& start);

  void on_update(const UpdateRecord& record) override;
  void on_validation(const ValidationRecord& record) override;
  void sync() override { file_->sync(); }

 private:
  std::optional<AppendedFile> file_;
  double seconds_before_ = 0;  // of earlier runs of this training
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_RECORDS_METRICS_FILE_H_
