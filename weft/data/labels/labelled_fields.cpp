#include "weft/data/labels/labelled_fields.h"

#include <fmt/ranges.h>

namespace weft::data {
namespace {

std::string listed(std::string_view what, const std::vector<int64_t>& numbers) {
  if (numbers.empty()) return {};
  return fmt::format(", {} in field{} {}", what, numbers.size() > 1 ? "s" : "",
                     fmt::join(numbers, " "));
}

}  // namespace

std::string LabelledFields::report() const {
  const std::string second = has_pairs() ? fmt::format(" and field {}", pair) : "";
  return fmt::format("text in field {}{}{}{}", text, second, listed("labels of words", word_labels),
                     listed("labels of texts", text_labels));
}

LabelledTextOptions LabelledFields::reading() const {
  LabelledTextOptions out{.layout = labelled_layout_named(format),
                          .text_field = text,
                          .pair_field = pair,
                          .labels = {}};
  for (const int64_t field : word_labels) out.labels.push_back({.field = field});
  for (const int64_t field : text_labels) {
    out.labels.push_back({.field = field, .is_of_line = true, .separators = separators});
  }
  return out;
}

}  // namespace weft::data
