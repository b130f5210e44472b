#include "weft/decode/draft/ngram_drafter.h"

#include <algorithm>

namespace weft::decode {
namespace {

constexpr int64_t kLongestNgram = 16;
constexpr int64_t kShortestNgram = 2;  // in a prompt, where single tokens recur by chance
constexpr int32_t kStart = -1;         // stands before a target and the text that it may resemble

using Text = std::span<const int32_t>;

// An n-gram and where it ends in a text.
struct Occurrence {
  size_t end = 0;
  int64_t length = 0;
};

// The longest n-gram at the end of `text` that ends before `end` in `earlier` too.
Occurrence last_occurrence(Text text, Text earlier, size_t end) {
  Occurrence best;
  const auto longest = std::min(kLongestNgram, std::ssize(text));
  for (; end > 0 && best.length < longest; --end) {
    if (earlier[end - 1] != text.back()) continue;
    const auto most = std::min(longest, static_cast<int64_t>(end));
    int64_t length = 1;
    while (length < most && earlier[end - 1 - length] == text[text.size() - 1 - length]) ++length;
    if (length > best.length) best = {end, length};
  }
  return best;
}

// The tokens from `begin` on; at the end of the text it goes on as it did from there.
std::vector<int32_t> copied(Text text, size_t begin, int64_t limit, bool is_periodic) {
  std::vector<int32_t> out;
  for (size_t i = begin; std::ssize(out) < limit && (is_periodic || i < text.size()); ++i) {
    out.push_back(i < text.size() ? text[i] : out[i - text.size()]);
  }
  return out;
}

std::vector<int32_t> joined(Text first, Text second) {
  std::vector<int32_t> out(first.begin(), first.end());
  out.insert(out.end(), second.begin(), second.end());
  return out;
}

}  // namespace

std::vector<int32_t> ngram_draft(const Request& request, std::span<const int32_t> target,
                                 int64_t limit) {
  constexpr int32_t kStarts[] = {kStart};
  const std::vector<int32_t> similar = joined(kStarts, request.draft_text);
  const std::vector<int32_t> whole_target = joined(kStarts, target);
  const std::vector<int32_t> so_far = joined(request.prompt, target);
  const Occurrence elsewhere = request.draft_text.empty()
                                   ? Occurrence()
                                   : last_occurrence(whole_target, similar, similar.size());
  const Occurrence before =
      so_far.empty() ? Occurrence() : last_occurrence(so_far, so_far, so_far.size() - 1);
  if (elsewhere.length > 0 && elsewhere.length >= before.length) {
    return copied(similar, elsewhere.end, limit, false);
  }
  if (before.length < kShortestNgram) return {};
  return copied(so_far, before.end, limit, true);
}

std::vector<std::vector<int32_t>> NgramDrafter::draft(std::span<const DraftTask> tasks) {
  std::vector<std::vector<int32_t>> out;
  for (const DraftTask& task : tasks) {
    out.push_back(task.limit == 0 ? std::vector<int32_t>()
                                  : ngram_draft(*task.request, task.beam->tokens(0), task.limit));
  }
  return out;
}

}  // namespace weft::decode
