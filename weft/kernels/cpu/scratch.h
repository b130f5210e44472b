// Memory of the calling thread for the length of a call.
#ifndef WEFT_KERNELS_CPU_SCRATCH_H_
#define WEFT_KERNELS_CPU_SCRATCH_H_

#include <cstddef>
#include <cstdint>

namespace weft::kernels::cpu {

// Kept by the thread from one use to the next. Only one may live at a time.
class Scratch {
 public:
  Scratch();
  // `floats` more of it, aligned to 64 bytes, contents undefined.
  float* take(int64_t floats);

  // Gives back, when it goes, what was taken since it was made.
  class Mark {
   public:
    explicit Mark(Scratch& scratch);
    ~Mark();
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;

   private:
    size_t block_;
    int64_t used_;
  };
};

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_SCRATCH_H_
