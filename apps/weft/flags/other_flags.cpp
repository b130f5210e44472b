#include "apps/weft/flags/other_flags.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace weft::app {
namespace {

// A name may stand in several entries of a table: the first whose hint names only options of the
// command is taken.
constexpr OtherFlags kTraining[] = {
    {"epochs epoch num-epochs num-epoch n-epochs nepochs nb-epochs max-epochs max-epoch "
     "num-train-epochs train-epochs "
     "max-iter",
     "did you mean --after 10e, ten epochs?"},
    {"max-steps steps num-steps train-steps num-train-steps total-steps max-update max-updates "
     "num-updates iterations num-iterations n-iter iters max-train-steps",
     "did you mean --after 10000u, ten thousand updates?"},
    {"fast-dev-run", "did you mean --after 1u, one update?"},
    {"limit-train-batches overfit-batches max-train-samples max-samples",
     "all of --train-sets is used; a part of it is a file of its own; --after limits the updates"},
    {"limit-val-batches limit-eval-batches max-eval-samples max-val-samples",
     "all of --valid-sets is measured; a part of it is a file of its own"},
    {"min-epochs min-steps", "training ends at --after, or before by --early-stopping"},
    {"max-time", "training ends after epochs, updates or tokens: --after"},
    {"patience early-stopping-patience n-iter-no-change early-stop early-stopping-rounds",
     "did you mean --early-stopping? It counts validations: --valid-freq"},
    {"min-delta early-stopping-threshold tol",
     "any improvement of the first of --valid-metrics counts: --early-stopping"},
    {"batch-size bs batch train-batch-size train-batch per-device-train-batch-size "
     "per-gpu-train-batch-size mini-batch-size minibatch-size max-sentences",
     "did you mean --mini-batch, examples, or --mini-batch-words, tokens?"},
    {"max-tokens batch-tokens tokens-per-batch batch-type",
     "did you mean --mini-batch-words? It counts target tokens"},
    {"eval-batch-size per-device-eval-batch-size per-gpu-eval-batch-size valid-batch-size "
     "val-batch-size test-batch-size batch-size-valid",
     "validation chooses its batches, which change no result: --valid-sets"},
    {"auto-find-batch-size auto-scale-batch-size", "did you mean --mini-batch-fit -w MB?"},
    {"gradient-accumulation-steps accumulate-grad-batches grad-accum accum-steps accum-count "
     "grad-accumulation-steps gradient-accumulation",
     "did you mean --optimizer-delay?"},
    {"drop-last dataloader-drop-last shuffle no-shuffle shuffle-data",
     "examples are always shuffled, by --seed, and all are used"},
    {"group-by-length bucket sortish-sampler", "batches are sorted by length: --maxi-batch"},
    {"learning-rate learning-rate-init base-lr max-lr init-lr eta eta0 step-size peak-lr",
     "did you mean --learn-rate?"},
    {"lr-scheduler-type lr-scheduler scheduler lr-policy lr-decay-style decay-method schedule",
     "did you mean --lr-schedule?"},
    {"warmup-steps warmup-updates num-warmup-steps warmup warmup-epochs lr-warmup-steps "
     "n-warmup-steps",
     "did you mean --lr-warmup?"},
    {"warmup-ratio warmup-prop warmup-proportion warmup-fraction",
     "did you mean --lr-warmup-ratio?"},
    {"min-lr end-learning-rate end-lr lr-end stop-min-lr eta-min", "did you mean --lr-final?"},
    {"lr-shrink lr-gamma gamma lr-step-size decay-steps lr-decay-rate total-num-update t-max",
     "linear and cosine decay end at --lr-decay-updates: --lr-schedule"},
    {"optim optimiser opt", "did you mean --optimizer?"},
    {"sgd sgd-momentum", "did you mean --optimizer sgd?"},
    {"adam-beta1 adam-beta2 adam-betas betas beta1 beta2 beta-1 beta-2 adam-epsilon adam-eps eps "
     "epsilon",
     "did you mean --optimizer-params, beta1, beta2 and epsilon?"},
    {"layer-decay layerwise-lr-decay llrd lr-mult lr-multiplier param-groups backbone-lr "
     "encoder-lr head-lr",
     "did you mean --learn-rate-factors?"},
    {"no-decay no-weight-decay bias-decay norm-decay", "did you mean --weight-decay-on?"},
    {"wd l2 decay alpha l2-regularization", "did you mean --optimizer adamw --weight-decay?"},
    {"max-grad-norm gradient-clip-val clip-grad-norm clip-grad grad-clip grad-norm-clip max-norm "
     "gradient-clip clip gradient-clipping",
     "did you mean --clip-norm?"},
    {"ema ema-decay use-ema model-ema", "did you mean --exponential-smoothing?"},
    {"stochastic-weight-avg stochastic-weight-averaging swa",
     "did you mean --average-checkpoints, or --exponential-smoothing?"},
    {"nproc-per-node local-rank world-size distributed-world-size strategy ddp num-nodes nnodes "
     "master-port deepspeed fsdp",
     "mpirun starts several processes, whose gradients are summed in each update"},
    {"gradient-checkpoint activation-checkpointing checkpoint-activations grad-checkpointing",
     "did you mean --gradient-checkpointing?"},
    {"output-dir save-dir save-path save-model checkpoint-dir checkpoint-path default-root-dir "
     "model-dir save out-dir run-dir exp-dir output-path model-path model-file",
     "did you mean --model, the file that is written?"},
    {"train-file train-data train train-path train-dir data-dir data dataset dataset-name "
     "data-path training-data trainset train-set train-src corpus trainpref input-file csv",
     "did you mean --train-sets?"},
    {"validation-file valid-file val-file dev-file valid-data val-data dev-data validation-data "
     "valid dev val validation valid-set valid-src validpref dev-set eval-file eval-dataset "
     "validation-set eval-data devset",
     "did you mean --valid-sets?"},
    {"test-file test-data test-set test-sets test-dataset test-path test-src testpref",
     "a test set is for the command that uses the model; in training: --valid-sets"},
    {"validation-split validation-fraction test-size val-split valid-split eval-split val-size",
     "validation has files of its own: --valid-sets"},
    {"image-folder img-dir image-dir images imagefolder",
     "a folder with a folder for each label: --input image --train-sets FOLDER"},
    {"resume resume-from-checkpoint ckpt-path restore-file continue continue-from train-from "
     "resume-from auto-resume warm-start reset-optimizer",
     "the same command goes on where training stopped; to start over: --overwrite"},
    {"overwrite-output-dir overwrite-cache force", "did you mean --overwrite?"},
    {"model-name-or-path model-name pretrained pretrained-model-name-or-path from-pretrained "
     "finetune-from-model base-model",
     "did you mean --from, a model file or a folder of Transformers?"},
    {"model-name-or-path model-name pretrained pretrained-model-name-or-path init-from "
     "finetune-from-model from-pretrained load-weights pretrained-weights init-checkpoint "
     "load-checkpoint checkpoint base-model",
     "did you mean --pretrained-model?"},
    {"enable-checkpointing", "the model and the training state are always written: --save-freq"},
    {"save-steps save-strategy save-interval save-interval-updates save-checkpoint-steps "
     "save-every every-n-epochs every-n-train-steps checkpoint-every",
     "did you mean --save-freq?"},
    {"save-total-limit keep-last-epochs keep-checkpoint keep-interval-updates save-top-k "
     "keep-best-checkpoints no-epoch-checkpoints",
     "one model file is kept, the best by the first of --valid-metrics, and one training state"},
    {"logging-steps log-every-n-steps log-interval report-every log-every log-freq print-freq "
     "verbose print-every logging-strategy log-period",
     "did you mean --disp-freq?"},
    {"logging-dir log-dir logdir report-to logger tensorboard-logdir tensorboard-dir wandb "
     "wandb-project tb-log-dir use-wandb",
     "did you mean --tensorboard, or --metrics for lines of JSON?"},
    {"eval-steps evaluation-strategy eval-strategy val-check-interval valid-steps eval-every "
     "validate-interval validate-interval-updates check-val-every-n-epoch eval-interval eval-freq "
     "val-freq validation-freq do-eval",
     "did you mean --valid-freq? --valid-sets turns validation on"},
    {"load-best-model-at-end save-best monitor metric-for-best-model best-checkpoint-metric "
     "greater-is-better maximize-best-checkpoint-metric keep-best save-best-only",
     "the model file is the best one by the first of --valid-metrics"},
    {"compute-metrics eval-metric eval-metrics metric scoring", "did you mean --valid-metrics?"},
    {"do-train do-predict run-train mode", "commands are `weft train`, `weft classify` and so on"},
    {"random-state random-seed rng-seed seed-everything data-seed", "did you mean --seed?"},
    {"deterministic full-determinism use-deterministic-algorithms cudnn-deterministic",
     "trainings with the same options, --seed and --threads end with the same bytes"},
    {"arch architecture model-type net network", "did you mean --type?"},
    {"d-model hidden-size hidden-dim embed-dim embedding-dim embedding-size emb-size n-embd "
     "encoder-embed-dim dim rnn-size word-vec-size emb-dim hidden dim-model units",
     "did you mean --dim-emb?"},
    {"num-layers n-layers n-layer num-hidden-layers encoder-layers num-encoder-layers layers "
     "depth enc-layers nlayers",
     "did you mean --enc-depth?"},
    {"decoder-layers num-decoder-layers dec-layers", "did you mean --dec-depth?"},
    {"num-heads nhead nheads n-head n-heads heads attention-heads num-attention-heads "
     "encoder-attention-heads num-attn-heads",
     "did you mean --transformer-heads?"},
    {"dim-feedforward ffn-dim intermediate-size ffn-embed-dim encoder-ffn-embed-dim "
     "transformer-ff d-ff mlp-dim ff-dim feedforward-dim encoder-ffn-dim",
     "did you mean --transformer-dim-ffn?"},
    {"dropout hidden-dropout-prob dropout-rate dropout-p attention-dropout "
     "attention-probs-dropout-prob hidden-dropout residual-dropout drop-rate dropout-prob",
     "did you mean --transformer-dropout?"},
    {"neftune-noise-alpha", "no noise is added to embeddings; did you mean --word-dropout?"},
    {"neftune-noise-alpha", "no noise is added to embeddings; did you mean --transformer-dropout?"},
    {"activation hidden-act activation-fn", "did you mean --transformer-ffn-activation?"},
    {"label-smoothing-factor smoothing", "did you mean --label-smoothing?"},
    {"class-weight pos-weight class-weighting", "did you mean --class-weights?"},
    {"num-labels num-classes n-classes nclasses num-class labels-file label-list classes",
     "labels are those of the training text: --train-sets"},
    {"problem-type task-type multi-label multilabel multi-class", "did you mean --labels?"},
    {"freeze-encoder freeze-backbone freeze-layers freeze-embeddings",
     "did you mean --freeze, parameters by name?"},
    {"vocab vocab-file vocabulary tokenizer tokenizer-name tokenizer-path src-vocab srcdict "
     "bpe-codes sentencepiece-model spm-model",
     "did you mean --vocabs?"},
    {"vocab-size n-tokens max-features bpe-size num-words nwordssrc max-vocab-size n-vocab",
     "did you mean --dim-vocabs?"},
    {"min-frequency min-freq min-df thresholdsrc min-count", "did you mean --vocab-min-count?"},
    {"max-seq-length max-seq-len max-len max-source-length model-max-length block-size "
     "src-seq-length max-source-positions sequence-length seq-len truncation max-length-src",
     "did you mean --max-length?"},
    {"max-seq-len max-seq-length block-size max-position-embeddings",
     "did you mean --max-positions?"},
    {"image-dim img-size imgsz input-size resolution height", "did you mean --image-size?"},
    {"horizontal-flip hflip random-horizontal-flip flip", "did you mean --random-flip?"},
    {"sample-rate sampling-rate", "sounds are resampled as the model needs them: --train-sets"},
    {"num-beams n-beams beam-width nbeams beam", "did you mean --valid-beam-size?"},
    {"source-lang target-lang src-lang tgt-lang lang-pairs",
     "languages are those of the text: --train-sets"},
    {"src tgt source target train-tgt valid-tgt trg", "source and target file: --train-sets"},
};

constexpr OtherFlags kPrediction[] = {
    {"batch-size bs batch eval-batch-size per-device-eval-batch-size predict-batch-size",
     "did you mean --mini-batch? It changes speed and memory, never a result"},
    {"load-in-8bit load-in-4bit int8 quantize quantization compute-type",
     "did you mean --precision int8?"},
    {"model-name-or-path model-path model-name model-file checkpoint checkpoint-path ckpt "
     "ckpt-path path load weights-path load-model model-dir",
     "did you mean --model?"},
    {"output-file output-path out out-file output-dir predictions pred-path results-path",
     "did you mean --output?"},
    {"input-file text text-file source-file src-file test-file predict-file data image img audio "
     "wav source-path",
     "did you mean --input?"},
    {"num-beams n-beams beam-width nbeams beam", "did you mean --beam-size?"},
    {"lenpen", "did you mean --normalize?"},
    {"do-sample top-k top-p topk topp nucleus sampling-topk sampling-topp",
     "did you mean --sampling?"},
    {"num-return-sequences nbest n-best-size", "did you mean --n-best?"},
    {"max-new-tokens max-target-length max-len-a max-len-b generation-max-length "
     "max-output-tokens max-gen-len max-decode-length",
     "did you mean --max-output-length, or --max-length-factor?"},
    {"min-new-tokens min-len", "did you mean --min-length?"},
    {"stream interactive", "a pipe is answered line by line: --input"},
    {"top-k topk", "did you mean --scores? It prints probabilities"},
    {"return-all-scores output-scores print-probs predict-proba return-scores proba probabilities "
     "score",
     "did you mean --scores?"},
    {"score-threshold conf conf-thres confidence box-score-thresh", "did you mean --threshold?"},
    {"test-sets eval-set test-data gold gold-file reference",
     "did you mean --evaluate, text whose labels are known?"},
    {"max-seq-length max-seq-len max-len max-source-length model-max-length block-size "
     "src-seq-length max-source-positions sequence-length seq-len truncation max-length-src",
     "did you mean --max-length?"},
};

// Searched after the others.
constexpr OtherFlags kEverywhere[] = {
    {"fp16 bf16 half amp mixed-precision half-precision dtype torch-dtype fp16-opt-level tf32",
     "did you mean --precision bfloat16?"},
    {"cuda no-cuda gpu gpus gpu-id gpu-ids gpuid device device-map accelerator use-cpu cpu tpu "
     "tpu-cores ngpu num-gpus world-gpu use-gpu",
     "Weft runs on the CPU: --threads"},
    {"num-workers dataloader-num-workers workers n-jobs num-threads n-threads nthreads jobs nproc "
     "num-proc preprocessing-num-workers cores",
     "did you mean --threads?"},
    {"torch-compile compile jit-mode-eval", "kernels are compiled already: --precision, --threads"},
    {"progress-bar-refresh-rate enable-progress-bar disable-tqdm no-progress-bar log-level silent",
     "did you mean --quiet?"},
    {"text-column source-column text-column-name input-column column text-col",
     "did you mean --text-field? Fields are numbered from 0"},
    {"label-column label-column-name target-column label-col target-col",
     "did you mean --label-field? Fields are numbered from 0"},
    {"label-column label-column-name tag-column ner-column",
     "did you mean --word-labels? Fields are numbered from 0"},
    {"num-beams n-beams beam-width nbeams beam",
     "beams are of commands that write text, such as weft translate"},
};

struct OtherValues {
  std::string_view option, values;  // between spaces
  std::string_view hint;
};
constexpr OtherValues kValues[] = {
    {"precision", "16 16-mixed 16-true fp16 float16 half bf16 bf16-mixed bf16-true amp",
     "did you mean bfloat16?"},
    {"precision", "32 32-true fp32 fp32-true full", "did you mean float32?"},
};

// '_' and capitals as '-' and small letters.
std::string normal(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

bool has_name(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const size_t end = std::min(names.find(' '), names.size());
    if (names.substr(0, end) == name) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

}  // namespace

std::span<const OtherFlags> training_flags() { return kTraining; }
std::span<const OtherFlags> prediction_flags() { return kPrediction; }
std::span<const OtherFlags> general_flags() { return kEverywhere; }

bool names_only_options(std::string_view hint, const HasOption& has_option) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-";
  for (size_t at = hint.find("--"); at != hint.npos; at = hint.find("--", at)) {
    at += 2;
    const size_t end = std::min(hint.find_first_not_of(kLetters, at), hint.size());
    if (!has_option(hint.substr(at, end - at))) return false;
  }
  return true;
}

std::string_view other_hint(std::string_view command, std::string_view name,
                            const HasOption& has_option) {
  const std::string wanted = normal(name);
  const auto first = command == "train" ? training_flags() : prediction_flags();
  for (const std::span<const OtherFlags> table : {first, general_flags()}) {
    for (const OtherFlags& flags : table) {
      if (has_name(flags.names, wanted) && names_only_options(flags.hint, has_option)) {
        return flags.hint;
      }
    }
  }
  return {};
}

std::string_view other_value_hint(std::string_view option, std::string_view value) {
  const std::string wanted = normal(value);
  for (const OtherValues& values : kValues) {
    if (values.option == option && has_name(values.values, wanted)) return values.hint;
  }
  return {};
}

}  // namespace weft::app
