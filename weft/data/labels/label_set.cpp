#include "weft/data/labels/label_set.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/core/hash.h"
#include "weft/core/text/nearest.h"
#include "weft/core/text/utf8.h"

namespace weft::data {
namespace {

constexpr std::string_view kLabelsMagic = "weft labels 1\n";
constexpr size_t kMostToSuggest = 10000;  // names that an error looks for the nearest of

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

void check_name(std::string_view name, size_t number, std::string_view where) {
  if (name.empty()) fail<FormatError>(where, "label {} is empty", number);
  if (name.size() > kMaxLabelBytes) {
    fail<FormatError>(where, "label {} has {} bytes; expected at most {}", number, name.size(),
                      kMaxLabelBytes);
  }
  if (!valid_utf8(name)) fail<FormatError>(where, "label {} is not UTF-8", number);
  if (std::ranges::any_of(name, is_control)) {
    fail<FormatError>(where, "label {} holds a control character: {}", number, quote(name));
  }
}

}  // namespace

LabelSet::LabelSet(std::vector<std::string> names, std::string_view where)
    : names_(std::move(names)) {
  if (names_.empty()) fail<FormatError>(where, "no labels; expected at least one");
  if (names_.size() > kMaxLabels) {
    fail<FormatError>(where, "{} labels; expected at most {}", names_.size(), kMaxLabels);
  }
  ids_.reserve(names_.size());
  for (size_t i = 0; i < names_.size(); ++i) {
    check_name(names_[i], i + 1, where);
    const auto [earlier, is_new] = ids_.emplace(names_[i], static_cast<int32_t>(i));
    if (!is_new) {
      fail<FormatError>(where, "label {} is label {} again: {}", i + 1, earlier->second + 1,
                        quote(names_[i]));
    }
  }
}

const std::string& LabelSet::name(int32_t id) const {
  if (id < 0 || id >= size()) {
    fail<FormatError>("labels", "id out of range; expected 0 to {}, got {}", size() - 1, id);
  }
  return names_[id];
}

int32_t LabelSet::find(std::string_view name) const {
  const auto found = ids_.find(name);
  return found == ids_.end() ? -1 : found->second;
}

int32_t LabelSet::id(std::string_view name, std::string_view where) const {
  const int32_t found = find(name);
  if (found >= 0) return found;
  const std::string hint = names_.size() > kMostToSuggest ? "" : nearest_hint(name, names_);
  fail<FormatError>(where, "the label {} is unknown; expected one of the {} that the model has{}",
                    quote(name), size(), hint);
}

std::string LabelSet::serialise() const {
  std::string out(kLabelsMagic);
  for (const std::string& name : names_) out += name + '\n';
  return out;
}

LabelSet LabelSet::load(std::string_view bytes, std::string_view where) {
  if (!bytes.starts_with(kLabelsMagic)) {
    fail<FormatError>(where, "not a list of labels; expected it to begin with {}",
                      quote(kLabelsMagic));
  }
  bytes.remove_prefix(kLabelsMagic.size());
  std::vector<std::string> names;
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    if (end == bytes.npos) fail<FormatError>(where, "the list of labels is cut off");
    if (names.size() == kMaxLabels) {
      fail<FormatError>(where, "expected at most {} labels", kMaxLabels);
    }
    names.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
  }
  return LabelSet(std::move(names), where);
}

uint64_t LabelSet::fingerprint() const {
  Hash hash;
  for (const std::string& name : names_) {
    hash.add(name.size());
    for (const char c : name) hash.add(static_cast<unsigned char>(c));
  }
  return hash.value();
}

void LabelCounter::add(std::string_view label) {
  const auto found = counts_.find(label);
  if (found != counts_.end()) {
    ++found->second;
  } else {
    counts_.emplace(label, 1);
  }
}

LabelSet LabelCounter::labels(std::string_view where) const {
  std::vector<std::string> names;
  for (auto& [name, count] : ordered()) names.push_back(name);
  return LabelSet(std::move(names), where);
}

std::vector<int64_t> LabelCounter::counts() const {
  std::vector<int64_t> out;
  for (const auto& [name, count] : ordered()) out.push_back(count);
  return out;
}

std::vector<std::pair<std::string, int64_t>> LabelCounter::ordered() const {
  std::vector<std::pair<std::string, int64_t>> out(counts_.begin(), counts_.end());
  std::ranges::sort(out, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return out;
}

}  // namespace weft::data
