// Started by mpirun: checks the collective operations. Exits with status 1 and a message on errors.
#include <cstdio>
#include <cstring>
#include <vector>

#include "weft/core/random.h"
#include "weft/train/distributed/group.h"

namespace weft::test {
namespace {

using train::Group;

// The contribution of a rank to a sum: values whose sum depends on the order.
std::vector<float> brought(int rank, size_t count) {
  RandomStream random(static_cast<uint64_t>(rank) + 1, count);
  std::vector<float> out(count);
  for (float& x : out) x = static_cast<float>(random.below(1u << 24)) * 1e-3f - 8000.0f;
  return out;
}

bool check(bool is_right, const char* what) {
  if (!is_right) std::fprintf(stderr, "group_check: wrong: %s\n", what);
  return is_right;
}

// Concurrent sums, started in a different order on each rank, are summed in rank order.
bool check_sums(Group& group) {
  const std::vector<size_t> counts = {1, 2, 1000, size_t{1} << 19, 700001, 3};
  std::vector<std::vector<float>> mine, expected;
  for (const size_t count : counts) {
    mine.push_back(brought(group.rank(), count));
    expected.push_back(brought(0, count));
    for (int rank = 1; rank < group.size(); ++rank) {
      const std::vector<float> more = brought(rank, count);
      for (size_t i = 0; i < count; ++i) expected.back()[i] += more[i];
    }
  }
  for (size_t k = 0; k < counts.size(); ++k) {
    const size_t number = (k + static_cast<size_t>(group.rank())) % counts.size();
    group.start_sum(static_cast<int>(number), mine[number]);
    group.progress();
  }
  group.wait_sums();
  return check(mine == expected, "sums of floats");
}

bool check_small_talk(Group& group) {
  const int last = group.size() - 1;
  bool right = check(group.sum(0.5 + group.rank()) == 0.5 * group.size() * group.size(), "sum");
  right &= check(group.any(group.rank() == last), "any of one");
  right &= check(!group.any(false), "any of none");
  char text[6] = "other";
  if (group.is_first()) std::memcpy(text, "first", 6);
  group.broadcast(std::as_writable_bytes(std::span(text)));
  right &= check(std::strcmp(text, "first") == 0, "broadcast");
  right &= check(from_first_rank(group, [] { return "longer text"; }) == "longer text", "text");
  return right;
}

}  // namespace
}  // namespace weft::test

int main() {
  const auto group = weft::train::join_group();
  bool right = true;
  for (int round = 0; round < 3; ++round) right &= weft::test::check_sums(*group);
  right &= weft::test::check_small_talk(*group);
  if (group->is_first()) std::printf("%d ranks\n", group->size());
  if (!right) weft::train::end_all_ranks(1);
  return right ? 0 : 1;
}
