#include "weft/tasks/labels/count.h"
#include "weft/tasks/tagging/options.h"

namespace weft::tasks {
namespace {

// An LSTM over words and convolutions of their characters, which needs less data than
// self-attention (Ma and Hovy 2016, arXiv 1603.01354). Measured by benchmarks/tasks/defaults.
constexpr DataPreset kTaggingPresets[] = {
    {"tiny", 0,
     "mini-batch-words: 512\nafter: 40e\ntype: rnn\nenc-depth: 1\ndim-emb: 128\n"
     "transformer-heads: 4\ntransformer-dim-ffn: 256\ntransformer-norm: pre\n"
     "transformer-dropout: 0.3\ndropout-rnn: 0.4\ntagger-dropout: 0.4\nword-dropout: 0.1\n"
     "char-encoder: cnn\nchar-filters: 100\nlearn-rate: 0.002\nlr-warmup-ratio: 0.1\n"
     "average-share: 0.1\n"},
    {"small", 2000,
     "mini-batch-words: 1024\nafter: 20e\ntype: rnn\nenc-depth: 1\ndim-emb: 200\n"
     "transformer-heads: 4\ntransformer-dim-ffn: 512\ntransformer-norm: pre\n"
     "transformer-dropout: 0.3\ndropout-rnn: 0.4\ntagger-dropout: 0.4\nword-dropout: 0.1\n"
     "char-encoder: cnn\nchar-filters: 100\nlearn-rate: 0.002\nlr-warmup-ratio: 0.1\n"
     "average-share: 0.1\n"},
    {"medium", 20000,
     "mini-batch-words: 2048\nafter: 10e\ntype: rnn\nenc-depth: 1\ndim-emb: 256\n"
     "transformer-heads: 4\ntransformer-dim-ffn: 1024\ntransformer-norm: pre\n"
     "transformer-dropout: 0.2\ndropout-rnn: 0.3\ntagger-dropout: 0.3\nword-dropout: 0.05\n"
     "char-encoder: cnn\nchar-filters: 100\nlearn-rate: 0.002\nlr-warmup-ratio: 0.05\n"
     "average-share: 0.1\n"},
    {"large", 200000,
     "mini-batch-words: 4096\nafter: 5e\ntype: rnn\nenc-depth: 1\ndim-emb: 256\n"
     "transformer-heads: 4\ntransformer-dim-ffn: 1024\ntransformer-norm: pre\n"
     "transformer-dropout: 0.1\ndropout-rnn: 0.1\ntagger-dropout: 0.1\nword-dropout: 0.02\n"
     "char-encoder: cnn\nchar-filters: 100\nlearn-rate: 0.002\nlr-warmup-ratio: 0.05\n"
     "average-share: 0.1\n"},
};

// From a pretrained encoder. Measured by benchmarks/tasks/tuning.
constexpr DataPreset kTaggerTuningPresets[] = {
    {"tiny", 0,
     "mini-batch: 16\nmini-batch-words: 2048\nafter: 20e\noptimizer: adamw\n"
     "transformer-dropout: 0.1\ntransformer-dropout-attention: 0.1\nlearn-rate: 0.0002\n"
     "lr-schedule: linear\nlr-decay-updates: 0\nlr-warmup-ratio: 0.1\nlayer-decay: 0.85\n"
     "head-rate-factor: 5\naverage-share: 0.2\n"},
    {"small", 2000,
     "mini-batch: 32\nmini-batch-words: 2048\nafter: 8e\noptimizer: adamw\n"
     "transformer-dropout: 0.1\ntransformer-dropout-attention: 0.1\nlearn-rate: 0.0002\n"
     "lr-schedule: linear\nlr-decay-updates: 0\nlr-warmup-ratio: 0.1\nlayer-decay: 0.85\n"
     "head-rate-factor: 5\naverage-share: 0.2\n"},
    {"medium", 20000,
     "mini-batch: 32\nmini-batch-words: 4096\nafter: 4e\noptimizer: adamw\n"
     "transformer-dropout: 0.1\ntransformer-dropout-attention: 0.1\nlearn-rate: 0.0002\n"
     "lr-schedule: linear\nlr-decay-updates: 0\nlr-warmup-ratio: 0.06\nlayer-decay: 0.85\n"
     "head-rate-factor: 5\naverage-share: 0.2\n"},
    {"large", 200000,
     "mini-batch: 64\nmini-batch-words: 8192\nafter: 2e\noptimizer: adamw\n"
     "transformer-dropout: 0.1\ntransformer-dropout-attention: 0.1\nlearn-rate: 0.0002\n"
     "lr-schedule: linear\nlr-decay-updates: 0\nlr-warmup-ratio: 0.06\nlayer-decay: 0.85\n"
     "head-rate-factor: 5\naverage-share: 0.2\n"},
};

}  // namespace

std::span<const DataPreset> TaggingOptions::presets() const {
  if (start.is_used()) return kTaggerTuningPresets;
  return kTaggingPresets;
}

int64_t TaggingOptions::count_examples(int64_t enough) const {
  return teacher.count(data.train_sets, corpus().text, enough);
}

}  // namespace weft::tasks
