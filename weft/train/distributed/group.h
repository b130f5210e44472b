// The processes that train one model together. Each of them runs the same program on the same text;
// where they have to agree, they meet here.
#ifndef WEFT_TRAIN_DISTRIBUTED_GROUP_H_
#define WEFT_TRAIN_DISTRIBUTED_GROUP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace weft::train {

// Things [begin, end) of many.
struct Shard {
  int64_t begin = 0, end = 0;
};

// The part of `count` things that falls to a rank: neighbours, none left over, sizes within one.
inline Shard shard_of(int64_t count, int rank, int size) {
  return {count * rank / size, count * (rank + 1) / size};
}

// Every rank makes the same calls in the same order (start_sum: in any order); all of them from one
// thread. A call that waits for others ends the process when one of them is lost.
class Group {
 public:
  virtual ~Group() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  bool is_first() const { return rank() == 0; }

  // Begins to replace `values` by their sum over the ranks, added in the order of the ranks: the
  // same bytes on every rank and in every run. They are not to be touched until wait_sums().
  // `number` is the same on every rank and no other sum's that is under way.
  virtual void start_sum(int number, std::span<float> values) = 0;
  // Moves on what has begun; to be called now and then.
  virtual void progress() = 0;
  virtual void wait_sums() = 0;

  // The sum over the ranks, added in their order.
  virtual double sum(double value) = 0;
  bool any(bool value) { return sum(value ? 1 : 0) > 0; }
  // The bytes of rank 0, on every rank.
  virtual void broadcast(std::span<std::byte> bytes) = 0;
};

// A process by itself.
class SingleProcess : public Group {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void start_sum(int, std::span<float>) override {}
  void progress() override {}
  void wait_sums() override {}
  double sum(double value) override { return value; }
  void broadcast(std::span<std::byte>) override {}
};

// The text that make() returns on rank 0, where alone it is called, on every rank.
template <class Make>
std::string from_first_rank(Group& group, Make make) {
  std::string text;
  if (group.is_first()) text = make();
  int64_t size = std::ssize(text);
  group.broadcast(std::as_writable_bytes(std::span(&size, 1)));
  text.resize(static_cast<size_t>(size));
  group.broadcast(std::as_writable_bytes(std::span(text)));
  return text;
}

// Whether this rank has the same number as rank 0.
template <class Number>
bool is_as_on_first(Group& group, Number mine) {
  Number first = mine;
  group.broadcast(std::as_writable_bytes(std::span(&first, 1)));
  return first == mine;
}

// The group of a process alone: sums are what they were.
std::unique_ptr<Group> single_process();

// Whether this build knows MPI.
bool mpi_is_available();
// All processes that mpirun has started; MPI ends with it. Throws OptionError without MPI.
std::unique_ptr<Group> make_mpi_group();
// Ends all of them with this status, where there is such a group; the reason was said before.
void end_all_ranks(int status);

// The group this process was started in; MPI is not touched where it was started alone.
std::unique_ptr<Group> join_group();

}  // namespace weft::train

#endif  // WEFT_TRAIN_DISTRIBUTED_GROUP_H_
