// Fuzzes the reader of files of torch.save (libFuzzer):
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   build/fuzz/tests/weft_torch_fuzz -max_len=8192 -max_total_time=600 corpus tests/golden/torch
//
// `corpus` is a folder for what it finds; the other one holds small files. An input is a file, and
// from its first byte on a pickle.
#include <cstdint>
#include <string_view>

#include "tests/fuzz/seeds.h"
#include "weft/core/error.h"
#include "weft/formats/torch/tensor_pickle.h"
#include "weft/formats/torch/torch_header.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace weft::formats;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try {
    for (const TorchEntry& entry : parse_torch_file("fuzz", input)) {
      weft::test::require(entry.begin <= size);
      weft::test::require(entry.shape.size() == entry.strides.size());
    }
  } catch (const weft::FormatError&) {  // the one kind that bytes may lead to
  }
  try {
    parse_tensor_pickle("fuzz", input);
  } catch (const weft::FormatError&) {
  }
  return 0;
}
