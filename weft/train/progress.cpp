#include "weft/train/progress.h"

namespace weft::train {

int64_t counter(const options::Period& period, const Progress& progress) {
  using Unit = options::Period::Unit;
  switch (period.unit) {
    case Unit::kTargets: return progress.targets;
    case Unit::kEpochs: return progress.epochs;
    case Unit::kUpdates: break;
  }
  return progress.updates;
}

bool reached(const options::Period& period, const Progress& progress) {
  return !period.never() && counter(period, progress) >= period.value;
}

bool passed(const options::Period& period, const Progress& before, const Progress& after) {
  return !period.never() &&
         counter(period, after) / period.value > counter(period, before) / period.value;
}

}  // namespace weft::train
