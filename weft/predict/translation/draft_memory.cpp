#include "weft/predict/translation/draft_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "weft/core/error.h"
#include "weft/core/text/counted.h"
#include "weft/data/text/text_file.h"

namespace weft::predict {
namespace {

constexpr double kLeastSimilarity = 0.3;
constexpr int32_t kBeforeFirst = -1, kBehindLast = -2;

// The distinct pairs of neighbouring tokens of a sentence, its ends included.
std::vector<uint64_t> token_pairs(std::span<const int32_t> tokens) {
  std::vector<uint64_t> out;
  int32_t before = kBeforeFirst;
  const auto add = [&](int32_t token) {
    out.push_back(uint64_t{static_cast<uint32_t>(before)} << 32 | static_cast<uint32_t>(token));
    before = token;
  };
  for (const int32_t token : tokens) add(token);
  add(kBehindLast);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

DraftMemory::DraftMemory(std::span<const std::string> paths, const data::Tokeniser& source,
                         const data::Tokeniser& target) {
  if (paths.size() != 1 && paths.size() != 2) {
    fail<OptionError>("--draft-memory",
                      "{} files; expected one of sources and one of targets, or one whose lines "
                      "are source, tab, target",
                      paths.size());
  }
  const std::vector<std::string> sources = data::read_lines(paths.front());
  if (paths.size() == 2) {
    const std::vector<std::string> targets = data::read_lines(paths.back());
    if (targets.size() != sources.size()) {
      fail<FormatError>(paths.back(), "{}; expected {}, as {} has",
                        counted(std::ssize(targets), "line"), sources.size(), paths.front());
    }
    for (size_t i = 0; i < sources.size(); ++i) {
      add(source.encode(sources[i]), target.encode(targets[i]));
    }
    return;
  }
  for (size_t i = 0; i < sources.size(); ++i) {
    const std::string_view line = sources[i];
    const size_t tab = line.find('\t');
    if (tab == line.npos) {
      fail<FormatError>(fmt::format("{}:{}", paths.front(), i + 1),
                        "expected source, tab, target; got no tab");
    }
    add(source.encode(line.substr(0, tab)), target.encode(line.substr(tab + 1)));
  }
}

void DraftMemory::add(std::span<const int32_t> source, std::vector<int32_t> target) {
  const std::vector<uint64_t> pairs = token_pairs(source);
  for (const uint64_t pair : pairs) {
    sources_[pair].push_back(static_cast<int32_t>(targets_.size()));
  }
  counts_.push_back(static_cast<int32_t>(pairs.size()));
  targets_.push_back(std::move(target));
}

std::span<const int32_t> DraftMemory::find(std::span<const int32_t> source) const {
  const std::vector<uint64_t> pairs = token_pairs(source);
  std::vector<int32_t> common(targets_.size(), 0);
  for (const uint64_t pair : pairs) {
    const auto found = sources_.find(pair);
    if (found == sources_.end()) continue;
    for (const int32_t i : found->second) ++common[i];
  }
  double best = kLeastSimilarity;
  std::span<const int32_t> out;
  for (size_t i = 0; i < common.size(); ++i) {
    const auto all = static_cast<double>(std::ssize(pairs) + counts_[i]);
    const double similarity = 2 * common[i] / all;
    if (similarity > best || (out.empty() && similarity == best)) {
      best = similarity;
      out = targets_[i];
    }
  }
  return out;
}

}  // namespace weft::predict
