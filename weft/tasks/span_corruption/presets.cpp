#include "weft/tasks/span_corruption/options.h"

namespace weft::tasks {
namespace {

constexpr DataPreset kSpanCorruptionPresets[] = {
    {"tiny", 0,
     "mini-batch-words: 1024\nafter: 40e\nenc-depth: 2\ndec-depth: 2\ndim-emb: 128\n"
     "transformer-heads: 4\ntransformer-dim-ffn: 512\ntransformer-norm: pre\n"
     "tied-embeddings-all: true\ntransformer-dropout: 0.1\nlearn-rate: 0.002\nlr-warmup-ratio: "
     "0.1\n"},
    {"small", 20000,
     "mini-batch-words: 2048\nafter: 20e\nenc-depth: 3\ndec-depth: 3\ndim-emb: 256\n"
     "transformer-heads: 4\ntransformer-dim-ffn: 512\ntransformer-norm: pre\n"
     "tied-embeddings-all: true\ntransformer-dropout: 0.1\nlearn-rate: 0.001\nlr-warmup-ratio: "
     "0.05\n"},
    {"medium", 200000,
     "mini-batch-words: 4096\nafter: 10e\nenc-depth: 4\ndec-depth: 4\ndim-emb: 384\n"
     "transformer-heads: 6\ntransformer-dim-ffn: 1024\ntransformer-norm: pre\n"
     "tied-embeddings-all: true\ntransformer-dropout: 0.1\nlearn-rate: 0.001\nlr-warmup-ratio: "
     "0.05\n"},
    {"large", 2000000,
     "mini-batch-words: 8192\nafter: 4e\nenc-depth: 6\ndec-depth: 6\ndim-emb: 512\n"
     "transformer-heads: 8\ntransformer-dim-ffn: 1408\ntransformer-norm: pre\n"
     "tied-embeddings-all: true\ntransformer-dropout: 0\nlearn-rate: 0.0007\nlr-warmup-ratio: "
     "0.03\n"},
};

constexpr DataPreset kSpanTuningPresets[] = {
    {"tuning", 0,
     "mini-batch-words: 2048\nafter: 3e\ntransformer-dropout: 0.1\nlearn-rate: 0.0001\n"
     "lr-schedule: linear\nlr-decay-updates: 0\nlr-warmup-ratio: 0.05\n"},
};

}  // namespace

std::span<const DataPreset> SpanCorruptionOptions::presets() const {
  if (!from.empty()) return kSpanTuningPresets;
  return kSpanCorruptionPresets;
}

}  // namespace weft::tasks
