#include "weft/train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "weft/core/log.h"
#include "weft/core/text/counted.h"
#include "weft/formats/safetensors.h"
#include "weft/options/json.h"
#include "weft/options/option_value.h"

namespace weft::train {
namespace {

constexpr const char* kStateKey = "weft.training-state";
constexpr const char* kOptionsKey = "weft.training-options";
constexpr int64_t kFormatVersion = 1;
constexpr int64_t kFirstWithChecksum = 1;

std::string joined(const std::vector<std::string>& values) {
  const std::string text = fmt::format("{}", fmt::join(values, " "));
  return text.empty() ? "none" : text;
}

// Throws OptionError, naming the option, if an option that influences updates has changed.
void check_same(const options::OptionTable& before, const options::OptionTable& now,
                const std::string& path) {
  for (const options::Option& option : now.options()) {
    if (option.meta.may_change) continue;
    const auto then = options::values_of(*before.find(option.name));
    const auto values = options::values_of(option);
    if (then != values) {
      fail<OptionError>(path,
                        "training began with --{} {}, now it is {}; hint: keep the option, or "
                        "start over with --overwrite",
                        option.name, joined(then), joined(values));
    }
  }
}

const std::string& metadata_of(const formats::SafetensorsFile& file, const char* key,
                               const std::string& path) {
  const auto found = file.metadata().find(key);
  if (found == file.metadata().end()) {
    fail<FormatError>(path, "no '{}' in its metadata; expected a training state", key);
  }
  return found->second;
}

// Throws FormatError for a checksum mismatch and for a later format version.
State read_state(const formats::SafetensorsFile& file) {
  const std::string& path = file.path();
  if (file.has_checksum()) file.check();
  const std::string& text = metadata_of(file, kStateKey, path);
  const int64_t version = options::integer_in_json(text, "format-version").value_or(0);
  if (version > kFormatVersion) {
    fail<FormatError>(path, "format version {}; this program reads up to {}", version,
                      kFormatVersion);
  }
  if (version >= kFirstWithChecksum && !file.has_checksum()) {
    fail<FormatError>(path,
                      "no checksum; expected one in format version {}; hint: the file is damaged, "
                      "use another copy",
                      version);
  }
  return options::options_from_json<State>(text, path);
}

void check_same(const State& before, const State& now, const std::string& path) {
  if (before.fingerprint != now.fingerprint) {
    fail<OptionError>(path,
                      "training began with other data in the files that it reads; hint: restore "
                      "them, or start over with --overwrite");
  }
  if (before.ranks != now.ranks) {
    fail<OptionError>(path,
                      "training began with {}, now there are {}; hint: mpirun -np {}, or "
                      "start over with --overwrite",
                      counted(before.ranks, "rank"), now.ranks, before.ranks);
  }
  if (before.threads != 0 && before.threads != now.threads) {
    log::warn(
        "{}: training began with {}, now there {} {}: sums round differently, so the "
        "result will not be bit-identical to an uninterrupted run; hint: --threads {}",
        path, counted(before.threads, "thread"), now.threads == 1 ? "is" : "are", now.threads,
        before.threads);
  }
}

// Whether the best validation result is still comparable: the first metric and the valid-* options
// that define it are unchanged.
bool have_same_metric(const options::OptionTable& before, const options::OptionTable& now) {
  return std::ranges::all_of(now.options(), [&](const options::Option& option) {
    if (!option.name.starts_with("valid-")) return true;
    if (option.name == "valid-freq" || option.name == "valid-first") return true;
    auto then = options::values_of(*before.find(option.name)), values = options::values_of(option);
    if (option.name == "valid-metrics") {
      then.resize(std::min<size_t>(then.size(), 1));
      values.resize(std::min<size_t>(values.size(), 1));
    }
    return then == values;
  });
}

void read_into(const Tensor& out, const formats::SafetensorsFile& file, const std::string& name,
               const std::string& path) {
  if (!file.has(name)) fail<FormatError>(path, "no tensor '{}'", name);
  const Tensor stored = file.tensor(name);
  if (stored.dtype() != out.dtype() || stored.size() != out.size()) {
    fail<FormatError>(path, "tensor '{}' has the wrong size or type; expected {} {}, got {} {}",
                      name, out.shape().text(), name_of(out.dtype()), stored.shape().text(),
                      name_of(stored.dtype()));
  }
  std::memcpy(out.bytes(), stored.bytes(), static_cast<size_t>(out.size()) * size_of(out.dtype()));
}

// Of the trained parameters; earlier versions wrote those of frozen ones too.
void read_moments(const Checkpoint& checkpoint, const formats::SafetensorsFile& file) {
  for (const Optimizer::Moment& moment : checkpoint.optimizer.moments()) {
    Tensor stored = moment.values;
    const std::string name(moment.name);
    if (file.has(name) && file.tensor(name).size() == checkpoint.parameters.size()) {
      stored = Tensor::empty(checkpoint.parameters.shape());
    }
    read_into(stored, file, name, file.path());
    if (!stored.shares_storage_with(moment.values)) checkpoint.optimizer.restore(moment, stored);
  }
}

std::string stem_of(const std::string& model_path) {
  std::filesystem::path path(model_path);
  if (path.extension() == ".safetensors") path.replace_extension();
  return path.string();
}

std::string snapshot_name(size_t i) { return fmt::format("snapshot.{}", i); }

// Default options, set to those of a training that began, perhaps with an earlier version.
void read_options(const formats::SafetensorsFile& file, std::span<const EarlierDefault> earlier,
                  options::OptionTable& defaults) {
  for (const auto& [option, value] : earlier) {
    defaults.assign({std::string(option), {std::string(value)}, file.path()});
  }
  options::read_json(defaults, metadata_of(file, kOptionsKey, file.path()), file.path());
}

void write(const std::string& path, const options::AnyOptions& options, State state,
           const formats::NamedTensors& tensors) {
  state.format_version = kFormatVersion;
  formats::save_safetensors(path, tensors,
                            {{kStateKey, options::options_to_json(state)},
                             {kOptionsKey, options::to_json(options.table())}},
                            {}, formats::WithChecksum::kYes);
}

}  // namespace

std::string checkpoint_path(const std::string& model_path) {
  return stem_of(model_path) + ".training.safetensors";
}

std::string lock_path(const std::string& model_path) {
  return stem_of(model_path) + ".safetensors.lock";
}

void begin_checkpoint(const std::string& path, const options::AnyOptions& options,
                      const State& state) {
  write(path, options, state, {});
}

void save_checkpoint(const std::string& path, const options::AnyOptions& options,
                     const Checkpoint& checkpoint) {
  formats::NamedTensors tensors = {{"weights", checkpoint.parameters}};
  for (const Optimizer::Moment& moment : checkpoint.optimizer.moments()) {
    tensors.emplace_back(moment.name, moment.values);
  }
  if (checkpoint.optimizer.ema()) tensors.emplace_back("average", checkpoint.optimizer.ema());
  for (size_t i = 0; i < checkpoint.snapshots.size(); ++i) {
    tensors.emplace_back(snapshot_name(i), checkpoint.snapshots[i]);
  }
  State state = checkpoint.state;
  state.optimizer_steps = checkpoint.optimizer.steps;
  state.snapshots = static_cast<int64_t>(checkpoint.snapshots.size());
  write(path, options, state, tensors);
}

bool has_updates(const std::string& path) {
  return read_state(formats::SafetensorsFile(path)).progress.updates > 0;
}

TrainingRecord read_training_record(const std::string& path) {
  const formats::SafetensorsFile file(path);
  return {read_state(file), metadata_of(file, kOptionsKey, path)};
}

void keep_options(const std::string& path, const options::AnyOptions& options,
                  std::span<const EarlierDefault> earlier, options::OptionTable& table) {
  const formats::SafetensorsFile file(path);
  read_state(file);
  const options::AnyOptions defaults = options.defaults(), begun = options.defaults();
  const options::OptionTable plain = defaults.table();
  options::OptionTable before = begun.table();
  read_options(file, earlier, before);
  for (const EarlierDefault& one : earlier) {
    const options::Option& option = *table.find(one.option);
    if (values_of(option) != values_of(*plain.find(one.option))) continue;  // it is given
    table.assign({option.name, values_of(*before.find(one.option)), path});
  }
}

void load_checkpoint(const std::string& path, const options::AnyOptions& options,
                     const Checkpoint& checkpoint, std::span<const EarlierDefault> earlier) {
  const formats::SafetensorsFile file(path);
  const State state = read_state(file);
  const options::AnyOptions begun = options.defaults();
  options::OptionTable before = begun.table();
  read_options(file, earlier, before);
  const options::OptionTable now = options.table();
  check_same(before, now, path);
  check_same(state, checkpoint.state, path);
  checkpoint.state = state;
  if (state.has_best && !have_same_metric(before, now)) {
    log::info("{}: the best validation result is discarded, since the metric has changed", path);
    checkpoint.state.has_best = false;
    checkpoint.state.validations_since_best = 0;
  }
  read_into(checkpoint.parameters, file, "weights", path);
  read_moments(checkpoint, file);
  if (checkpoint.optimizer.ema()) read_into(checkpoint.optimizer.ema(), file, "average", path);
  checkpoint.optimizer.steps = checkpoint.state.optimizer_steps;
  checkpoint.snapshots.clear();
  for (int64_t i = 0; i < checkpoint.state.snapshots; ++i) {
    checkpoint.snapshots.push_back(Tensor::empty(checkpoint.parameters.shape()));
    read_into(checkpoint.snapshots.back(), file, snapshot_name(static_cast<size_t>(i)), path);
  }
}

}  // namespace weft::train
