#include "weft/train/checkpoint.h"

#include <algorithm>
#include <filesystem>

#include "weft/core/log.h"
#include "weft/formats/options_json.h"
#include "weft/formats/options_value.h"
#include "weft/formats/safetensors.h"

namespace weft::train {
namespace {

constexpr const char* kStateKey = "weft.training-state";
constexpr const char* kOptionsKey = "weft.training-options";
constexpr int64_t kFormatVersion = 1;
constexpr int64_t kFirstWithChecksum = 1;

// Options that a resumed run may have otherwise: they decide when training looks up, stops or
// reports, or what it keeps in memory, but no update beyond rounding; or they name files, whose
// content is compared.
constexpr std::string_view kFree[] = {"model",
                                      "after",
                                      "disp-freq",
                                      "save-freq",
                                      "overwrite",
                                      "valid-sets",
                                      "valid-freq",
                                      "valid-metrics",
                                      "valid-beam-size",
                                      "valid-undo-bpe",
                                      "early-stopping",
                                      "max-skipped",
                                      "gradient-checkpointing",
                                      "average-checkpoints",
                                      "train-sets",
                                      "data-weighting",
                                      "guided-alignment",
                                      "teacher",
                                      "vocabs",
                                      "dim-vocabs",
                                      "vocab-type",
                                      "vocab-min-count",
                                      "sentencepiece-type",
                                      "sentencepiece-options",
                                      "sentencepiece-max-lines",
                                      "corpus-cache"};

std::string joined(const std::vector<std::string>& values) {
  const std::string text = fmt::format("{}", fmt::join(values, " "));
  return text.empty() ? "none" : text;
}

void check_same(TrainOptions before, TrainOptions now, const std::string& path) {
  formats::OptionTable then_table, now_table;
  then_table.add(before);
  now_table.add(now);
  for (const formats::Option& option : now_table.options()) {
    if (std::find(std::begin(kFree), std::end(kFree), option.name) != std::end(kFree)) continue;
    const auto then = formats::values_of(*then_table.find(option.name));
    const auto values = formats::values_of(option);
    if (then != values) {
      fail<OptionError>(path,
                        "training began with --{} {}, now it is {}; hint: keep the option, or "
                        "start anew with --overwrite",
                        option.name, joined(then), joined(values));
    }
  }
}

const std::string& metadata_of(const formats::SafetensorsFile& file, const char* key,
                               const std::string& path) {
  const auto found = file.metadata().find(key);
  if (found == file.metadata().end()) {
    fail<FormatError>(path, "no '{}' in its metadata; expected a state of training", key);
  }
  return found->second;
}

// Throws FormatError for a state with a changed byte, and for one of a later format.
State read_state(const formats::SafetensorsFile& file) {
  const std::string& path = file.path();
  if (file.has_checksum()) file.check();
  const std::string& text = metadata_of(file, kStateKey, path);
  const int64_t version = formats::integer_in_json(text, "format-version").value_or(0);
  if (version > kFormatVersion) {
    fail<FormatError>(path, "format version {}; this program reads up to {}", version,
                      kFormatVersion);
  }
  if (version >= kFirstWithChecksum && !file.has_checksum()) {
    fail<FormatError>(path,
                      "no checksum; expected one in format version {}; hint: the file is damaged, "
                      "take another copy",
                      version);
  }
  return formats::options_from_json<State>(text, path);
}

void check_same(const State& before, const State& now, const std::string& path) {
  if (before.text != now.text) {
    fail<OptionError>(path,
                      "training began on another text, or with other vocabularies, weights, "
                      "alignments or teacher; hint: restore them, or start anew with --overwrite");
  }
  if (before.ranks != now.ranks) {
    fail<OptionError>(path,
                      "training began with {} rank{}, now there are {}; hint: mpirun -np {}, or "
                      "start anew with --overwrite",
                      before.ranks, before.ranks == 1 ? "" : "s", now.ranks, before.ranks);
  }
  if (before.threads != 0 && before.threads != now.threads) {
    log::warn(
        "{}: training began with {} thread{}, now there {} {}: sums are rounded otherwise, and the "
        "bytes are not those of a run that never stopped; hint: --threads {}",
        path, before.threads, before.threads == 1 ? "" : "s", now.threads == 1 ? "is" : "are",
        now.threads, before.threads);
  }
}

// Whether values of the first metric say the same of a model.
bool measure_alike(const ValidationOptions& a, const ValidationOptions& b) {
  const auto first_metric = [](const ValidationOptions& o) {
    return o.valid_metrics.empty() ? std::string() : o.valid_metrics.front();
  };
  return a.valid_sets == b.valid_sets && a.valid_beam_size == b.valid_beam_size &&
         a.valid_undo_bpe == b.valid_undo_bpe && first_metric(a) == first_metric(b);
}

void read_into(const Tensor& to, const formats::SafetensorsFile& file, const std::string& name,
               const std::string& path) {
  if (!file.has(name)) fail<FormatError>(path, "no tensor '{}'", name);
  const Tensor from = file.tensor(name);
  if (from.dtype() != to.dtype() || from.size() != to.size()) {
    fail<FormatError>(path, "tensor '{}' has the wrong size or type; expected {} {}, got {} {}",
                      name, to.shape().text(), name_of(to.dtype()), from.shape().text(),
                      name_of(from.dtype()));
  }
  std::memcpy(to.bytes(), from.bytes(), static_cast<size_t>(to.size()) * size_of(to.dtype()));
}

std::string stem_of(const std::string& model_path) {
  std::filesystem::path path(model_path);
  if (path.extension() == ".safetensors") path.replace_extension();
  return path.string();
}

std::string snapshot_name(size_t i) { return fmt::format("snapshot.{}", i); }

void write(const std::string& path, const TrainOptions& options, State state,
           const formats::NamedTensors& tensors) {
  state.format_version = kFormatVersion;
  formats::save_safetensors(path, tensors,
                            {{kStateKey, formats::options_to_json(state)},
                             {kOptionsKey, formats::options_to_json(options)}},
                            {}, formats::WithChecksum::kYes);
}

}  // namespace

std::string checkpoint_path(const std::string& model_path) {
  return stem_of(model_path) + ".training.safetensors";
}

std::string lock_path(const std::string& model_path) {
  return stem_of(model_path) + ".safetensors.lock";
}

void begin_checkpoint(const std::string& path, const TrainOptions& options, const State& state) {
  write(path, options, state, {});
}

void save_checkpoint(const std::string& path, const TrainOptions& options, const Checkpoint& from) {
  formats::NamedTensors tensors = {{"weights", from.parameters},
                                   {"adam.first", from.optimizer.first()},
                                   {"adam.second", from.optimizer.second()}};
  if (from.optimizer.average()) tensors.emplace_back("average", from.optimizer.average());
  for (size_t i = 0; i < from.snapshots.size(); ++i) {
    tensors.emplace_back(snapshot_name(i), from.snapshots[i]);
  }
  State state = from.state;
  state.optimizer_steps = from.optimizer.steps;
  state.snapshots = static_cast<int64_t>(from.snapshots.size());
  write(path, options, state, tensors);
}

bool has_updates(const std::string& path) {
  return read_state(formats::SafetensorsFile(path)).progress.updates > 0;
}

void load_checkpoint(const std::string& path, const TrainOptions& options, const Checkpoint& to) {
  const formats::SafetensorsFile file(path);
  const State state = read_state(file);
  const auto began =
      formats::options_from_json<TrainOptions>(metadata_of(file, kOptionsKey, path), path);
  check_same(began, options, path);
  check_same(state, to.state, path);
  to.state = state;
  if (state.has_best && !measure_alike(began.validation, options.validation)) {
    log::info("{}: its best validation was by another measure and is forgotten", path);
    to.state.has_best = false;
    to.state.stalled = 0;
  }
  read_into(to.parameters, file, "weights", path);
  read_into(to.optimizer.first(), file, "adam.first", path);
  read_into(to.optimizer.second(), file, "adam.second", path);
  if (to.optimizer.average()) read_into(to.optimizer.average(), file, "average", path);
  to.optimizer.steps = to.state.optimizer_steps;
  to.snapshots.clear();
  for (int64_t i = 0; i < to.state.snapshots; ++i) {
    to.snapshots.push_back(Tensor::empty(to.parameters.shape()));
    read_into(to.snapshots.back(), file, snapshot_name(static_cast<size_t>(i)), path);
  }
}

}  // namespace weft::train
