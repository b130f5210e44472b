// What a person gives to a model, and why a model has no result for it.
#ifndef WEFT_PREDICT_LINE_H_
#define WEFT_PREDICT_LINE_H_

#include <optional>
#include <string>

namespace weft::predict {

enum class FaultKind {
  kEmpty,        // no word, or no path
  kTooLong,      // over the limit in bytes
  kNotUtf8,      // of a text; a path may be any bytes
  kUnreadable,   // a file, or an example of a labelled text
  kOverContext,  // of a language model
  kNoMask,       // a text without a mask symbol
  kNotFinite,    // the model's scores are not numbers
};

// Why an input has no result.
struct Fault {
  FaultKind kind = FaultKind::kEmpty;
  std::string reason;

  // With the reason that is the same for all inputs.
  static Fault too_long();
  static Fault not_utf8();
  static Fault not_finite();
};

// A line of input: a text, or the path of a file.
struct Line {
  std::string text;                 // without its line break
  std::optional<Fault> fault = {};  // why it cannot be used, whatever the model
};

// The fault of a line of text: its own, or over data::kMaxLineBytes, or not UTF-8.
std::optional<Fault> fault_of_text(const Line& line);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_LINE_H_
