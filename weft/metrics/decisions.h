// What a classifier decides of items whose labels are known: how probable it takes the right
// decision to be, and how sure it is of its own.
#ifndef WEFT_METRICS_DECISIONS_H_
#define WEFT_METRICS_DECISIONS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "weft/metrics/calibration.h"
#include "weft/metrics/threshold.h"

namespace weft::metrics {

// Of n items, each with M decisions: 1, which label an item has, or C, whether it has each label.
struct Decisions {
  int64_t per_item = 1;                 // M
  std::vector<double> losses;           // [n, M]; -log p of the right one in nats
  std::vector<Confidence> confidences;  // [n, M]

  // The mean loss; 0 of no items.
  double cross_entropy() const;
  double calibration_error() const { return expected_calibration_error(confidences); }
  // Of these items, which may repeat.
  Decisions sample(std::span<const int32_t> numbers) const;
};

// Of items with a label each, by probabilities that sum to 1. The confidence is that in the most
// probable label. Losses are finite where p has become 0.
Decisions label_decisions(const ScoredItems& items);
// Of multi-label items, whose labels are ascending. The confidence is that in having the label.
Decisions multi_label_decisions(const ScoredItems& items);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_DECISIONS_H_
