// Where the dropouts of a model are: each draws from random numbers of its own.
#ifndef WEFT_NN_DROPOUT_H_
#define WEFT_NN_DROPOUT_H_

#include <cstdint>
#include <utility>

namespace weft::nn {

// One or more dropouts of a module. `stream` is the RNG stream of the first of them; that of a
// module in a block counts from the block's first stream.
struct Dropout {
  double p = 0;
  uint32_t stream = 0;
};

// Numbers the dropouts of a model, or of a block, in the order in which its modules are built. A
// module takes its streams whether p is 0 or not, so that p changes no other module's masks.
class RngStreams {
 public:
  uint32_t take(int64_t count = 1) {
    return std::exchange(taken_, taken_ + static_cast<uint32_t>(count));
  }
  uint32_t taken() const { return taken_; }

 private:
  uint32_t taken_ = 0;
};

}  // namespace weft::nn

#endif  // WEFT_NN_DROPOUT_H_
