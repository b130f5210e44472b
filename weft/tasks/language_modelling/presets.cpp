#include "weft/tasks/language_modelling/options.h"

namespace weft::tasks {
namespace {

constexpr DataPreset kLanguageModelPresets[] = {
    {"tiny", 0,
     "mini-batch-words: 1024\nafter: 20e\ndec-depth: 2\ndim-emb: 128\ntransformer-heads: 4\n"
     "transformer-dim-ffn: 352\ntransformer-dropout: 0.2\nlearn-rate: 0.003\n"
     "lr-warmup-ratio: 0.05\n"},
    {"small", 20000,
     "mini-batch-words: 2048\nafter: 10e\ndec-depth: 4\ndim-emb: 256\ntransformer-heads: 4\n"
     "transformer-dim-ffn: 704\ntransformer-dropout: 0.2\nlearn-rate: 0.002\n"
     "lr-warmup-ratio: 0.05\n"},
    {"medium", 200000,
     "mini-batch-words: 4096\nafter: 5e\ndec-depth: 6\ndim-emb: 384\ntransformer-heads: 6\n"
     "transformer-dim-ffn: 1024\ntransformer-dropout: 0.1\nlearn-rate: 0.001\n"
     "lr-warmup-ratio: 0.02\n"},
    {"large", 2000000,
     "mini-batch-words: 8192\nafter: 2e\ndec-depth: 8\ndim-emb: 512\ntransformer-heads: 8\n"
     "transformer-dim-ffn: 1408\ntransformer-dropout: 0\nlearn-rate: 0.001\n"
     "lr-warmup-ratio: 0.02\n"},
};

constexpr DataPreset kTuningPresets[] = {
    {"tuning", 0,
     "mini-batch-words: 2048\nafter: 3e\ntransformer-dropout: 0\nlearn-rate: 3e-05\n"
     "lr-schedule: linear\nlr-decay-updates: 0\nlr-warmup-ratio: 0.05\n"},
};

constexpr DataPreset kAdapterPresets[] = {
    {"adapter", 0,
     "mini-batch-words: 2048\nafter: 3e\ntransformer-dropout: 0\nlearn-rate: 0.0005\n"
     "lr-schedule: linear\nlr-decay-updates: 0\nlr-warmup-ratio: 0.05\n"},
};

}  // namespace

std::span<const DataPreset> LanguageModellingOptions::presets() const {
  if (low_rank.is_used()) return kAdapterPresets;
  if (!from.empty()) return kTuningPresets;
  return kLanguageModelPresets;
}

}  // namespace weft::tasks
