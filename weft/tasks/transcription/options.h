// The options of training a transcriber.
#ifndef WEFT_TASKS_TRANSCRIPTION_OPTIONS_H_
#define WEFT_TASKS_TRANSCRIPTION_OPTIONS_H_

#include "weft/data/audio/frame_norm.h"
#include "weft/data/audio/log_mel.h"
#include "weft/data/audio/spec_augment.h"
#include "weft/data/bad_files.h"
#include "weft/data/text/vocabulary_options.h"
#include "weft/models/transcriber_options.h"
#include "weft/tasks/presets.h"
#include "weft/tasks/shared_options.h"
#include "weft/tasks/task_options.h"

namespace weft::tasks {

struct TranscribedDataOptions : data::VocabularyOptions {
  std::vector<std::string> train_sets;
  data::BadFileOptions bad_files;
  double max_seconds = 30;
  data::LogMelOptions log_mel;
  data::FrameNorms frame_norm = data::PeakNorm();

  TranscribedDataOptions() { vocab_type = "character"; }

  template <class V>
  void fields(V& v) {
    v("train-sets", train_sets,
      {.help = "training sounds, a line each, plain or .gz: the path of a WAV, FLAC or Ogg file, "
               "from the folder of the list on, a tab, and the text that is spoken in it or its "
               "translation",
       .letter = 't',
       .required = true,
       .reads = true,
       .may_change = true});
    VocabularyOptions::fields(v, true);
    bad_files.fields(v);
    v("max-seconds", max_seconds,
      {.help = "longer sounds are left out of training, and counted", .min = 0.1, .max = 3600});
    log_mel.fields(v);
    data::frame_norm_field(v, frame_norm);
  }
};

struct TranscriptionOptions : TaskOptions {
  static constexpr train::EarlierDefault kEarlierDefaults[] = {{"frame-norm", "global"}};

  TranscribedDataOptions data;
  double speed_perturbation = 0;
  double gain_perturbation = 0;
  data::SpecAugmentOptions spec_augment;
  models::TranscriberOptions model;
  double label_smoothing = 0.1;
  int64_t valid_beam_size = 1;

  TranscriptionOptions();

  template <class V>
  void fields(V& v) {
    loop_fields(v);
    options::group(v, "Data");
    data.fields(v);
    v("speed-perturbation", speed_perturbation,
      {.help = "each training example is played at a speed drawn from 1 - x to 1 + x (Ko et al. "
               "2015); 0.1 is usual",
       .min = 0,
       .max = 0.5});
    options::belongs_to<data::GlobalNorm>(v, "frame-norm", &data.frame_norm.selection(), [&] {
      v("gain-perturbation", gain_perturbation,
        {.help = "each training example is made louder or softer by up to this many decibels",
         .min = 0,
         .max = 100});
    });
    spec_augment.fields(v);
    batching.fields(v);
    model.fields(v);
    options::group(v, "Loss");
    options::belongs_to<models::JointDecoder, models::AttentionDecoder>(
        v, "decoder", &model.decoder.selection(),
        [&] { label_smoothing_field(v, label_smoothing); });
    optimizer.fields(v);
    schedule.fields(v);
    validation.fields(v, {.sets = "sounds to validate on, as --train-sets",
                          .metrics = "cross-entropy|word-error-rate|character-error-rate"});
    valid_beam_size_field(v, valid_beam_size);
  }

  static constexpr std::string_view kExamples = "sounds";
  std::span<const DataPreset> presets() const;  // weft/tasks/presets.h
  int64_t count_examples(int64_t enough) const;

  // Throws OptionError for options that contradict each other or are missing.
  void validate() const;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSCRIPTION_OPTIONS_H_
