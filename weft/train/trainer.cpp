#include "weft/train/trainer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <type_traits>

#include "weft/core/files/atomic_file.h"
#include "weft/core/files/read_files.h"
#include "weft/core/log.h"
#include "weft/core/parallel.h"
#include "weft/core/profile.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/nn/mean.h"
#include "weft/tensor/pool.h"
#include "weft/train/fit.h"
#include "weft/train/layer_depth.h"
#include "weft/train/precision.h"
#include "weft/train/run_files.h"
#include "weft/train/schedule/length.h"

namespace weft::train {

static_assert(std::is_trivially_copyable_v<State>);  // broadcast as bytes

Trainer::Trainer(std::unique_ptr<Task> task, std::shared_ptr<Group> group)
    : task_(std::move(task)),
      options_(task_->options()),
      group_(std::move(group)),
      checkpoint_(checkpoint_path(options_.loop.model)) {
  check_files(*task_);
  if (group_->size() > 1) task_->check_ranks();
  const bool resumes = claim_files();
  if (resumes) keep_begun_options();
  // Before any long computation. A model that the training started from may be gone.
  task_->all_options().table().check_readable(resumes ? "pretrained-model" : "");
  const ReadFiles inputs;
  make_model(resumes);
  read_data();
  check_outputs(*task_, inputs);
  state_.ranks = group_->size();
  state_.threads = threads();
  check_same_data();
  if (resumes) {
    resume();
  } else if (options_.loop.mini_batch_fit) {
    fit_batches();
  }
  make_schedule(resumes);
  if (!group_->is_first()) return;
  task_->write_assets();
  const bool has_begun = std::filesystem::exists(checkpoint_) && !options_.loop.overwrite;
  if (!resumes) begin_checkpoint(checkpoint_, task_->all_options(), state_);
  records_.emplace(*task_, state_, has_begun);
}

// Locks the files of the model, also of the one that it is a link to, and of its metrics on rank 0.
// Returns on all ranks whether training resumes from a checkpoint. Throws FileError if it would
// overwrite a model without --overwrite.
bool Trainer::claim_files() {
  const std::string& model = options_.loop.model;
  bool resumes = false;
  if (group_->is_first()) {
    std::error_code none;
    lock_.emplace(lock_path(model));
    check_writable(model);
    const std::string target = lock_path(resolve_links(model));
    if (!std::filesystem::equivalent(lock_path(model), target, none)) target_lock_.emplace(target);
    const bool has_state = std::filesystem::exists(checkpoint_, none);
    // Before the first update nothing is lost by starting over, and options may still change.
    resumes = has_state && !options_.loop.overwrite && has_updates(checkpoint_);
    if (!has_state && !options_.loop.overwrite && std::filesystem::exists(model, none)) {
      fail<FileError>(model,
                      "exists, but its training state {} does not; expected both or "
                      "neither; hint: use --pretrained-model {} to train another model from its "
                      "weights, or --overwrite to replace it",
                      checkpoint_, model);
    }
    Records::check(options_.loop.records, has_state, options_.loop.overwrite);
    const std::string& metrics = options_.loop.records.metrics;
    if (!metrics.empty()) {
      metrics_lock_.emplace(metrics_lock_path(metrics), "writing these metrics");
    }
  }
  return group_->any(resumes);
}

void Trainer::keep_begun_options() {
  options::OptionTable table = task_->option_table();
  keep_options(checkpoint_, task_->all_options(), task_->earlier_defaults(), table);
}

void Trainer::make_model(bool resumes) {
  task_->make_model(*group_, resumes);
  weights_ = task_->weights();
  freeze(task_->parameters(), options_.loop.freeze);
  freeze_layers(task_->parameters(), options_.loop.freeze_layers);
  ranges_ = parameter_ranges(task_->parameters(), options_.optimizer.ranges());
  if (ranges_.frozen > 0) log::info("{} parameters are frozen", ranges_.frozen);
  rounded_ = task_->begin(training_type(options_.loop.precision));
  if (rounded_) backend_of(rounded_)(kernels::Copy{.x = weights_, .y = rounded_});
  optimizer_.emplace(options_.optimizer, weights_, ranges_.trained, rounded_);
  gradients_ = autograd::Gradients(rounded_ ? rounded_ : weights_);
  if (group_->size() > 1) buckets_.emplace(*group_, gradients_.flat());
}

void Trainer::read_data() {
  task_->read_data(*group_);
  dataset_ = task_->dataset();
  for (int64_t i = 0; i < dataset_->size(); ++i) {
    epoch_targets_ += static_cast<double>(task_->targets(i));
  }
  epoch_targets_ = std::max(1.0, epoch_targets_);
  state_.fingerprint = static_cast<int64_t>(task_->fingerprint());
}

void Trainer::fit_batches() {
  int64_t rows = 0;
  for (int64_t i = 0; i < dataset_->size(); ++i) rows += dataset_->cost(i).rows;
  state_.batch_rows = fit_rows(options_.loop.workspace * 1000000, rows,
                               [this](int64_t count) { return memory_with(count); });
  log::info("batches of --mini-batch-words {} fit into {} MB", state_.batch_rows,
            options_.loop.workspace);
}

// A resumed training has the warm-up that it began with, however long it is now to be.
void Trainer::make_schedule(bool resumes) {
  const int64_t updates =
      planned_updates(options_.loop, batch_options(), *dataset_, epoch_targets_);
  const std::optional<int64_t> warmup_then = resumes ? std::optional(state_.warmup) : std::nullopt;
  const ScheduleOptions schedule = options_.schedule.for_length(updates, warmup_then);
  if (!resumes) {
    state_.warmup = options_.schedule.warmup_ratio > 0 ? schedule.warmup : 0;
    warn_if_never_warm(schedule, options_.loop.after, updates);
  }
  schedule_.emplace(schedule);
}

void Trainer::check_same_data() const {
  if (equals_first_rank(*group_, state_.fingerprint)) return;
  fail<OptionError>("--train-sets",
                    "the files that rank {} reads differ from those of rank 0; expected the same "
                    "files on every machine",
                    group_->rank());
}

void Trainer::check_same_parameters() const {
  if (equals_first_rank(*group_, sum_of_squares(weights_))) return;
  fail<NumericError>(
      "training",
      "the weights of rank {} differ from those of rank 0 at update {}; expected the same "
      "kind of processor and the same build of the program on all machines",
      group_->rank(), state_.progress.updates);
}

void Trainer::resume() {
  load_checkpoint(checkpoint_, task_->all_options(), {state_, weights_, *optimizer_, snapshots_},
                  task_->earlier_defaults());
  if (rounded_) backend_of(rounded_)(kernels::Copy{.x = weights_, .y = rounded_});
  drop_old_snapshots();
  log::info("resuming from {}: update {}, epoch {}", checkpoint_, state_.progress.updates,
            state_.progress.epochs + 1);
}

// Bytes of gradients and moments, which take memory only as they are written.
int64_t Trainer::bytes_outside_pool() const {
  int64_t floats = group_->size() > 1 ? weights_.size() : 0;  // gradients that ranks add up
  for (const TrainedRange& one : ranges_.trained) {
    if (group_->size() == 1) floats += one.range.size();
  }
  for (const Optimizer::Moment& moment : optimizer_->moments()) floats += moment.values.size();
  return floats * static_cast<int64_t>(sizeof(float));
}

// The peak memory of tensors, in bytes, during an update with the largest batch of an epoch.
int64_t Trainer::memory_with(int64_t rows) {
  data::BatchOptions batching = options_.batching;
  batching.mini_batch_words = rows;
  const auto plan =
      data::training_plan(*dataset_, batching, static_cast<uint64_t>(options_.loop.seed), 0);
  int64_t largest = 0, most = 0;
  for (int64_t i = 0; i < plan.size(); ++i) {
    int64_t total = 0;
    for (const int64_t example : plan[i]) total += dataset_->cost(example).total();
    if (total > most) largest = i;
    most = std::max(most, total);
  }
  Update update;
  update.batches = {dataset_->batch(plan[largest])};
  for (const int64_t example : plan[largest]) update.targets += task_->targets(example);
  update.targets = std::max<int64_t>(1, update.targets);
  reset_pool_peak();
  gradients_of(update);
  auto bytes = static_cast<int64_t>(pool_statistics().peak_bytes) + bytes_outside_pool();
  group_->broadcast(std::as_writable_bytes(std::span(&bytes, 1)));
  return bytes;
}

data::BatchOptions Trainer::batch_options() const {
  data::BatchOptions batching = options_.batching;
  if (state_.batch_rows > 0) batching.mini_batch_words = state_.batch_rows;
  return batching;
}

void Trainer::start_batches() {
  auto source = std::make_shared<data::BatchSource>(
      dataset_, batch_options(), static_cast<uint64_t>(options_.loop.seed), state_.position);
  batches_ = std::make_unique<data::Prefetch<data::BatchSource::Item>>(
      [source] { return std::optional(source->next()); });
}

Trainer::Update Trainer::next_update() {
  Update update;
  int32_t examples = 0;
  for (int64_t i = 0; i < options_.loop.optimizer_delay; ++i) {
    const profile::Span span("waiting for data");
    data::BatchSource::Item item = *batches_->next();
    for (const int64_t example : item.batch.examples) update.targets += task_->targets(example);
    update.next = item.next;
    update.epochs += item.ends_epoch ? 1 : 0;
    data::set_first(item.batch, examples);
    examples += static_cast<int32_t>(item.batch.size());
    update.batches.push_back(std::move(item.batch));
  }
  update.targets = std::max<int64_t>(1, update.targets);
  return update;
}

double Trainer::gradients_of(const Update& update) {
  const auto seed = static_cast<uint32_t>(options_.loop.seed);
  const auto number = static_cast<uint32_t>(state_.progress.updates);
  double loss = 0;
  gradients_.clear();
  statistics_.clear();
  for (const data::Batch& batch : update.batches) {
    const Shard mine = shard_of(batch.size(), group_->rank(), group_->size());
    const bool is_last = &batch == &update.batches.back();
    if (mine.begin < mine.end) {
      nn::Context context{.tape = &tape_, .training = true, .key = {seed, number}};
      context.recompute = options_.loop.gradient_checkpointing;
      context.statistics = &statistics_;
      const data::Batch part = data::slice(batch, mine.begin, mine.end);
      const ops::Loss sum = task_->loss({.batch = part,
                                         .update = state_.progress.updates,
                                         .weight = 1 / static_cast<double>(update.targets)},
                                        context);
      loss += sum.total;
      tape_.backward(sum.value, gradients_, 1, is_last && buckets_ ? &*buckets_ : nullptr);
    }
  }
  if (buckets_) {
    gradients_.settle(0, weights_.size());
    buckets_->finish();
    gradients_.mark_written();
  }
  for (const Range& fixed : ranges_.fixed) gradients_.clear_range(fixed.begin, fixed.end);
  return group_->sum(loss);
}

// Updates the running statistics in the weights and their copies.
void Trainer::update_statistics() {
  const auto view_in = [](const nn::Parameter& p, const Tensor& buffer) {
    const int64_t begin = p.value.storage_offset();
    return buffer.col_range(begin, begin + p.shape.size());
  };
  for (const nn::RunningStatistics& seen : statistics_) {
    std::vector<Tensor> values;
    for (const nn::Parameter* p : seen.buffers) values.push_back(view_in(*p, weights_));
    seen.update(values);
    for (const Tensor& copy : {optimizer_->ema(), rounded_}) {
      if (!copy) continue;
      for (const nn::Parameter* p : seen.buffers) {
        backend_of(weights_)(kernels::Copy{.x = view_in(*p, weights_), .y = view_in(*p, copy)});
      }
    }
  }
}

void Trainer::skip(double loss, double norm) {
  ++state_.skipped;
  ++state_.skipped_in_row;
  log::warn("update {} skipped: loss {}, gradient norm {}", state_.progress.updates, loss, norm);
  if (state_.skipped_in_row <= options_.loop.max_skipped) return;
  fail<NumericError>(
      "training",
      "{} consecutive updates with a non-finite loss or gradient (--max-skipped {}); "
      "hint: try a lower --learn-rate, a longer --lr-warmup, or a smaller "
      "--clip-norm",
      state_.skipped_in_row, options_.loop.max_skipped);
}

void Trainer::step(const Update& update,
                   const std::function<void(const UpdateReport&)>& on_update) {
  const Progress before = state_.progress;
  const double loss = gradients_of(update);
  const Tensor& gradient = gradients_.flat();
  const double norm = std::sqrt(gradients_.sum_of_squares());
  const double rate = schedule_->rate(state_.progress.updates + 1);
  state_.progress.updates += 1;
  state_.progress.targets += update.targets;
  state_.progress.epochs += update.epochs;
  state_.position = update.next;
  if (std::isfinite(loss) && std::isfinite(norm)) {
    const double limit = options_.optimizer.clip_norm;
    optimizer_->step(gradient, limit > 0 && norm > limit ? limit / norm : 1, rate);
    update_statistics();
    state_.skipped_in_row = 0;
    state_.reported_loss += loss;
    state_.reported_targets += update.targets;
  } else {
    skip(loss, norm);
  }
  const UpdateReport out = report(before, norm, rate);
  if (on_update) on_update(out);
  if (records_ && out.is_due) records_->add(out, gradient);
  validate_and_save(before);
}

UpdateReport Trainer::report(const Progress& before, double norm, double rate) {
  UpdateReport out;
  out.progress = state_.progress;
  out.is_due = passed(options_.loop.disp_freq, before, state_.progress);
  out.loss = state_.reported_targets == 0
                 ? std::numeric_limits<double>::quiet_NaN()
                 : state_.reported_loss / static_cast<double>(state_.reported_targets);
  out.learn_rate = rate;
  out.gradient_norm = norm;
  out.skipped = state_.skipped;
  const auto speed = [&](int64_t since, const Timer& timer) {
    return static_cast<double>(state_.progress.targets - since) / std::max(timer.seconds(), 1e-9);
  };
  out.targets_per_second = speed(targets_at_report_, since_report_);
  const auto targets = static_cast<double>(state_.progress.targets);
  const double in_epoch = targets / epoch_targets_ - static_cast<double>(state_.progress.epochs);
  const double part = completed_fraction(options_.loop.after, state_.progress, in_epoch);
  const double all_targets = targets / std::max(part, 1e-9);
  out.seconds_left = (all_targets - targets) / speed(targets_at_start_, since_start_);
  if (out.is_due) {
    state_.reported_loss = 0;
    state_.reported_targets = 0;
    targets_at_report_ = state_.progress.targets;
    since_report_.restart();
  }
  return out;
}

void Trainer::validate_and_save(const Progress& before) {
  const bool ends = is_done();
  const bool saves = passed(options_.loop.save_freq, before, state_.progress) || ends;
  const bool validates = !options_.validation.valid_sets.empty() &&
                         (options_.validation.is_due(before, state_.progress) || ends);
  if (saves && group_->size() > 1) check_same_parameters();
  if (group_->is_first()) {
    if (saves) take_snapshot();
    if (validates) validate();
  }
  // Early stopping: the validation results of rank 0 end training on all ranks.
  if (validates) group_->broadcast(std::as_writable_bytes(std::span(&state_, 1)));
  if (group_->is_first() && (saves || validates)) {
    if (options_.validation.valid_sets.empty()) save_model();
    save();
  }
}

void Trainer::take_snapshot() {
  if (options_.loop.average_checkpoints <= 1) return;
  snapshots_.push_back(optimizer_->averaged_weights().clone());
  drop_old_snapshots();
}

void Trainer::drop_old_snapshots() {
  const int64_t kept = options_.loop.average_checkpoints;
  while (std::ssize(snapshots_) > (kept > 1 ? kept : 0)) snapshots_.pop_front();
}

Tensor Trainer::weights_to_save() const {
  if (snapshots_.empty()) return optimizer_->averaged_weights();
  return nn::mean_of(snapshots_);
}

std::vector<Metric> Trainer::measure() {
  try {
    return task_->validate();
  } catch (const NumericError& error) {
    log::warn("{}", error.what());
    return {{.name = options_.validation.valid_metrics.front(),
             .value = std::numeric_limits<double>::quiet_NaN()}};
  }
}

void Trainer::validate() {
  const Tensor candidate = weights_to_save();
  const Tensor backup = candidate.shares_storage_with(weights_) ? Tensor() : weights_.clone();
  const auto& backend = backend_of(weights_);
  if (backup) backend(kernels::Copy{.x = candidate, .y = weights_});
  const std::vector<Metric> metrics = measure();
  records_->add(state_.progress.updates, metrics);
  if (on_validation_) on_validation_(state_.progress.updates, metrics);
  if (backup) backend(kernels::Copy{.x = backup, .y = weights_});
  const Metric& first = metrics.front();
  const bool passes = first.is_loss ? first.value < state_.best : first.value > state_.best;
  const bool better = std::isfinite(first.value) && (!state_.has_best || passes);
  std::string text;
  for (const Metric& m : metrics) text += fmt::format(" {} {:.4f}", m.name, m.value);
  if (better) {
    state_.has_best = true;
    state_.best = first.value;
    state_.best_update = state_.progress.updates;
    state_.validations_since_best = 0;
    task_->save(options_.loop.model, candidate);
  } else {
    ++state_.validations_since_best;
  }
  log::write(std::isfinite(first.value) ? log::Level::kInfo : log::Level::kWarning,
             fmt::format("validation at update {}:{}{}", state_.progress.updates, text,
                         better ? ", the best so far: saved"
                                : fmt::format(", {} without a better {}",
                                              state_.validations_since_best, first.name)));
}

void Trainer::save() {
  const profile::Span span("saving the state");
  records_->sync();
  save_checkpoint(checkpoint_, task_->all_options(), {state_, weights_, *optimizer_, snapshots_});
}

bool Trainer::is_done() const {
  const int64_t patience = options_.validation.early_stopping;
  return reached(options_.loop.after, state_.progress) ||
         (patience > 0 && state_.validations_since_best >= patience);
}

void Trainer::save_model() const { task_->save(options_.loop.model, weights_to_save()); }

bool Trainer::has_chosen() const {
  return !options_.validation.valid_sets.empty() && state_.has_best;
}

void Trainer::restore_model() const {
  if (std::filesystem::exists(options_.loop.model)) return;
  log::warn("{} is missing: writing the weights of the last update", options_.loop.model);
  save_model();
}

// After an interruption there is a model of fewer updates.
void Trainer::complete_model() const {
  if (has_chosen() || options_.validation.valid_sets.empty()) return restore_model();
  log::warn("no validation has chosen a model: {} has the weights of the last update",
            options_.loop.model);
  save_model();
}

Ending Trainer::run(const std::atomic<bool>& stop,
                    const std::function<void(const UpdateReport&)>& on_update) {
  if (is_done()) {
    if (group_->is_first()) restore_model();
    return reached(options_.loop.after, state_.progress) ? Ending::kWasFinished
                                                         : Ending::kHadStoppedEarly;
  }
  targets_at_start_ = state_.progress.targets;
  start_batches();
  targets_at_report_ = state_.progress.targets;
  since_start_.restart();
  since_report_.restart();
  while (!is_done()) {
    step(next_update(), on_update);
    if (group_->any(stop.load()) && !is_done()) {
      if (group_->is_first()) {
        if (!has_chosen()) save_model();
        save();
      }
      return Ending::kStopped;
    }
  }
  if (group_->is_first()) complete_model();
  return reached(options_.loop.after, state_.progress) ? Ending::kFinished : Ending::kStoppedEarly;
}

}  // namespace weft::train
