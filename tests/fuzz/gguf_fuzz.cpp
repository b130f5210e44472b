// Fuzzes the reader of GGUF files (libFuzzer):
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   build/fuzz/tests/weft_gguf_fuzz -max_len=8192 -max_total_time=600 corpus tests/golden/gguf
//
// `corpus` is a folder for what it finds; the other one holds a small file with all types.
#include <cstdint>
#include <string>
#include <vector>

#include "weft/core/error.h"
#include "weft/formats/gguf.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace weft::formats;
  try {
    std::string file(reinterpret_cast<const char*>(data), size);
    file.append(32768, '\0');  // short inputs have tensors too
    for (const GgufTensor& tensor : parse_gguf("fuzz", file).tensors) {
      std::vector<float> numbers(static_cast<size_t>(tensor.elements()));
      dequantise(tensor.type, tensor.data, numbers);
    }
  } catch (const weft::FormatError&) {  // the one kind that bytes may lead to
  }
  return 0;
}
