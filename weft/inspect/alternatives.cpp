#include "weft/inspect/alternatives.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "weft/decode/engine.h"
#include "weft/inspect/most_probable.h"
#include "weft/inspect/progress.h"

namespace weft::inspect {
namespace {

// The most probable tokens of a row, other than the one taken.
Ids alternatives_to(int32_t taken, std::span<const float> row, const AlternativeSearch& search) {
  Ids out = most_probable(row, search.count + 1 + std::ssize(search.left_out));
  std::erase_if(out, [&](int32_t token) {
    return token == taken || std::ranges::count(search.left_out, token) > 0;
  });
  out.resize(std::min(out.size(), static_cast<size_t>(search.count)));
  return out;
}

// An alternative whose continuation is searched for.
struct Continued {
  Alternative* alternative;
  bool is_cut;  // before the limit of its request
};

void add_continuations(const AlternativeSearch& search, std::span<const Continued> continued,
                       std::vector<decode::Request> requests) {
  const auto found = run_requests(*search.model, std::move(requests));
  for (size_t i = 0; i < found.size(); ++i) {
    const decode::Hypothesis& best = found[i].hypotheses.front();
    std::string& text = continued[i].alternative->continuation;
    text = search.text(best.tokens);
    if (continued[i].is_cut && !best.ended) text += " \u2026";
  }
}

}  // namespace

std::vector<decode::RequestOutput> run_requests(decode::StepModel& model,
                                                std::vector<decode::Request> requests) {
  std::vector<decode::RequestOutput> out(requests.size());
  if (requests.empty()) return out;
  decode::Engine engine(model);
  Progress progress("texts are decoded", std::ssize(requests));
  for (decode::Request& r : requests) engine.submit(std::move(r));
  while (!engine.is_idle()) {
    for (decode::RequestOutput& output : engine.step()) {
      if (output.error) std::rethrow_exception(output.error);
      if (!output.is_finished) continue;
      out[static_cast<size_t>(output.id)] = std::move(output);
      progress.add_one();
    }
  }
  return out;
}

void add_alternatives(const AlternativeSearch& search, std::span<const int32_t> ids,
                      const Tensor& log_p, Prediction& best) {
  std::vector<decode::Request> requests;
  std::vector<Continued> continued;
  for (size_t t = 0; t < ids.size(); ++t) {
    const auto n = static_cast<int64_t>(t);
    const Tensor row = log_p.row_range(n, n + 1);
    PredictedToken& token = best.tokens[t];
    token.alternatives.reserve(static_cast<size_t>(search.count));
    for (const int32_t other : alternatives_to(ids[t], row.span<float>(), search)) {
      Alternative& alternative = token.alternatives.emplace_back(
          Alternative{.token = search.spelled(other),
                      .probability = std::exp(static_cast<double>(row.span<float>()[other]))});
      if (t >= search.continued_tokens) continue;
      Ids prefix(ids.begin(), ids.begin() + n);
      prefix.push_back(other);
      const int64_t most = std::ssize(prefix) + search.continuation_limit;
      decode::Request& request = requests.emplace_back(search.request(std::move(prefix)));
      continued.push_back({&alternative, most < request.length_limit});
      request.length_limit = std::min(request.length_limit, most);
    }
  }
  add_continuations(search, continued, std::move(requests));
}

}  // namespace weft::inspect
