#include "weft/formats/torch/torch_header.h"

#include <algorithm>
#include <map>

#include "weft/core/error.h"
#include "weft/formats/torch/tensor_pickle.h"
#include "weft/formats/torch/zip_entries.h"

namespace weft::formats {
namespace {

using Archive = std::map<std::string, std::string_view>;

constexpr std::string_view kZipMark("PK\x03\x04", 4), kPickleName = "/data.pkl";
constexpr uint64_t kMaxTorchElements = uint64_t{1} << 62;

uint64_t element_size(std::string_view dtype) {
  if (dtype == "F64" || dtype == "I64") return 8;
  if (dtype == "F32" || dtype == "I32") return 4;
  if (dtype == "I8" || dtype == "U8" || dtype == "BOOL") return 1;
  return 2;
}

// The folder of all files in the archive, "archive/", and its pickle.
Archive::const_iterator find_pickle(std::string_view where, const Archive& archive) {
  const auto found = std::ranges::find_if(
      archive, [](const auto& entry) { return entry.first.ends_with(kPickleName); });
  if (found != archive.end()) return found;
  fail<FormatError>(where, "the archive has no data.pkl; expected a file of torch.save");
}

// The elements from the first to the last one, both included; 0: none. Throws for more than a file
// can have.
uint64_t reach_of(std::string_view where, const PickledTensor& tensor) {
  uint64_t last = 0;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    const auto size = static_cast<uint64_t>(tensor.shape[i]);
    const auto stride = static_cast<uint64_t>(tensor.strides[i]);
    if (size == 0) return 0;
    if (size > kMaxTorchElements ||
        (stride > 0 && size - 1 > (kMaxTorchElements - last) / stride)) {
      fail<FormatError>(where, "tensor {} is larger than the file", quote(tensor.name));
    }
    last += (size - 1) * stride;
  }
  return last + 1;
}

uint64_t elements_of(std::string_view where, const PickledTensor& tensor) {
  uint64_t out = 1;
  for (const int64_t size : tensor.shape) {
    const auto n = static_cast<uint64_t>(size);
    if (n > 0 && out > kMaxTorchElements / n) {
      fail<FormatError>(where, "tensor {} is larger than the file", quote(tensor.name));
    }
    out *= n;
  }
  return out;
}

TorchEntry entry_of(std::string_view where, std::string_view file, const Archive& archive,
                    const std::string& folder, const PickledTensor& tensor) {
  const auto storage = archive.find(folder + "data/" + tensor.storage);
  if (storage == archive.end()) {
    fail<FormatError>(where, "the archive has no storage {} of tensor {}", quote(tensor.storage),
                      quote(tensor.name));
  }
  const uint64_t size = element_size(tensor.dtype);
  const uint64_t capacity = storage->second.size() / size;
  const uint64_t reach = reach_of(where, tensor), elements = elements_of(where, tensor);
  const auto offset = static_cast<uint64_t>(tensor.offset);
  // Elements that share memory, by a stride of 0, are no more than those of the storage either.
  if (offset > capacity || reach > capacity - offset || elements > capacity) {
    fail<FormatError>(where, "tensor {} has elements outside of its storage of {}",
                      quote(tensor.name), capacity);
  }
  const auto storage_begin = static_cast<uint64_t>(storage->second.data() - file.data());
  return {.name = tensor.name,
          .dtype = tensor.dtype,
          .shape = tensor.shape,
          .strides = tensor.strides,
          .begin = storage_begin + offset * size,
          .bytes = elements * size};
}

}  // namespace

std::vector<TorchEntry> parse_torch_file(std::string_view where, std::string_view file) {
  if (!file.starts_with(kZipMark)) {
    fail<FormatError>(where,
                      "no zip archive, as torch.save writes it from PyTorch 1.6 on; hint: load "
                      "and save it with a later version");
  }
  const Archive archive = zip_entries(where, file);
  const auto pickle = find_pickle(where, archive);
  const std::string folder = pickle->first.substr(0, pickle->first.size() - kPickleName.size() + 1);
  const auto order = archive.find(folder + "byteorder");
  if (order != archive.end() && order->second != "little") {
    fail<FormatError>(where, "its numbers are {}-endian; expected little-endian ones",
                      quote(order->second));
  }
  std::vector<TorchEntry> out;
  for (const PickledTensor& tensor : parse_tensor_pickle(where, pickle->second)) {
    out.push_back(entry_of(where, file, archive, folder, tensor));
  }
  return out;
}

}  // namespace weft::formats
