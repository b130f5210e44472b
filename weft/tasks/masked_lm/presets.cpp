#include "weft/tasks/masked_lm/options.h"

namespace weft::tasks {
namespace {

// Layers before whose parts the norms are, as later encoders have them, and a begin symbol, whose
// state classifiers may read.
constexpr DataPreset kMaskedLmPresets[] = {
    {"tiny", 0,
     "mini-batch-words: 1024\nafter: 40e\nenc-depth: 2\ndim-emb: 128\ntransformer-heads: 4\n"
     "transformer-dim-ffn: 256\ntransformer-norm: pre\ntransformer-dropout: 0.1\n"
     "begin-symbol: true\nlearn-rate: 0.002\nlr-warmup-ratio: 0.1\n"},
    {"small", 20000,
     "mini-batch-words: 2048\nafter: 20e\nenc-depth: 4\ndim-emb: 256\ntransformer-heads: 4\n"
     "transformer-dim-ffn: 512\ntransformer-norm: pre\ntransformer-dropout: 0.1\n"
     "begin-symbol: true\nlearn-rate: 0.001\nlr-warmup-ratio: 0.05\n"},
    {"medium", 200000,
     "mini-batch-words: 4096\nafter: 10e\nenc-depth: 6\ndim-emb: 384\ntransformer-heads: 6\n"
     "transformer-dim-ffn: 1024\ntransformer-norm: pre\ntransformer-dropout: 0.1\n"
     "begin-symbol: true\nlearn-rate: 0.001\nlr-warmup-ratio: 0.05\n"},
    {"large", 2000000,
     "mini-batch-words: 8192\nafter: 4e\nenc-depth: 8\ndim-emb: 512\ntransformer-heads: 8\n"
     "transformer-dim-ffn: 1408\ntransformer-norm: pre\ntransformer-dropout: 0\n"
     "begin-symbol: true\nlearn-rate: 0.0007\nlr-warmup-ratio: 0.03\n"},
};

constexpr DataPreset kMaskedLmTuningPresets[] = {
    {"tuning", 0,
     "mini-batch-words: 2048\nafter: 3e\ntransformer-dropout: 0.1\n"
     "transformer-dropout-attention: 0.1\nlearn-rate: 5e-05\nlr-schedule: linear\n"
     "lr-decay-updates: 0\nlr-warmup-ratio: 0.05\n"},
};

}  // namespace

std::span<const DataPreset> MaskedLmTrainingOptions::presets() const {
  if (start.is_used()) return kMaskedLmTuningPresets;
  return kMaskedLmPresets;
}

}  // namespace weft::tasks
