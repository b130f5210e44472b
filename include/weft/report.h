// What became of the inputs of a prediction. Each input has a result, in order; an input that
// cannot be used has a fault in place of its result.
#ifndef WEFT_REPORT_H_
#define WEFT_REPORT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "weft/export.h"

namespace weft {

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
};

// What is worth telling of an input that has a result.
enum class Note {
  kMalformed,   // not UTF-8, but read all the same
  kSplit,       // over the length limit: predicted in pieces, split at sentence ends
  kWindows,     // longer than is read at a time: read in several windows or pieces
  kCropped,     // over the length limit: the end was not read
  kUnfinished,  // the output was cut off at its length limit
  kIncomplete,  // the output lacks a phrase of its constraints
  kUnknown,     // with a token that the vocabulary does not have
  kNoText,      // a sound, whose text is empty
  kNoWords,     // a text without words, whose result is that of the special symbols
};

// Counts the inputs of one or more calls. Predictors add to it, and continue the numbering of
// inputs from one call to the next. The number of an input selects its line of `constraints` and
// its random masks, so pass the same report to all calls for one text. Without a report each call
// numbers its inputs from 0.
class WEFT_API Report {
 public:
  // `unit` is what an input is: "line", "picture".
  explicit Report(std::string_view unit = "line") : unit_(unit) {}

  // The input has the number `number`, counted from 0.
  void add(const Fault& fault, int64_t number);
  void add(Note note) { ++notes_[static_cast<size_t>(note)]; }

  int64_t count(FaultKind kind) const { return faults_[static_cast<size_t>(kind)]; }
  int64_t count(Note note) const { return notes_[static_cast<size_t>(note)]; }
  // The number of non-empty inputs without a result, plus the number of inputs that were not read
  // whole or whose output is not whole. One input may count twice.
  int64_t problems() const;
  // Whether text() says more than how many inputs there were, and how many gave no text.
  bool has_news() const;
  // "120 lines: 2 empty, 1 not UTF-8 (left empty), 3 cropped; the first fault is in line 7: ..."
  std::string text() const;

  int64_t inputs = 0;
  int64_t input_tokens = 0;     // read by the model, special symbols included
  int64_t output_tokens = 0;    // of all hypotheses, with an end symbol for each that ended
  int64_t drafted_tokens = 0;   // that were verified,
  int64_t accepted_tokens = 0;  // and those that were right

 private:
  static constexpr size_t kFaultKinds = static_cast<size_t>(FaultKind::kNotFinite) + 1;
  static constexpr size_t kNotes = static_cast<size_t>(Note::kNoWords) + 1;
  struct First {
    int64_t number;
    std::string reason;
  };

  std::string unit_;
  std::array<int64_t, kFaultKinds> faults_ = {};
  std::array<int64_t, kNotes> notes_ = {};
  std::optional<First> first_;  // fault of the lowest number, empty inputs aside
};

}  // namespace weft

#endif  // WEFT_REPORT_H_
