// The processes (ranks) that train one model together, each running the same program on the same
// data, and their collective operations.
#ifndef WEFT_TRAIN_DISTRIBUTED_GROUP_H_
#define WEFT_TRAIN_DISTRIBUTED_GROUP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace weft::train {

// Items [begin, end).
struct Shard {
  int64_t begin = 0, end = 0;
};

// The contiguous shard of `count` items that belongs to a rank. Shard sizes differ by at most one.
inline Shard shard_of(int64_t count, int rank, int size) {
  return {count * rank / size, count * (rank + 1) / size};
}

// All calls are collective: every rank makes the same calls in the same order (start_sum: in any
// order), from one thread. If a rank fails, waiting calls on the others end the process.
class Group {
 public:
  virtual ~Group() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  bool is_first() const { return rank() == 0; }

  // Starts an in-place all-reduce of `values`, summed in rank order: the result is bit-identical on
  // every rank and in every run. `values` must not be accessed until wait_sums(). `id` is equal on
  // all ranks and unique among the sums in progress.
  virtual void start_sum(int id, std::span<float> values) = 0;
  // Advances the sums in progress. To be called regularly.
  virtual void progress() = 0;
  virtual void wait_sums() = 0;

  // The sum over the ranks, in rank order.
  virtual double sum(double value) = 0;
  bool any(bool value) { return sum(value ? 1 : 0) > 0; }
  // Copies the bytes of rank 0 to every rank.
  virtual void broadcast(std::span<std::byte> bytes) = 0;
};

// A group of one process, for training without MPI.
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

// Calls make() on rank 0 and returns its text on every rank.
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

// Whether this rank has the same value as rank 0.
template <class Number>
bool equals_first_rank(Group& group, Number value) {
  Number first = value;
  group.broadcast(std::as_writable_bytes(std::span(&first, 1)));
  return first == value;
}

// Creates a SingleProcess.
std::unique_ptr<Group> single_process();

// The group of all processes started by mpirun. Loads the module weft_mpi (mpi_module.h),
// initialises MPI and finalises it on destruction. The module is the file that the environment
// variable WEFT_MPI_MODULE names, else weft_mpi.so beside the program or in ../lib/weft. Throws
// OptionError if it is missing or cannot be loaded.
std::unique_ptr<Group> make_mpi_group();
// Aborts all ranks with this exit status if MPI was initialised. The caller has reported the error.
void end_all_ranks(int status);

// The group this process was started in. Does not initialise MPI for a single process.
std::unique_ptr<Group> join_group();

}  // namespace weft::train

#endif  // WEFT_TRAIN_DISTRIBUTED_GROUP_H_
