// Labelled text of one word a line: CoNLL (Tjong Kim Sang and Buchholz 2000) and CoNLL-U (Nivre et
// al. 2016, universaldependencies.org/format.html).
#ifndef WEFT_DATA_LABELS_LABELLED_COLUMNS_H_
#define WEFT_DATA_LABELS_LABELLED_COLUMNS_H_

#include "weft/data/byte_stream.h"
#include "weft/data/labels/labelled_text.h"

namespace weft::data {

// The fields of a line: those between tabs if `by_tabs` or if there are tabs, else those between
// spaces.
void split_columns(std::string_view line, bool by_tabs, std::vector<std::string_view>& fields);

class LabelledColumns : public LabelledText {
 public:
  LabelledColumns(const std::string& file, const LabelledTextOptions& options);

  bool next() override;
  bool is_ready() override { return read_sentence(Wait::kNo); }
  std::string where(int64_t word = 0) const override;

 private:
  // Part of bytes_.
  struct Range {
    size_t begin = 0, size = 0;
  };

  // Reads on in the next sentence, to its end unless nothing is waited for; whether it got there.
  bool read_sentence(Wait wait);
  void start();
  void read_line(std::string_view line);
  bool is_skipped(std::string_view line) const;
  Range keep(std::string_view text);
  void finish();
  void set_fault(std::string what);

  LabelledTextOptions options_;
  int64_t field_count_;
  TextFile file_;
  bool is_begun_ = false, is_whole_ = false;  // the next sentence
  std::vector<std::string_view> fields_;      // of the current line
  std::string text_, bytes_;                  // words with spaces between them; labels
  std::vector<Range> words_;                  // of text_
  std::vector<std::vector<Range>> labels_;
  std::vector<int64_t> lines_;  // of each word
};

}  // namespace weft::data

#endif  // WEFT_DATA_LABELS_LABELLED_COLUMNS_H_
