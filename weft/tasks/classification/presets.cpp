#include <algorithm>

#include "weft/data/features/labelled_features.h"
#include "weft/data/images/labelled_images.h"
#include "weft/tasks/classification/options.h"
#include "weft/tasks/labels/count.h"

namespace weft::tasks {
namespace {

// Texts: a convolution, which needs less data than self-attention (Kim 2014, arXiv 1408.5882).
// Measured by benchmarks/tasks/defaults.
constexpr DataPreset kTextPresets[] = {
    {"tiny", 0,
     "mini-batch-words: 512\nafter: 60e\ntype: cnn\nenc-depth: 1\ndim-emb: 256\n"
     "pooling: max\ntransformer-heads: 4\ntransformer-dim-ffn: 256\ntransformer-norm: pre\n"
     "transformer-dropout: 0.3\ndropout-rnn: 0.3\nclassifier-dropout: 0.5\nword-dropout: 0.1\n"
     "learn-rate: 0.002\nlr-warmup-ratio: 0.1\naverage-share: 0.1\n"},
    {"small", 2000,
     "mini-batch-words: 1024\nafter: 20e\ntype: cnn\nenc-depth: 1\ndim-emb: 256\n"
     "pooling: max\ntransformer-heads: 4\ntransformer-dim-ffn: 512\ntransformer-norm: pre\n"
     "transformer-dropout: 0.3\ndropout-rnn: 0.3\nclassifier-dropout: 0.5\nword-dropout: 0.1\n"
     "learn-rate: 0.002\nlr-warmup-ratio: 0.1\naverage-share: 0.1\n"},
    {"medium", 20000,
     "mini-batch-words: 2048\nafter: 10e\ntype: cnn\nenc-depth: 1\ndim-emb: 256\n"
     "pooling: attention\ntransformer-heads: 4\ntransformer-dim-ffn: 1024\ntransformer-norm: pre\n"
     "transformer-dropout: 0.2\ndropout-rnn: 0.2\nclassifier-dropout: 0.3\nword-dropout: 0.1\n"
     "learn-rate: 0.002\nlr-warmup-ratio: 0.05\naverage-share: 0.1\n"},
    {"large", 200000,
     "mini-batch-words: 4096\nafter: 5e\ntype: cnn\nenc-depth: 1\ndim-emb: 256\n"
     "pooling: attention\ntransformer-heads: 4\ntransformer-dim-ffn: 1024\ntransformer-norm: pre\n"
     "transformer-dropout: 0.1\ndropout-rnn: 0.1\nclassifier-dropout: 0.2\nword-dropout: 0.1\n"
     "learn-rate: 0.002\nlr-warmup-ratio: 0.05\naverage-share: 0.1\n"},
};

// From a pretrained encoder. Measured by benchmarks/tasks/tuning.
constexpr DataPreset kTextTuningPresets[] = {
    {"tiny", 0,
     "mini-batch: 16\nmini-batch-words: 2048\nafter: 15e\noptimizer: adamw\n"
     "transformer-dropout: 0.1\ntransformer-dropout-attention: 0.1\nlearn-rate: 0.0001\n"
     "lr-schedule: linear\nlr-decay-updates: 0\nlr-warmup-ratio: 0.1\nlayer-decay: 0.85\n"
     "head-rate-factor: 5\naverage-share: 0.2\n"},
    {"small", 2000,
     "mini-batch: 32\nmini-batch-words: 2048\nafter: 4e\noptimizer: adamw\n"
     "transformer-dropout: 0.1\ntransformer-dropout-attention: 0.1\nlearn-rate: 0.0001\n"
     "lr-schedule: linear\nlr-decay-updates: 0\nlr-warmup-ratio: 0.1\nlayer-decay: 0.85\n"
     "head-rate-factor: 5\naverage-share: 0.2\n"},
    {"medium", 20000,
     "mini-batch: 32\nmini-batch-words: 4096\nafter: 3e\noptimizer: adamw\n"
     "transformer-dropout: 0.1\ntransformer-dropout-attention: 0.1\nlearn-rate: 0.0001\n"
     "lr-schedule: linear\nlr-decay-updates: 0\nlr-warmup-ratio: 0.06\nlayer-decay: 0.85\n"
     "head-rate-factor: 5\naverage-share: 0.2\n"},
    {"large", 200000,
     "mini-batch: 64\nmini-batch-words: 8192\nafter: 2e\noptimizer: adamw\n"
     "transformer-dropout: 0.1\ntransformer-dropout-attention: 0.1\nlearn-rate: 0.0001\n"
     "lr-schedule: linear\nlr-decay-updates: 0\nlr-warmup-ratio: 0.06\nlayer-decay: 0.85\n"
     "head-rate-factor: 5\naverage-share: 0.2\n"},
};

// From pairs of texts. All layers learn at one rate, and the output layer at fifty times it: its
// gradient does not reach the encoder. "tiny" was chosen on a few draws of TREC, and the others
// were not measured; benchmarks/tasks/tuning/few.py measures them.
constexpr DataPreset kContrastivePresets[] = {
    {"tiny", 0,
     "mini-batch: 32\nmini-batch-words: 0\nafter: 20e\noptimizer: adamw\n"
     "transformer-dropout: 0.1\ntransformer-dropout-attention: 0.1\nlearn-rate: 0.0001\n"
     "lr-schedule: linear\nlr-decay-updates: 0\nlr-warmup-ratio: 0.1\nhead-rate-factor: 50\n"},
    {"small", 2000,
     "mini-batch: 64\nmini-batch-words: 0\nafter: 5e\noptimizer: adamw\n"
     "transformer-dropout: 0.1\ntransformer-dropout-attention: 0.1\nlearn-rate: 0.0001\n"
     "lr-schedule: linear\nlr-decay-updates: 0\nlr-warmup-ratio: 0.1\nhead-rate-factor: 50\n"},
    {"medium", 20000,
     "mini-batch: 64\nmini-batch-words: 0\nafter: 3e\noptimizer: adamw\n"
     "transformer-dropout: 0.1\ntransformer-dropout-attention: 0.1\nlearn-rate: 0.0001\n"
     "lr-schedule: linear\nlr-decay-updates: 0\nlr-warmup-ratio: 0.06\nhead-rate-factor: 50\n"},
    {"large", 200000,
     "mini-batch: 128\nmini-batch-words: 0\nafter: 2e\noptimizer: adamw\n"
     "transformer-dropout: 0.1\ntransformer-dropout-attention: 0.1\nlearn-rate: 0.0001\n"
     "lr-schedule: linear\nlr-decay-updates: 0\nlr-warmup-ratio: 0.06\nhead-rate-factor: 50\n"},
};

// Pictures: a small Transformer over patches that convolutions made, which need less data than
// linear ones (Xiao et al. 2021, arXiv 2106.14881), and moved pictures. Measured on Fashion-MNIST.
constexpr DataPreset kPicturePresets[] = {
    {"tiny", 0,
     "mini-batch: 64\nmini-batch-words: 0\nafter: 200e\npatch-embedding: convolutions\n"
     "enc-depth: 4\ndim-emb: 64\ntransformer-heads: 4\ntransformer-dim-ffn: 128\n"
     "transformer-ffn-activation: gelu\ntransformer-norm: pre\nposition: rotary-2d\n"
     "pooling: mean\ntransformer-dropout: 0.1\nrandom-crop: 1\nlabel-smoothing: 0.02\n"
     "learn-rate: 0.003\nlr-warmup-ratio: 0.05\naverage-share: 0.1\n"},
    {"small", 2000,
     "mini-batch: 64\nmini-batch-words: 0\nafter: 50e\npatch-embedding: convolutions\n"
     "enc-depth: 6\ndim-emb: 64\ntransformer-heads: 4\ntransformer-dim-ffn: 128\n"
     "transformer-ffn-activation: gelu\ntransformer-norm: pre\nposition: rotary-2d\n"
     "pooling: mean\ntransformer-dropout: 0.1\nrandom-crop: 1\nlabel-smoothing: 0.02\n"
     "learn-rate: 0.003\nlr-warmup-ratio: 0.05\naverage-share: 0.1\n"},
    {"medium", 20000,
     "mini-batch: 64\nmini-batch-words: 0\nafter: 30e\npatch-embedding: convolutions\n"
     "enc-depth: 6\ndim-emb: 128\ntransformer-heads: 4\ntransformer-dim-ffn: 256\n"
     "transformer-ffn-activation: gelu\ntransformer-norm: pre\nposition: rotary-2d\n"
     "pooling: mean\ntransformer-dropout: 0.1\nrandom-crop: 1\nlabel-smoothing: 0.02\n"
     "learn-rate: 0.002\nlr-warmup-ratio: 0.05\naverage-share: 0.1\n"},
    {"large", 200000,
     "mini-batch: 128\nmini-batch-words: 0\nafter: 15e\npatch-embedding: convolutions\n"
     "enc-depth: 6\ndim-emb: 256\ntransformer-heads: 8\ntransformer-dim-ffn: 512\n"
     "transformer-ffn-activation: gelu\ntransformer-norm: pre\nposition: rotary-2d\n"
     "pooling: mean\ntransformer-dropout: 0.1\nrandom-crop: 1\nlabel-smoothing: 0.02\n"
     "learn-rate: 0.001\nlr-warmup-ratio: 0.05\naverage-share: 0.1\n"},
};

// Series: a small Transformer, measured on Japanese Vowels; of more, the length of the training.
constexpr DataPreset kSeriesPresets[] = {
    {"tiny", 0,
     "mini-batch: 32\nmini-batch-words: 0\nafter: 100e\nenc-depth: 2\ndim-emb: 64\n"
     "transformer-heads: 4\ntransformer-dim-ffn: 128\ntransformer-norm: pre\n"
     "transformer-dropout: 0.2\nclassifier-dropout: 0.2\nlabel-smoothing: 0.1\n"
     "learn-rate: 0.002\nlr-warmup-ratio: 0.05\naverage-share: 0.1\n"},
    {"small", 2000,
     "mini-batch: 32\nmini-batch-words: 0\nafter: 40e\nenc-depth: 2\ndim-emb: 64\n"
     "transformer-heads: 4\ntransformer-dim-ffn: 128\ntransformer-norm: pre\n"
     "transformer-dropout: 0.2\nclassifier-dropout: 0.2\nlabel-smoothing: 0.1\n"
     "learn-rate: 0.002\nlr-warmup-ratio: 0.05\naverage-share: 0.1\n"},
    {"medium", 20000, "after: 20e\nlr-warmup-ratio: 0.05\naverage-share: 0.1\n"},
    {"large", 200000, "after: 10e\nlr-warmup-ratio: 0.05\naverage-share: 0.1\n"},
};

}  // namespace

std::span<const DataPreset> ClassificationOptions::presets() const {
  if (model.is_text() && start.is_used()) {
    return loss.contrastive ? std::span<const DataPreset>(kContrastivePresets) : kTextTuningPresets;
  }
  if (model.is_text()) return kTextPresets;
  if (model.input.is<models::ImageInput>()) return kPicturePresets;
  return kSeriesPresets;
}

int64_t ClassificationOptions::count_examples(int64_t enough) const {
  const data::LabelledTextOptions text = read_fields().reading();
  if (model.is_text()) return teacher.count(data.train_sets, text, enough);
  int64_t examples = 0;
  if (model.input.is<models::ImageInput>()) {
    data::read_labelled_images(data.train_sets, text,
                               [&](const data::LabelledImage&) { ++examples; });
  } else {
    data::read_labelled_sequences(data.train_sets, text,
                                  [&](const data::LabelledSequence&) { ++examples; });
  }
  return std::min(examples, enough);
}

}  // namespace weft::tasks
