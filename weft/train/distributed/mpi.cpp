#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <list>
#include <thread>
#include <vector>

#include "weft/train/distributed/mpi_module.h"

namespace weft::train {
namespace {

// A non-blocking all-reduce: each rank sums one shard of the values and sends the total to the
// others (reduce-scatter, then all-gather). Unlike MPI_Iallreduce, whose summation order is
// unspecified, it always sums in rank order, and transfers no more bytes.
class RankOrderSum {
 public:
  RankOrderSum(int id, std::span<float> values, int rank, int size)
      : id_(id), values_(values), rank_(rank), size_(size) {
    received_.resize(shard(rank_).size() * static_cast<size_t>(size_));
    for_each_other([&](int other) {
      receive(received_from(other), other, false);
      send(shard(other), other, false);
    });
  }

  // Whether `values` hold the sum and all sends have completed.
  bool is_done() {
    int done = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
    if (done == 0) return false;
    if (is_summed_) return true;
    sum_shard();
    exchange_totals();
    return false;
  }

 private:
  std::span<float> shard(int rank) const {
    const Shard range = shard_of(std::ssize(values_), rank, size_);
    return values_.subspan(range.begin, range.end - range.begin);
  }
  std::span<float> received_from(int other) {
    const size_t size = shard(rank_).size();
    return std::span(received_).subspan(static_cast<size_t>(other) * size, size);
  }
  template <class F>
  void for_each_other(F f) {
    for (int k = 1; k < size_; ++k) f((rank_ + k) % size_);
  }
  int tag(bool is_total) const { return 2 * id_ + (is_total ? 1 : 0); }
  void send(std::span<float> values, int target, bool is_total) {
    MPI_Isend(values.data(), static_cast<int>(values.size()), MPI_FLOAT, target, tag(is_total),
              MPI_COMM_WORLD, &requests_.emplace_back());
  }
  void receive(std::span<float> values, int source, bool is_total) {
    MPI_Irecv(values.data(), static_cast<int>(values.size()), MPI_FLOAT, source, tag(is_total),
              MPI_COMM_WORLD, &requests_.emplace_back());
  }

  void sum_shard() {
    const std::span<float> total = shard(rank_);
    std::ranges::copy(total, received_from(rank_).begin());
    std::ranges::copy(received_from(0), total.begin());
    for (int r = 1; r < size_; ++r) {
      const std::span<float> part = received_from(r);
      for (size_t i = 0; i < total.size(); ++i) total[i] += part[i];
    }
    is_summed_ = true;
    received_ = {};
  }

  void exchange_totals() {
    requests_.clear();
    for_each_other([&](int other) {
      receive(shard(other), other, true);
      send(shard(rank_), other, true);
    });
  }

  int id_;
  std::span<float> values_;
  int rank_, size_;
  std::vector<float> received_;  // [size, shard]: this rank's shard of the others' values
  std::vector<MPI_Request> requests_;
  bool is_summed_ = false;
};

class MpiGroup final : public Group {
 public:
  MpiGroup() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiGroup() override {
    // During stack unwinding MPI_Finalize would deadlock, since the other ranks wait for this one.
    // The program calls end_all_ranks() instead.
    if (std::uncaught_exceptions() == 0) MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void start_sum(int id, std::span<float> values) override {
    if (size_ > 1) sums_.emplace_back(id, values, rank_, size_);
  }
  void progress() override {
    sums_.remove_if([](RankOrderSum& sum) { return sum.is_done(); });
  }
  void wait_sums() override {
    while (!sums_.empty()) progress();
  }

  double sum(double value) override {
    std::vector<double> all(static_cast<size_t>(size_));
    MPI_Allgather(&value, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD);
    double total = 0;
    for (const double x : all) total += x;
    return total;
  }
  void broadcast(std::span<std::byte> bytes) override {
    MPI_Request request;
    MPI_Ibcast(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    wait_without_spinning(request);
  }

 private:
  // MPI_Wait would spin while rank 0 takes minutes, for example to validate.
  static void wait_without_spinning(MPI_Request& request) {
    for (int tries = 0, done = 0;; ++tries) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return;
      if (tries > 1000) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }

  int rank_ = 0, size_ = 1;
  std::list<RankOrderSum> sums_;
};

void end_all(int status) {
  int is_started = 0, is_over = 0;
  MPI_Initialized(&is_started);
  MPI_Finalized(&is_over);
  if (is_started != 0 && is_over == 0) MPI_Abort(MPI_COMM_WORLD, status);
}

constexpr MpiModule kModule{.version = WEFT_VERSION,
                            .make_group = []() -> Group* { return new MpiGroup; },
                            .end_all_ranks = end_all};

}  // namespace
}  // namespace weft::train

extern "C" [[gnu::visibility("default")]] const weft::train::MpiModule* weft_mpi_module() {
  return &weft::train::kModule;
}
