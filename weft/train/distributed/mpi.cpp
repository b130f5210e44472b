#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <list>
#include <thread>
#include <vector>

#include "weft/tensor/tensor.h"
#include "weft/train/distributed/group.h"

namespace weft::train {
namespace {

// One sum under way: every rank adds up a share of the values, then hands its share to the others.
// MPI_Iallreduce would be one call, but no implementation promises its order of summation; this
// one is the ranks' own, whatever the size, the machines and the version, and moves as few bytes.
class RankOrderSum {
 public:
  RankOrderSum(int number, std::span<float> values, int rank, int size)
      : number_(number), values_(values), rank_(rank), size_(size) {
    parts_ = Tensor::empty({size_, std::ssize(share(rank_))});
    for_each_other([&](int other) {
      receive(part_of(other), other, false);
      send(share(other), other, false);
    });
  }

  // True once `values` hold the sum on this rank and the others have its share.
  bool is_done() {
    int done = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
    if (done == 0) return false;
    if (is_added_) return true;
    add_up();
    hand_out();
    return false;
  }

 private:
  std::span<float> share(int rank) const {
    const Shard part = shard_of(std::ssize(values_), rank, size_);
    return values_.subspan(part.begin, part.end - part.begin);
  }
  std::span<float> part_of(int other) { return parts_.row_range(other, other + 1).span<float>(); }
  template <class F>
  void for_each_other(F f) {
    for (int k = 1; k < size_; ++k) f((rank_ + k) % size_);
  }
  int tag(bool is_total) const { return 2 * number_ + (is_total ? 1 : 0); }
  void send(std::span<float> from, int to, bool is_total) {
    MPI_Isend(from.data(), static_cast<int>(from.size()), MPI_FLOAT, to, tag(is_total),
              MPI_COMM_WORLD, &requests_.emplace_back());
  }
  void receive(std::span<float> to, int from, bool is_total) {
    MPI_Irecv(to.data(), static_cast<int>(to.size()), MPI_FLOAT, from, tag(is_total),
              MPI_COMM_WORLD, &requests_.emplace_back());
  }

  void add_up() {
    const std::span<float> total = share(rank_);
    std::ranges::copy(total, part_of(rank_).begin());
    std::ranges::copy(part_of(0), total.begin());
    for (int r = 1; r < size_; ++r) {
      const std::span<float> part = part_of(r);
      for (size_t i = 0; i < total.size(); ++i) total[i] += part[i];
    }
    is_added_ = true;
    parts_ = Tensor();
  }

  void hand_out() {
    requests_.clear();
    for_each_other([&](int other) {
      receive(share(other), other, true);
      send(share(rank_), other, true);
    });
  }

  int number_;
  std::span<float> values_;
  int rank_, size_;
  Tensor parts_;  // [size, share]: what the others have of this rank's share
  std::vector<MPI_Request> requests_;
  bool is_added_ = false;
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
    // While an exception leaves, the others wait for this rank, and MPI_Finalize would for them:
    // the program calls end_all_ranks() then.
    if (std::uncaught_exceptions() == 0) MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void start_sum(int number, std::span<float> values) override {
    if (size_ > 1) sums_.emplace_back(number, values, rank_, size_);
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
    wait_patiently(request);
  }

 private:
  // Rank 0 may take minutes, to validate say: MPI_Wait would keep a core busy for as long.
  static void wait_patiently(MPI_Request& request) {
    for (int tries = 0, done = 0;; ++tries) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return;
      if (tries > 1000) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }

  int rank_ = 0, size_ = 1;
  std::list<RankOrderSum> sums_;
};

}  // namespace

bool mpi_is_available() { return true; }

std::unique_ptr<Group> make_mpi_group() { return std::make_unique<MpiGroup>(); }

void end_all_ranks(int status) {
  int is_started = 0, is_over = 0;
  MPI_Initialized(&is_started);
  MPI_Finalized(&is_over);
  if (is_started != 0 && is_over == 0) MPI_Abort(MPI_COMM_WORLD, status);
}

}  // namespace weft::train
