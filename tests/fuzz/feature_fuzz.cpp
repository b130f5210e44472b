// Fuzzes the readers of sequences of vectors: .npy, CSV and sktime's .ts (libFuzzer):
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   build/fuzz/tests/weft_feature_fuzz -max_len=8192 -max_total_time=600 corpus \
//     tests/golden/features
//
// `corpus` is a folder for what it finds; the other one holds small files of every kind.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "weft/core/error.h"
#include "weft/data/features/feature_file.h"

namespace {

using namespace weft::data;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void use(const FeatureSequence& sequence) {
  require(sequence.width >= 1 && sequence.width <= kMaxFeatureWidth && sequence.rows() >= 1);
  require(std::ssize(sequence.values) == sequence.rows() * sequence.width);
  for (const float value : sequence.values) require(!std::isinf(value));
}

template <class Act>
void allow_format_errors(Act act) {
  try {
    act();
  } catch (const weft::FormatError&) {  // the one kind that bytes may lead to
  }
}

// A file in memory with these bytes.
class MemoryFile {
 public:
  MemoryFile(const uint8_t* data, size_t size) : descriptor_(memfd_create("fuzz", 0)) {
    require(write(descriptor_, data, size) == static_cast<ssize_t>(size));
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  allow_format_errors([&] { use(parse_features(bytes, "fuzz")); });
  const MemoryFile file(data, size);
  allow_format_errors(
      [&] { read_ts(file.path(), [](const TsExample& example) { use(example.sequence); }); });
  return 0;
}
