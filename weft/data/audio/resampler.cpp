#include "weft/data/audio/resampler.h"

#include <soxr.h>

#include "weft/core/error.h"

namespace weft::data {

struct Resampler::State {
  explicit State(soxr_t resampler) : soxr(resampler) {}
  ~State() { soxr_delete(soxr); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // Null ends the input.
  void process(const float* in, size_t count, std::vector<float>& out) {
    constexpr size_t kBlock = 16384;
    size_t taken = 0;
    for (;;) {
      const size_t before = out.size();
      out.resize(before + kBlock);
      size_t used = 0, made = 0;
      const soxr_error_t error =
          soxr_process(soxr, in == nullptr ? nullptr : in + taken, count - taken, &used,
                       out.data() + before, kBlock, &made);
      out.resize(before + made);
      if (error != nullptr) fail<FormatError>("resampler", "{}", soxr_strerror(error));
      taken += used;
      if (made < kBlock && taken == count) return;
    }
  }

  soxr_t soxr;
};

Resampler::Resampler(int64_t from, int64_t to) {
  soxr_error_t error = nullptr;
  const soxr_quality_spec_t quality = soxr_quality_spec(SOXR_HQ, 0);
  const soxr_runtime_spec_t runtime = soxr_runtime_spec(1);  // the caller has the threads
  soxr_t soxr = soxr_create(static_cast<double>(from), static_cast<double>(to), 1, &error, nullptr,
                            &quality, &runtime);
  if (error != nullptr) {
    fail<FormatError>("resampler", "from {} to {} samples a second: {}", from, to,
                      soxr_strerror(error));
  }
  state_ = std::make_unique<State>(soxr);
}
Resampler::~Resampler() = default;
Resampler::Resampler(Resampler&&) noexcept = default;
Resampler& Resampler::operator=(Resampler&&) noexcept = default;

void Resampler::resample(std::span<const float> piece, std::vector<float>& out) {
  if (!piece.empty()) state_->process(piece.data(), piece.size(), out);
}

void Resampler::finish(std::vector<float>& out) { state_->process(nullptr, 0, out); }

}  // namespace weft::data
