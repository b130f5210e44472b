// Adapters: low-rank updates (LoRA) of a model's linear maps, in a small file of their own that
// names the model that they were trained on by a checksum.
#ifndef WEFT_MODEL_FILE_ADAPTER_H_
#define WEFT_MODEL_FILE_ADAPTER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/model_file/contents.h"
#include "weft/nn/low_rank.h"
#include "weft/nn/parameters.h"

namespace weft::model_file {

// Those of its file.
struct AdapterOptions {
  static constexpr std::string_view kKind = "adapter";

  int64_t format_version = kFormatVersion;
  std::string type{kKind};
  int64_t rank = 8;
  double alpha = 16;
  double dropout = 0;         // before the updates, in training
  std::string base_checksum;  // of the model that it was trained on; empty: not known

  double scale() const { return alpha / static_cast<double>(rank); }  // of the updates

  template <class V>
  void fields(V& v) {
    v("format-version", format_version, {.min = 1});
    v("type", type);
    v("rank", rank, {.help = "of most updates", .min = 1, .max = 65536});
    v("alpha", alpha, {.help = "updates are scaled by alpha / rank", .min = -1e6, .max = 1e6});
    v("dropout", dropout, {.help = "before the updates, in training", .min = 0, .max = 0.99});
    v("base-checksum", base_checksum, {.help = "of the model that it was trained on"});
  }
};

// The update of one weight [D_out, D_in], in F32.
struct AdapterMatrices {
  std::string weight;  // "model.decoder.layers.0.self_attn.q_proj.weight"
  Tensor down;         // A [r, D_in]
  Tensor up;           // B [D_out, r]
};

struct Adapter {
  AdapterOptions options;
  std::vector<AdapterMatrices> updates;  // in the order of the model's parameters
};

// Parameters are those of a model, in visiting order.
using ModelParameters = std::vector<nn::NamedParameter>;

// 16 hexadecimal digits for the names, shapes and vectors of a model. They are the same whatever
// the type of its matrices, which may be quantised.
std::string base_checksum(const ModelParameters& model);

// Reads a file that write_adapter() wrote. Throws FileError, or FormatError naming the tensor or
// option that is wrong.
Adapter read_adapter(const std::string& path);
// Writes it atomically. Throws FileError.
void write_adapter(const std::string& path, const Adapter& adapter);

// The updates that a model has; `values` [P] are those of nn::low_rank_parameters().
Adapter adapter_of(const ModelParameters& model, const AdapterOptions& options,
                   const Tensor& values);

// Throws FormatError, prefixed with `path`, for an adapter of another model and for a weight that
// the model lacks or that has another shape.
void check_fits(const ModelParameters& model, const Adapter& adapter, const std::string& path);

// Gives the model, of F32 or packed weights, these updates. Throws what check_fits() throws, and
// OptionError where the model has updates already.
void attach(const ModelParameters& model, const Adapter& adapter, const std::string& path);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_ADAPTER_H_
