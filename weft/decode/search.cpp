#include "weft/decode/search.h"

namespace weft::decode {
namespace {

// The rows of the step at hand; its memory is used again in the next.
struct Frontier {
  std::vector<int32_t> ids, parents, counts;

  Frontier(size_t sentences, int32_t begin_id)
      : ids(sentences, begin_id), parents(sentences, 0), counts(sentences, 1) {}
  Step step() const { return {ids, parents, counts}; }
  bool is_empty() const { return ids.empty(); }

  // Extends every beam by its rows of `tokens` and lists what then lives.
  void advance(std::vector<Beam>& beams, const TopK& tokens) {
    ids.clear();
    parents.clear();
    int32_t first_row = 0;
    for (size_t s = 0; s < beams.size(); ++s) {
      const int32_t rows = counts[s];
      if (rows > 0) beams[s].advance(tokens, first_row);
      counts[s] = static_cast<int32_t>(beams[s].width());
      for (int64_t i = 0; i < beams[s].width(); ++i) {
        ids.push_back(beams[s].token(i));
        parents.push_back(first_row + beams[s].parent(i));
      }
      first_row += rows;
    }
  }
};

}  // namespace

std::vector<NBest> search(const StepModel& model, std::span<const int64_t> limits,
                          const SearchOptions& options) {
  std::vector<Beam> beams;
  for (const int64_t limit : limits) beams.emplace_back(options.beam, limit);
  Frontier frontier(beams.size(), options.begin_id);
  TopK tokens;
  while (!frontier.is_empty()) {
    tokens.find(model(frontier.step()), options.beam.size, options.forbidden);
    frontier.advance(beams, tokens);
  }
  std::vector<NBest> out;
  for (Beam& beam : beams) out.push_back(beam.take());
  return out;
}

}  // namespace weft::decode
