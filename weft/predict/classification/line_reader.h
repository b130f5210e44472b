// Lines as what a classifier reads: text, or the paths of pictures or of sequences of vectors.
#ifndef WEFT_PREDICT_CLASSIFICATION_LINE_READER_H_
#define WEFT_PREDICT_CLASSIFICATION_LINE_READER_H_

#include <functional>
#include <memory>
#include <span>

#include "weft/model_file/classifier.h"
#include "weft/predict/line_encoder.h"

namespace weft::predict {

class LineReader {
 public:
  virtual ~LineReader() = default;

  // Calls run(input, numbers) for batches of at most `mini_batch` of the lines that there is
  // something to label in; `numbers` say which lines they are.
  using Run = std::function<void(const data::Field& input, std::span<const size_t> numbers)>;
  virtual void for_each_batch(std::span<const Line> lines, int64_t mini_batch, const Run& run) = 0;
  // A file that cannot be read is counted as faulty, and its reason logged.
  virtual const LineReport& report() const = 0;
};

// The session has to outlive it. Of texts at most `max_length` tokens are read.
std::unique_ptr<LineReader> make_line_reader(const model_file::ClassifierSession& session,
                                             int64_t max_length);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_CLASSIFICATION_LINE_READER_H_
