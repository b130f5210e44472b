#include "weft/decode/search/shortlist.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "weft/core/error.h"
#include "weft/data/text/text_file.h"

namespace weft::decode {
namespace {

using Ids = std::unordered_map<std::string_view, int32_t>;

Ids ids_of(const data::Tokeniser& tokeniser) {
  Ids out;
  for (int32_t id = 0; id < tokeniser.size(); ++id) out.emplace(tokeniser.piece(id), id);
  return out;
}

struct Entry {
  std::string_view target, source;
  double probability;
};

std::optional<Entry> parse(std::string_view line) {
  std::array<std::string_view, 3> parts;
  size_t at = 0;
  for (std::string_view& part : parts) {
    const size_t begin = line.find_first_not_of(" \t", at);
    if (begin == line.npos) return std::nullopt;
    at = std::min(line.find_first_of(" \t", begin), line.size());
    part = line.substr(begin, at - begin);
  }
  if (line.find_first_not_of(" \t", at) != line.npos) return std::nullopt;
  Entry out{parts[0], parts[1], 0};
  const char* const end = parts[2].data() + parts[2].size();
  const auto [stop, error] = std::from_chars(parts[2].data(), end, out.probability);
  const bool is_number = stop == end && error == std::errc() && std::isfinite(out.probability);
  return is_number && out.probability >= 0 ? std::optional(out) : std::nullopt;
}

struct Candidate {
  double probability;
  int32_t target;
};

std::vector<int32_t> best_of(std::vector<Candidate> all, int64_t most) {
  std::sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.target < b.target;
  });
  std::vector<int32_t> out;
  for (const Candidate& t : all) {
    if (std::ssize(out) < most) out.push_back(t.target);
  }
  return out;
}

}  // namespace

Shortlist::Shortlist(const ShortlistOptions& options, const data::Tokeniser& source,
                     const data::Tokeniser& target)
    : first_(static_cast<int32_t>(std::min<int64_t>(options.first, target.size()))),
      end_id_(target.end_id()) {
  const Ids sources = ids_of(source), targets = ids_of(target);
  std::vector<std::vector<Candidate>> candidates(static_cast<size_t>(source.size()));
  int64_t kept = 0;
  for (data::TextFile file(options.path); file.next();) {
    const std::optional<Entry> entry = parse(file.line());
    if (!entry) {
      fail<FormatError>(options.path, "line {}: expected `target source probability`, got {}",
                        file.line_number(), quote(file.line()));
    }
    const auto from = sources.find(entry->source), to = targets.find(entry->target);
    if (from == sources.end() || to == targets.end()) continue;
    candidates[static_cast<size_t>(from->second)].push_back({entry->probability, to->second});
    ++kept;
  }
  if (kept == 0) {
    fail<FormatError>(options.path,
                      "no line has tokens of the model's vocabularies; expected `target source "
                      "probability`, with tokens as the vocabularies spell them");
  }
  for (std::vector<Candidate>& all : candidates) {
    best_.push_back(best_of(std::move(all), options.best));
  }
}

std::vector<int32_t> Shortlist::of(std::span<const int32_t> source) const {
  std::vector<int32_t> out{end_id_};
  for (int32_t id = 0; id < first_; ++id) out.push_back(id);
  for (const int32_t id : source) {
    const std::vector<int32_t>& best = best_[static_cast<size_t>(id)];
    out.insert(out.end(), best.begin(), best.end());
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace weft::decode
