#include "weft/tasks/transcription/transcription.h"

#include <cmath>
#include <optional>

#include "weft/core/error.h"
#include "weft/core/log.h"
#include "weft/data/batcher.h"
#include "weft/data/file_names.h"
#include "weft/metrics/text/error_rate.h"
#include "weft/ops/losses/ctc.h"
#include "weft/predict/transcription/transcriber.h"
#include "weft/tasks/open_vocabularies.h"
#include "weft/tasks/pretrained.h"
#include "weft/tasks/training_checks.h"
#include "weft/tasks/transcription/augmented_frames.h"

namespace weft::tasks {
namespace {

constexpr data::BatchLimits kEvaluationLimits{.rows = 16384, .examples = 64};

data::VocabularyText vocabulary_text_of(const std::vector<std::string>& files) {
  const auto name = [files](std::span<const int64_t>) { return data::joined_names(files); };
  const auto read = [files](std::span<const int64_t>, const data::VocabularyText::Take& take) {
    data::read_transcribed_audio(files,
                                 [&](const data::TranscribedSound& sound) { take(sound.text); });
  };
  return {name, read};
}

// Why the tables of the model or CTC cannot take these frames and tokens; empty if they can.
std::string why_unfit(const models::TranscriberOptions& model, int64_t frames,
                      std::span<const int32_t> tokens) {
  if (frames > model.frame_capacity()) return "too long for --max-positions";
  if (model.has_decoder() && std::ssize(tokens) + 1 > model.decoder_layers().table_capacity()) {
    return "with a text too long for --max-positions";
  }
  const bool is_short = model.has_ctc() && model.subsampler.rows_of(frames) < ops::ctc_rows(tokens);
  return is_short ? "too short for their text" : "";
}

// Options of a transcriber of frames [N, bins], and the parameters it has with the vocabulary of a
// file.
std::unique_ptr<ModelOptions> model_options(const models::TranscriberOptions& options,
                                            int64_t bins) {
  const auto shapes = [bins](const models::TranscriberOptions& o, const FileVocabularies& theirs) {
    return shapes_of(models::Transcriber(o, {.bins = bins, .vocab = theirs.target->size()}));
  };
  return std::make_unique<ModelOptionsOf<models::TranscriberOptions>>(options, shapes);
}

}  // namespace

Transcription::Transcription(Options options)
    : SessionTask(std::move(options)), log_mel_(options_.data.log_mel) {}

void Transcription::check_ranks() const { tasks::check_ranks(options_.model.encoder.transformer); }

std::shared_ptr<const data::TranscribedAudio> Transcription::read(
    const std::vector<std::string>& files) const {
  const auto params = [this](int64_t frames, std::span<const int32_t> tokens) {
    return why_unfit(options_.model, frames, tokens);
  };
  auto out = std::make_shared<const data::TranscribedAudio>(
      files, log_mel_, vocabularies_.fields.front(),
      data::TranscribedAudioOptions{.max_seconds = options_.data.max_seconds,
                                    .bad_files = options_.data.bad_files.params(),
                                    .frame_norm = options_.data.frame_norm,
                                    .why_unfit = params});
  log::info("{}", out->report());
  return out;
}

void Transcription::make_model(train::Group& group, bool resumes) {
  std::optional<Pretrained> pretrained;
  if (!resumes && !options_.pretrained.model.empty()) {
    pretrained.emplace(options_.pretrained,
                       model_options(options_.model, options_.data.log_mel.mel_bins));
  }
  const auto seed = static_cast<uint64_t>(options_.loop.seed);
  vocabularies_ =
      open_vocabularies(group, options_.data, vocabulary_text_of(options_.data.train_sets), seed);
  training_ = read(options_.data.train_sets);
  session_ = model_file::new_transcriber(options_.model,
                                         {.tokeniser = vocabularies_.fields.front(),
                                          .log_mel = options_.data.log_mel,
                                          .frame_norm = options_.data.frame_norm,
                                          .statistics = training_->statistics()},
                                         seed);
  log::info("model: {} parameters, vocabulary of {}", session_.parameters.size(),
            session_.tokeniser().size());
  if (pretrained)
    pretrained->copy_to(parameters(), {{nn::Vocabulary::kTarget, session_.tokeniser()}});
}

void Transcription::read_data(train::Group& group) {
  if (options_.validation.valid_sets.empty() || !group.is_first()) return;
  validation_ = read(options_.validation.valid_sets);
}

ops::Loss Transcription::loss(const train::MicroBatch& batch, const nn::Context& context) {
  const auto fits = [this](int64_t frames, std::span<const int32_t> tokens) {
    return why_unfit(options_.model, frames, tokens).empty();
  };
  return trained_.loss(
      augmented(batch.batch, {.options = options_, .assets = session_.assets, .fits = fits},
                context),
      {.smoothing = options_.label_smoothing, .weight = batch.weight}, context);
}

double Transcription::cross_entropy() const {
  const data::BatchPlan plan = data::evaluation_plan(*validation_, kEvaluationLimits);
  double nll = 0;
  int64_t targets = 0;
  for (int64_t i = 0; i < plan.size(); ++i) {
    nn::Context context;
    data::Batch batch = validation_->batch(plan[i]);
    auto& frames = std::get<data::Features>(batch.fields[0]);
    frames = session_.assets.normalised(std::move(frames));
    nll += session_.model.loss(batch, {}, context).nll;
    targets += batch.target().rows();
  }
  return nll / static_cast<double>(targets);
}

std::vector<std::string> Transcription::transcripts() const {
  const predict::TranscriberOptions options{.beam_size = options_.valid_beam_size,
                                            .max_seconds = options_.data.max_seconds};
  const predict::Transcriber transcriber(session_, options);
  Report report;
  std::vector<std::string> out;
  constexpr int64_t kTogether = 512;
  for (int64_t begin = 0; begin < validation_->size(); begin += kTogether) {
    std::vector<std::vector<float>> sounds;
    for (int64_t i = begin; i < std::min(begin + kTogether, validation_->size()); ++i) {
      sounds.push_back(
          std::get<data::Features>(validation_->batch(std::span(&i, 1)).fields[0]).values);
    }
    for (Transcript& transcript : predict::predict(transcriber, sounds, report)) {
      if (transcript.fault) fail<NumericError>("--valid-sets", "{}", transcript.fault->reason);
      out.push_back(std::move(transcript.text));
    }
  }
  return out;
}

std::vector<train::Metric> Transcription::validate() {
  std::optional<std::vector<std::string>> texts;
  const double loss = cross_entropy();
  if (!std::isfinite(loss)) fail<NumericError>("--valid-sets", "the loss is not a finite number");
  const auto value = [&](const std::string& metric) {
    if (metric == "cross-entropy") return loss;
    if (!texts) texts = transcripts();
    return metric == "word-error-rate"
               ? metrics::word_error_rate(*texts, validation_->texts()).value()
               : metrics::character_error_rate(*texts, validation_->texts()).value();
  };
  std::vector<train::Metric> out;
  for (const std::string& metric : options_.validation.valid_metrics) {
    out.push_back({.name = metric, .value = value(metric), .is_loss = true});
  }
  return out;
}

}  // namespace weft::tasks
