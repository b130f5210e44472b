#include "apps/weft/flags/marian_flags.h"

#include <algorithm>

namespace weft::app {
namespace {

// Hints shared by several flags.
constexpr std::string_view kNothing = "a feature of Marian that Weft does not have";
constexpr std::string_view kQuiet = "did you mean --quiet?";
constexpr std::string_view kPaths = "paths are relative to the working folder and used verbatim";
constexpr std::string_view kInFile = "the model file contains the architecture";
constexpr std::string_view kFactors = "factored vocabularies are not supported";
constexpr std::string_view kAverage = "did you mean --attention average --attention-in decoder?";
constexpr std::string_view kBert = "BERT models are not supported";
constexpr std::string_view kChar =
    "see --type cnn for a convolutional encoder and --vocab-type char for characters";
constexpr std::string_view kShuffle = "sentences are always shuffled, by --seed";
constexpr std::string_view kMemory =
    "text of 64 MB or more is tokenised into a file, which is not held in memory: --corpus-cache";
constexpr std::string_view kCpu = "Weft runs on the CPU: --threads";
constexpr std::string_view kRanks =
    "mpirun starts several processes, whose gradients are summed in each update";
constexpr std::string_view kDecay = "did you mean --lr-schedule?";
constexpr std::string_view kFloat32 = "scores are computed in float32";
constexpr std::string_view kGradient =
    "gradients are of the mean loss per target token, clipped by --clip-norm";
constexpr std::string_view kRounded = "weft quantize quantises a trained model";
constexpr std::string_view kValidation =
    "validation translates like weft translate, with --valid-beam-size";
constexpr std::string_view kScript = "--valid-metrics bleu and chrf need no script";
constexpr std::string_view kPlainText = "score plain text: --train-sets";
constexpr std::string_view kText = "change the text before training";
constexpr std::string_view kBatch =
    "the batch size is constant: --mini-batch-words or --mini-batch-fit";
constexpr std::string_view kVocabularies = "the model file contains the vocabularies";

// The flags of Marian 1.12 in the order of its config_parser.cpp. A hint is empty if the command
// has the option or Marian's program does not.
constexpr MarianFlag kFlags[] = {
    {"authors", kNothing, kNothing, kNothing},
    {"cite", kNothing, kNothing, kNothing},
    {"build-info", kNothing, kNothing, kNothing},
    {"log-level", kQuiet, kQuiet, kQuiet},
    {"log-time-zone", kNothing, kNothing, kNothing},
    {"quiet-translation", kQuiet, kQuiet, kQuiet},
    {"check-nan", "such updates are skipped: --max-skipped", kNothing, kNothing},
    {"interpolate-env-vars", kPaths, kPaths, kPaths},
    {"relative-paths", kPaths, kPaths, kPaths},
    {"sigterm", "SIGTERM saves the training state; the same command resumes", "", ""},
    {"workspace", "", "memory is allocated as needed: --mini-batch",
     "memory is allocated as needed: --mini-batch-words"},
    {"seed", "", "", "scoring is not random"},
    {"ignore-model-config", "options are set by the command line and --config", kInFile, kInFile},
    {"type", "", kInFile, kInFile},
    {"dim-vocabs", "", kInFile, kInFile},
    {"dim-emb", "", kInFile, kInFile},
    {"factors-dim-emb", kFactors, kInFile, kInFile},
    {"factors-combine", kFactors, kInFile, kInFile},
    {"lemma-dependency", kFactors, kInFile, kInFile},
    {"lemma-dim-emb", kFactors, kInFile, kInFile},
    {"dim-rnn", "cells have the width of embeddings: --dim-emb", kInFile, kInFile},
    {"enc-type", "", kInFile, kInFile},
    {"enc-cell", "--rnn-cell sets the cell of encoder and decoder", kInFile, kInFile},
    {"enc-cell-depth", "layers have one cell: --enc-depth", kInFile, kInFile},
    {"enc-depth", "", kInFile, kInFile},
    {"dec-cell", "--rnn-cell sets the cell of encoder and decoder", kInFile, kInFile},
    {"dec-cell-base-depth", "layers have one cell: --dec-depth", kInFile, kInFile},
    {"dec-cell-high-depth", "layers have one cell: --dec-depth", kInFile, kInFile},
    {"dec-depth", "", kInFile, kInFile},
    {"skip", "recurrent layers have no skip connections", kInFile, kInFile},
    {"layer-normalization", "norms are for --type transformer: --norm-kind", kInFile, kInFile},
    {"right-left", "reverse the target text instead", kInFile, kInFile},
    {"input-types", "all inputs are sequences; see --data-weighting and --guided-alignment",
     kInFile, kInFile},
    {"best-deep", "for deep recurrent models: --enc-depth and --dec-depth", kInFile, kInFile},
    {"tied-embeddings", "", kInFile, kInFile},
    {"tied-embeddings-all", "", kInFile, kInFile},
    {"output-omit-bias", "did you mean --no-output-bias?", kInFile, kInFile},
    {"transformer-heads", "", kInFile, kInFile},
    {"transformer-no-projection", "attention always has projections", kInFile, kInFile},
    {"transformer-pool", "every decoder layer attends to the source", kInFile, kInFile},
    {"transformer-dim-ffn", "", kInFile, kInFile},
    {"transformer-ffn-depth",
     "it always has two layers: --transformer-dim-ffn, --transformer-ffn-gated", kInFile, kInFile},
    {"transformer-ffn-activation", "", kInFile, kInFile},
    {"transformer-dim-aan", kAverage, kInFile, kInFile},
    {"transformer-aan-depth", kAverage, kInFile, kInFile},
    {"transformer-aan-activation", kAverage, kInFile, kInFile},
    {"transformer-aan-nogate", kAverage, kInFile, kInFile},
    {"transformer-decoder-autoreg", kAverage, kInFile, kInFile},
    {"transformer-tied-layers", "", kInFile, kInFile},
    {"transformer-guided-alignment-layer", "--guided-attention-heads selects layers and heads",
     kInFile, kInFile},
    {"transformer-preprocess", "norms before sublayers: --transformer-norm pre", kInFile, kInFile},
    {"transformer-postprocess-emb", "--transformer-dropout also applies to embeddings", kInFile,
     kInFile},
    {"transformer-postprocess", "norms after sublayers: --transformer-norm post, the default",
     kInFile, kInFile},
    {"transformer-postprocess-top", "--transformer-norm pre adds a final norm to each stack",
     kInFile, kInFile},
    {"transformer-train-position-embeddings", "did you mean --position learned?", kInFile, kInFile},
    {"transformer-depth-scaling", "for deep stacks: --residual-scale deepnorm", kInFile, kInFile},
    {"bert-mask-symbol", kBert, kInFile, kInFile},
    {"bert-sep-symbol", kBert, kInFile, kInFile},
    {"bert-class-symbol", kBert, kInFile, kInFile},
    {"bert-masking-fraction", kBert, kInFile, kInFile},
    {"bert-train-type-embeddings", kBert, kInFile, kInFile},
    {"bert-type-vocab-size", kBert, kInFile, kInFile},
    {"char-stride", kChar, kInFile, kInFile},
    {"char-highway", kChar, kInFile, kInFile},
    {"char-conv-filters-num", kChar, kInFile, kInFile},
    {"char-conv-filters-widths", kChar, kInFile, kInFile},
    {"dropout-src", "dropout of whole words is not supported: --transformer-dropout, --dropout-rnn",
     "", ""},
    {"dropout-trg", "dropout of whole words is not supported: --transformer-dropout, --dropout-rnn",
     "", ""},
    {"cost-type", "the loss is the mean over target tokens (ce-mean-words): --loss", "", ""},
    {"multi-loss-type", "losses are summed: --guided-attention-weight", "", ""},
    {"unlikelihood-loss", "against repetition there is --unlikelihood", "", ""},
    {"no-reload", "to start over: --overwrite", "", "a model is always loaded"},
    {"sentencepiece-alphas", "subwords are not sampled", "", ""},
    {"after-epochs", "did you mean --after 10e?", "", ""},
    {"after-batches", "did you mean --after 10000u?", "", ""},
    {"disp-first", "did you mean --disp-freq?", "", ""},
    {"disp-label-counts", kNothing, "", ""},
    {"logical-epoch",
     "an epoch is one pass over the text; --after and --save-freq also accept updates and tokens",
     "", ""},
    {"shuffle", kShuffle, "", ""},
    {"no-shuffle", kShuffle, "", ""},
    {"no-restore-corpus", "a resumed run continues exactly where it stopped", "", ""},
    {"tempdir", kMemory, "", ""},
    {"sqlite", kMemory, "", ""},
    {"sqlite-drop", kMemory, "", ""},
    {"shuffle-in-ram", kMemory, "", ""},
    {"devices", kCpu, kCpu, kCpu},
    {"num-devices", kCpu, kCpu, kCpu},
    {"no-nccl", kRanks, "", ""},
    {"sharding", kRanks, "", ""},
    {"sync-freq", kRanks, "", ""},
    {"sync-sgd", "updates are always synchronous", "", ""},
    {"lr-report", "progress reports include the rate: --disp-freq", "", ""},
    {"lr-decay", kDecay, "", ""},
    {"lr-decay-strategy", kDecay, "", ""},
    {"lr-decay-start", kDecay, "", ""},
    {"lr-decay-freq", kDecay, "", ""},
    {"lr-decay-reset-optimizer", kDecay, "", ""},
    {"lr-decay-repeat-warmup", kDecay, "", ""},
    {"lr-decay-inv-sqrt", "--lr-schedule inverse-sqrt, the default, starts after --lr-warmup", "",
     ""},
    {"lr-warmup-start-rate", "the rate rises once from 0: --lr-warmup", "", ""},
    {"lr-warmup-cycle", "the rate rises once from 0: --lr-warmup", "", ""},
    {"lr-warmup-at-reload", "the rate rises once from 0: --lr-warmup", "", ""},
    {"factor-weight", kFactors, "", ""},
    {"guided-alignment-cost", "the cost is always cross-entropy, Marian's ce", "", ""},
    {"guided-alignment-weight", "did you mean --guided-attention-weight?", "", ""},
    {"embedding-vectors", "for weights of a whole model: --pretrained-model", "", ""},
    {"embedding-normalization", "for weights of a whole model: --pretrained-model", "", ""},
    {"embedding-fix-src", "did you mean --freeze model.encoder.embed_tokens.weight?", "", ""},
    {"embedding-fix-trg", "did you mean --freeze model.decoder.embed_tokens.weight?", "", ""},
    {"fp16", "did you mean --precision bfloat16?", "did you mean --precision bfloat16?", kFloat32},
    {"cost-scaling", "bfloat16 needs no loss scaling: --precision", "", ""},
    {"gradient-norm-average-window", kGradient, "", ""},
    {"dynamic-gradient-scaling", kGradient, "", ""},
    {"check-gradient-nan", "such updates are skipped: --max-skipped", "", ""},
    {"normalize-gradient", kGradient, "", ""},
    {"train-embedder-rank", kNothing, "", ""},
    {"quantize-bits", kRounded, "", ""},
    {"quantize-optimization-steps", kRounded, "", ""},
    {"quantize-log-based", kRounded, "", ""},
    {"quantize-biases", kRounded, "", ""},
    {"ulr", kNothing, "", ""},
    {"ulr-query-vectors", kNothing, "", ""},
    {"ulr-keys-vectors", kNothing, "", ""},
    {"ulr-trainable-transformation", kNothing, "", ""},
    {"ulr-dim-emb", kNothing, "", ""},
    {"ulr-dropout", kNothing, "", ""},
    {"ulr-softmax-temperature", kNothing, "", ""},
    {"valid-reset-stalled", "a change of --valid-sets or of the first metric resets it", "", ""},
    {"early-stopping-on", "the first metric of --valid-metrics decides", "", ""},
    {"beam-size", "did you mean --valid-beam-size?", "", ""},
    {"normalize", kValidation, "", ""},
    {"max-length-factor", kValidation, "", ""},
    {"word-penalty", kValidation, "see --normalize and --length-penalty", ""},
    {"allow-unk", kValidation, "", ""},
    {"n-best", kValidation, "", kPlainText},
    {"n-best-feature", "", "", kPlainText},
    {"word-scores", kValidation, "", "scores are per line, divided by tokens with --normalize"},
    {"valid-mini-batch", "results do not depend on validation batches", "", ""},
    {"valid-max-length", "validation sentences are cropped to the model's limit", "", ""},
    {"valid-script-path", kScript, "", ""},
    {"valid-script-args", kScript, "", ""},
    {"valid-translation-output", kValidation, "", ""},
    {"keep-best", "the model file is always the best one by the first of --valid-metrics", "", ""},
    {"valid-log", "validations are logged: --log", "", ""},
    {"mini-batch", "", "", "did you mean --mini-batch-words?"},
    {"mini-batch-words", "", "did you mean --mini-batch?", ""},
    {"mini-batch-fit-step", "--mini-batch-fit does not need it", "", ""},
    {"maxi-batch", "", "", "sentences are always sorted by length: --mini-batch-words"},
    {"maxi-batch-sort", "sentences are sorted by target length: --maxi-batch",
     "sentences are sorted by length: --maxi-batch",
     "sentences are always sorted by length: --mini-batch-words"},
    {"all-caps-every", kText, "", ""},
    {"english-title-case-every", kText, "", ""},
    {"mini-batch-words-ref", kBatch, "", ""},
    {"mini-batch-warmup", kBatch, "", ""},
    {"mini-batch-track-lr", kBatch, "", ""},
    {"mini-batch-round-up", kBatch, "", ""},
    {"tsv-fields", "there is one column per --vocabs entry", "",
     "there is one column for source and target each: --tsv"},
    {"tsv", "", "each line is a source", ""},
    {"max-length-crop", "", "longer sources are split: --max-length",
     "longer sentences are cropped: --max-length"},
    {"vocabs", "", kVocabularies, kVocabularies},
    {"allow-special", "", kNothing, ""},
    {"stat-freq", "", "weft bench decode measures speed", ""},
    {"no-spm-decode", "", kNothing, ""},
    {"skip-cost", "", "scores are always computed", ""},
    {"output-sampling", "", "did you mean --sampling temperature?", ""},
    {"output-approx-knn", "", "did you mean --shortlist?", ""},
    {"optimize", "", "did you mean --precision int8?", kFloat32},
    {"gemm-type", "", "did you mean --precision int8?", kFloat32},
    {"quantize-range", "", "int8 scales each row by its largest absolute value: --precision",
     kFloat32},
    {"output", "", "", "scores are written to standard output"},
};

std::string_view hint_of(const MarianFlag& flag, std::string_view command) {
  if (command == "train") return flag.train;
  if (command == "translate" || command == "bench decode") return flag.translate;
  return command == "score" ? flag.score : std::string_view();
}

}  // namespace

std::span<const MarianFlag> marian_flags() { return kFlags; }

std::string_view marian_hint(std::string_view command, std::string_view name) {
  const auto* flag = std::ranges::find(kFlags, name, &MarianFlag::name);
  return flag == std::end(kFlags) ? std::string_view() : hint_of(*flag, command);
}

}  // namespace weft::app
