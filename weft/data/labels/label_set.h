// The labels that a model gives, and their ids.
#ifndef WEFT_DATA_LABELS_LABEL_SET_H_
#define WEFT_DATA_LABELS_LABEL_SET_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/text/vocabulary.h"

namespace weft::data {

inline constexpr size_t kMaxLabels = size_t{1} << 20;
inline constexpr size_t kMaxLabelBytes = 4096;

// Every name is UTF-8 of 1 to kMaxLabelBytes bytes without control characters and stands once; ids
// are 0, 1, 2, ... in the order of the list.
class LabelSet {
 public:
  LabelSet() = default;
  // Throws FormatError, naming `where`, for a list that breaks the rules above, is empty, or has
  // over kMaxLabels names.
  LabelSet(std::vector<std::string> names, std::string_view where);

  int32_t size() const { return static_cast<int32_t>(names_.size()); }
  const std::vector<std::string>& names() const { return names_; }
  const std::string& name(int32_t id) const;  // throws FormatError for an id out of range
  // -1 for a label that is not listed.
  int32_t find(std::string_view name) const;
  // Throws FormatError, naming `where` (a file and line), for a label that is not listed.
  int32_t id(std::string_view name, std::string_view where) const;

  // The bytes that a model file keeps: a line that says what they are, then a name a line.
  std::string serialise() const;
  // From such bytes, which may come from anyone. Throws FormatError for all but a list as above.
  static LabelSet load(std::string_view bytes, std::string_view where);
  // The same number for the same list, and almost never for others.
  uint64_t fingerprint() const;

 private:
  std::vector<std::string> names_;
  TextMap<int32_t> ids_;
};

// Labels counted, to make a set of.
class LabelCounter {
 public:
  void add(std::string_view label);
  // The most frequent first, equals in byte order. Throws FormatError, naming `where`, as LabelSet
  // does, for a label that can be in no set, and where none was added.
  LabelSet labels(std::string_view where) const;
  // Occurrences of each label of that set, by id.
  std::vector<int64_t> counts() const;

 private:
  std::vector<std::pair<std::string, int64_t>> ordered() const;

  TextMap<int64_t> counts_;
};

}  // namespace weft::data

#endif  // WEFT_DATA_LABELS_LABEL_SET_H_
