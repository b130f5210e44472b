#include "weft/nn/attention/trace.h"

#include <algorithm>

namespace weft::nn {

AttentionTrace::AttentionTrace(std::vector<AttentionKey> wanted) : wanted_(std::move(wanted)) {}

bool AttentionTrace::wants(const AttentionKey& key) const {
  return !wanted_ || std::ranges::find(*wanted_, key) != wanted_->end();
}

void AttentionTrace::see(const AttentionKey& key, const ObservedAttention& attention,
                         autograd::Tape*) {
  Entry& entry = entries_[key];
  entry = {.heads = attention.heads(), .matrices = {}};
  for (int64_t b = 0; b < attention.examples(); ++b) {
    for (int64_t h = 0; h < entry.heads; ++h) {
      entry.matrices.push_back(attention.probabilities({b, h}, nullptr));
    }
  }
}

std::vector<AttentionKey> AttentionTrace::keys() const {
  std::vector<AttentionKey> out;
  for (const auto& [key, entry] : entries_) out.push_back(key);
  return out;
}

const AttentionTrace::Entry& AttentionTrace::at(const AttentionKey& key) const {
  const auto found = entries_.find(key);
  if (found == entries_.end()) {
    fail<Error>("attention trace",
                "{}-attention of {} layer {} was not recorded: it did not run, "
                "was not asked for, or is of a kind without probabilities of rows",
                key.role == AttentionRole::kSelf ? "self" : "cross", key.stack, key.layer);
  }
  return found->second;
}

int64_t AttentionTrace::examples(const AttentionKey& key) const {
  const Entry& entry = at(key);
  return std::ssize(entry.matrices) / entry.heads;
}

std::span<const Tensor> AttentionTrace::probabilities(const AttentionKey& key,
                                                      int64_t example) const {
  const Entry& entry = at(key);
  if (example < 0 || example >= examples(key)) {
    fail<Error>("attention trace", "expected an example from 0 to {}, got {}", examples(key) - 1,
                example);
  }
  return std::span(entry.matrices)
      .subspan(static_cast<size_t>(example * entry.heads), static_cast<size_t>(entry.heads));
}

}  // namespace weft::nn
