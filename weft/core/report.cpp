#include "weft/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "weft/core/text/counted.h"

namespace weft {
namespace {

// In the order of their enumerations.
constexpr std::string_view kFaultTexts[] = {
    "empty",
    "over the limit in bytes (left empty)",
    "not UTF-8 (left empty)",
    "that cannot be read (left empty)",
    "over the context of the model (left empty)",
    "without a mask (left empty)",
    "whose scores are not finite numbers (left empty)",
};
struct NoteText {
  std::string_view text;
  bool is_problem;
};
constexpr NoteText kNoteTexts[] = {
    {"not UTF-8", true},
    {"split at sentence ends", true},
    {"in several windows", false},
    {"cropped", true},
    {"whose translation was cut off at --max-length-factor or --max-output-length", true},
    {"whose output lacks what it had to hold", true},
    {"with unknown tokens", false},
    {"that gave no text", false},
    {"without words", false},
};

}  // namespace

void Report::add(const Fault& fault, int64_t number) {
  ++faults_[static_cast<size_t>(fault.kind)];
  if (fault.kind == FaultKind::kEmpty || (first_ && first_->number <= number)) return;
  first_ = First{number, fault.reason};
}

int64_t Report::problems() const {
  int64_t sum = 0;
  for (size_t kind = 0; kind < kFaultKinds; ++kind) sum += faults_[kind];
  for (size_t note = 0; note < kNotes; ++note) {
    if (kNoteTexts[note].is_problem) sum += notes_[note];
  }
  return sum - count(FaultKind::kEmpty);
}

bool Report::has_news() const {
  return problems() + count(FaultKind::kEmpty) + count(Note::kWindows) + count(Note::kUnknown) +
             count(Note::kNoWords) >
         0;
}

std::string Report::text() const {
  std::vector<std::string> parts;
  const auto add_part = [&](int64_t n, std::string_view what) {
    if (n > 0) parts.push_back(fmt::format("{} {}", n, what));
  };
  for (size_t kind = 0; kind < kFaultKinds; ++kind) add_part(faults_[kind], kFaultTexts[kind]);
  for (size_t note = 0; note < kNotes; ++note) add_part(notes_[note], kNoteTexts[note].text);
  std::string out = fmt::format("{}{}{}", counted(inputs, unit_), parts.empty() ? "" : ": ",
                                fmt::join(parts, ", "));
  if (!first_) return out;
  return out + fmt::format("; the first fault is in {} {}: {}", unit_, first_->number + 1,
                           first_->reason);
}

}  // namespace weft
