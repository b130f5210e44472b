// Labelled text of one example a line.
#ifndef WEFT_DATA_LABELS_LABELLED_LINES_H_
#define WEFT_DATA_LABELS_LABELLED_LINES_H_

#include <optional>
#include <string>
#include <vector>

#include "weft/data/corpus/parallel_text.h"
#include "weft/data/labels/labelled_text.h"

namespace weft::data {

class LabelledLines : public LabelledText {
 public:
  LabelledLines(const std::vector<std::string>& files, const LabelledTextOptions& options);

  bool next() override;
  bool is_ready() override { return text_.is_ready(); }
  std::string where(int64_t word = 0) const override;

 private:
  void read_fields();
  void read_json_fields();
  void read_weight();
  void read_labels(const LabelField& field, std::vector<std::string_view>& labels);
  std::string where_of_field(int64_t field) const;
  std::string few_columns();
  void set_fault(std::string where, std::string what);

  LabelledTextOptions options_;
  std::vector<std::string> names_;  // of the files, for messages
  std::vector<std::string_view> fields_;
  std::vector<std::string> json_fields_;  // what fields_ views
  ParallelText text_;
  std::optional<std::string> layout_hint_;  // looked for at the first line with few columns
};

}  // namespace weft::data

#endif  // WEFT_DATA_LABELS_LABELLED_LINES_H_
