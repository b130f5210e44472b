// A process alone, for tests that meddle with what it is told.
#ifndef WEFT_TESTS_TRAIN_LONE_GROUP_H_
#define WEFT_TESTS_TRAIN_LONE_GROUP_H_

#include "weft/train/distributed/group.h"

namespace weft::train {

class LoneGroup : public Group {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void start_sum(int, std::span<float>) override {}
  void progress() override {}
  void wait_sums() override {}
  double sum(double x) override { return x; }
  void broadcast(std::span<std::byte>) override {}
  void barrier() override {}
};

}  // namespace weft::train

#endif  // WEFT_TESTS_TRAIN_LONE_GROUP_H_
