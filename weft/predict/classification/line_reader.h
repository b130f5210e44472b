// What a classifier reads of a line: text, or the path of a picture or of a sequence of vectors.
#ifndef WEFT_PREDICT_CLASSIFICATION_LINE_READER_H_
#define WEFT_PREDICT_CLASSIFICATION_LINE_READER_H_

#include <memory>
#include <string>

#include "weft/data/batch.h"
#include "weft/data/images/image.h"

namespace weft::model_file {
struct ClassifierSession;
}

namespace weft::predict {

struct ReadExample {
  data::Field field;  // of one example: its tokens, its pixels or its vectors as they are
  bool is_cropped = false;
  bool has_unknown = false;  // a token that the vocabulary does not have

  int64_t rows() const;
};

class LineReader {
 public:
  virtual ~LineReader() = default;
  // Throws Error for a file that cannot be read, and for one text in place of two.
  virtual ReadExample read(const std::string& text) const = 0;
};

// The session has to outlive it. Of texts at most `max_length` tokens are read.
std::unique_ptr<LineReader> make_line_reader(const model_file::ClassifierSession& session,
                                             int64_t max_length);

// A picture that is given itself.
ReadExample read_picture(const model_file::ClassifierSession& session, const data::Image& picture);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_CLASSIFICATION_LINE_READER_H_
