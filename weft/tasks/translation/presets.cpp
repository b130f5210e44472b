#include "weft/data/corpus/parallel_text.h"
#include "weft/tasks/translation/options.h"

// Small data: few subwords, narrow layers, much dropout and small batches, so that there are
// enough updates (Sennrich and Zhang 2019, arXiv 1905.11901; Araabi and Monz 2020, arXiv
// 2011.02266). Measured by benchmarks/tasks/defaults.
namespace weft::tasks {
namespace {

constexpr DataPreset kPairPresets[] = {
    {"tiny", 0,
     "dim-vocabs: [1000]\nmini-batch-words: 1024\nafter: 100e\nenc-depth: 2\ndec-depth: 2\n"
     "dim-emb: 128\ntransformer-heads: 4\ntransformer-dim-ffn: 512\ntransformer-norm: pre\n"
     "tied-embeddings: true\ntransformer-dropout: 0.3\ndropout-rnn: 0.3\nlearn-rate: 0.002\n"
     "lr-warmup-ratio: 0.1\naverage-share: 0.1\n"},
    {"small", 2000,
     "dim-vocabs: [3000]\nmini-batch-words: 2048\nafter: 40e\nenc-depth: 3\ndec-depth: 3\n"
     "dim-emb: 256\ntransformer-heads: 4\ntransformer-dim-ffn: 512\ntransformer-norm: pre\n"
     "tied-embeddings: true\ntransformer-dropout: 0.3\ndropout-rnn: 0.3\nlearn-rate: 0.001\n"
     "lr-warmup-ratio: 0.1\naverage-share: 0.1\n"},
    {"medium", 20000,
     "dim-vocabs: [8000]\nmini-batch-words: 4096\nafter: 30e\nenc-depth: 4\ndec-depth: 4\n"
     "dim-emb: 256\ntransformer-heads: 4\ntransformer-dim-ffn: 1024\ntransformer-norm: pre\n"
     "tied-embeddings: true\ntransformer-dropout: 0.2\ndropout-rnn: 0.2\nlearn-rate: 0.001\n"
     "lr-warmup-ratio: 0.1\naverage-share: 0.1\n"},
    {"large", 200000,
     "dim-vocabs: [16000]\nmini-batch-words: 4096\nafter: 20e\nenc-depth: 6\ndec-depth: 6\n"
     "dim-emb: 512\ntransformer-heads: 8\ntransformer-dim-ffn: 2048\ntransformer-norm: pre\n"
     "tied-embeddings: true\ntransformer-dropout: 0.1\ndropout-rnn: 0.1\nlearn-rate: 0.0005\n"
     "lr-warmup-ratio: 0.05\naverage-share: 0.1\n"},
};

// Few pairs need small batches, so that there are enough updates.
constexpr DataPreset kPairTuningPresets[] = {
    {"tuning", 0,
     "mini-batch-words: 512\nafter: 20e\ntransformer-dropout: 0.1\nlearn-rate: 0.0003\n"
     "lr-schedule: linear\nlr-decay-updates: 0\nlr-warmup-ratio: 0.05\n"},
    {"tuning-large", 20000,
     "mini-batch-words: 2048\nafter: 5e\ntransformer-dropout: 0.1\nlearn-rate: 0.0001\n"
     "lr-schedule: linear\nlr-decay-updates: 0\nlr-warmup-ratio: 0.05\n"},
};

}  // namespace

std::span<const DataPreset> TranslationOptions::presets() const {
  if (!from.empty()) return kPairTuningPresets;
  return kPairPresets;
}

int64_t TranslationOptions::count_examples(int64_t enough) const {
  std::vector<std::string> files;
  for (const data::CorpusFiles& corpus : data::training_files(data)) {
    files.push_back(corpus.files.front());
  }
  return count_lines(files, enough);
}

}  // namespace weft::tasks
