// Lines of text as batches of tokens for models that give labels to them: N lines in, N results
// out, in their order.
#ifndef WEFT_PREDICT_LINE_ENCODER_H_
#define WEFT_PREDICT_LINE_ENCODER_H_

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "weft/data/batch.h"
#include "weft/data/labels/labelled_corpus.h"
#include "weft/options/fields.h"
#include "weft/predict/line.h"
#include "weft/predict/not_finite.h"

namespace weft::predict {

// How many lines are labelled together, which changes no result.
struct LineBatchOptions {
  int64_t mini_batch = 64;
  int64_t maxi_batch = 100;

  template <class V>
  void fields(V& v) {
    v("mini-batch", mini_batch,
      {.help = "texts labelled at a time; it changes speed and memory, never a result",
       .min = 1,
       .max = 1e5});
    v("maxi-batch", maxi_batch,
      {.help = "batches read together and sorted by length", .min = 1, .max = 1e6});
  }
  int64_t lines_together() const { return mini_batch * maxi_batch; }
};

// How lines of text are read and labelled.
struct LineOptions : LineBatchOptions {
  int64_t max_length = 1000;

  template <class V>
  void fields(V& v) {
    v("max-length", max_length,
      {.help = "longest text, in tokens without special symbols, or that of training where it is "
               "less; the end of a longer one is not read, which is reported",
       .min = 1,
       .max = 1e6});
    LineBatchOptions::fields(v);
  }
};

// What became of the lines.
struct LineReport {
  int64_t lines = 0;
  int64_t empty = 0;      // without a word; so is their result
  int64_t over_long = 0;  // over the limit in bytes; their result is empty
  int64_t bad_utf8 = 0;   // their result is empty
  int64_t malformed = 0;  // not UTF-8, but read all the same
  int64_t faulty = 0;     // of labelled text, with another fault; their result is empty
  int64_t split = 0;      // longer than is read at a time: read in several windows or pieces
  int64_t cropped = 0;    // with more tokens than are read
  int64_t with_unknown = 0;
  int64_t tokens = 0;  // that the model read, special symbols included
  NotFiniteLines not_finite = {};

  // Lines that were not read whole, or have no result.
  int64_t faults() const {
    return over_long + bad_utf8 + malformed + faulty + cropped + not_finite.count;
  }
  // "120 lines: 2 empty, 1 not UTF-8 (left empty), 3 with unknown tokens"
  std::string text() const;
};

// Tokens of lines, counted.
class LineEncoder {
 public:
  LineEncoder(data::TokeniserPtr tokeniser, const data::TokenRule& rule);

  // Without ids where there is nothing to label.
  data::EncodedText encode(const Line& line);
  std::vector<data::EncodedText> encode(std::span<const Line> lines);
  const LineReport& report() const { return report_; }

 private:
  data::TokeniserPtr tokeniser_;
  data::TokenRule rule_;
  LineReport report_;
};

// Calls run(tokens, numbers) for batches of at most so many of the texts that have ids, those of
// similar length together; `numbers` say which texts they are.
using RunBatch = std::function<void(const data::Tokens& tokens, std::span<const size_t> numbers)>;
void for_each_batch(std::span<const data::EncodedText> texts, int64_t mini_batch,
                    const RunBatch& run);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_LINE_ENCODER_H_
