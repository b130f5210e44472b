#include "weft/tasks/embedding/options.h"

namespace weft::tasks {
namespace {

constexpr DataPreset kEmbeddingPresets[] = {
    {"tiny", 0,
     "mini-batch: 64\nmini-batch-words: 0\nafter: 30e\nenc-depth: 2\ndim-emb: 128\n"
     "transformer-heads: 4\ntransformer-dim-ffn: 256\ntransformer-norm: pre\n"
     "transformer-dropout: 0.1\nword-dropout: 0.1\nlearn-rate: 0.001\nlr-warmup-ratio: 0.1\n"},
    {"small", 20000,
     "mini-batch: 128\nmini-batch-words: 0\nafter: 10e\nenc-depth: 3\ndim-emb: 256\n"
     "transformer-heads: 4\ntransformer-dim-ffn: 512\ntransformer-norm: pre\n"
     "transformer-dropout: 0.1\nlearn-rate: 0.001\nlr-warmup-ratio: 0.05\n"},
};

constexpr DataPreset kEmbedderTuningPresets[] = {
    {"tuning", 0,
     "mini-batch: 32\nmini-batch-words: 0\nafter: 4e\ntransformer-dropout: 0.1\n"
     "learn-rate: 5e-05\nlr-schedule: linear\nlr-decay-updates: 0\nlr-warmup-ratio: 0.1\n"},
};

}  // namespace

std::span<const DataPreset> SentenceEmbeddingOptions::presets() const {
  if (from.empty()) return kEmbeddingPresets;
  return kEmbedderTuningPresets;
}

}  // namespace weft::tasks
