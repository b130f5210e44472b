#include "weft/predict/classification/classifier.h"

#include <algorithm>
#include <numeric>

#include "weft/core/chunks.h"
#include "weft/core/error.h"
#include "weft/core/log.h"
#include "weft/data/images/labelled_images.h"
#include "weft/predict/token_limit.h"

namespace weft::predict {
namespace {

// What results_of() gave of examples whose labels are known.
void check_finite(const LabelScores& results) {
  for (int64_t i = 0; i < results.texts(); ++i) {
    if (is_finite(results[i])) continue;
    fail<NumericError>("--evaluate", "example {}: {}", i + 1, kNotFinite);
  }
}

// Probabilities, or numbers in their units.
LabelScores results_of(const model_file::ClassifierSession& session, LabelScores scores) {
  return session.model.options.has_numbers()
             ? in_units(std::move(scores), session.numbers)
             : probabilities_of(std::move(scores), session.model.options, session.rule.temperature);
}

void add(std::span<const float> from, double factor, std::span<float> to) {
  for (size_t i = 0; i < to.size(); ++i) {
    to[i] = static_cast<float>(to[i] + factor * static_cast<double>(from[i]));
  }
}

void check_together(std::span<const model_file::ClassifierSession> sessions) {
  const model_file::ClassifierSession& first = sessions.front();
  for (const model_file::ClassifierSession& other : sessions) {
    const std::string_view kind = other.model.options.labels.name();
    if (kind != first.model.options.labels.name()) {
      fail<OptionError>("--model", "is of --labels {}; expected {}, as the first model", kind,
                        first.model.options.labels.name());
    }
    if (other.model.options.input.name() != first.model.options.input.name()) {
      fail<OptionError>("--model", "is of --input {}; expected {}, as the first model",
                        other.model.options.input.name(), first.model.options.input.name());
    }
    if (other.labels().names() != first.labels().names()) {
      fail<OptionError>("--model",
                        "has other labels than the first model; expected the same, in the same "
                        "order");
    }
  }
}

}  // namespace

Classifier::Classifier(std::span<const model_file::ClassifierSession> sessions,
                       const LineOptions& options, std::optional<double> threshold)
    : sessions_(sessions), options_(options) {
  check_together(sessions);
  const models::LabelKinds& labels = sessions.front().model.options.labels;
  if (threshold && !labels.is<models::SeveralLabels>()) {
    fail<OptionError>("--threshold",
                      "the model is of --labels {}, which has no threshold; expected several",
                      labels.name());
  }
  const bool is_text = sessions.front().model.options.is_text();
  if (!is_text && options.max_length != LineOptions{}.max_length) {
    fail<OptionError>("--max-length", "the model is of --input {}, which has no tokens",
                      sessions.front().model.options.input.name());
  }
  if (sessions.size() > 1 && labels.is<models::LabelSequence>()) {
    fail<OptionError>("--model",
                      "models of --labels sequence have no probabilities that could be "
                      "averaged; expected one model");
  }
  threshold_ = 0;
  for (const model_file::ClassifierSession& session : sessions) {
    threshold_ += session.rule.threshold / static_cast<double>(sessions.size());
    readers_.push_back(make_line_reader(session, max_length(session)));
  }
  if (threshold) threshold_ = *threshold;
}

int64_t Classifier::max_length(const model_file::ClassifierSession& session) const {
  const models::ClassifierOptions& o = session.model.options;
  const int64_t trained = session.max_length > 0 ? session.max_length : options_.max_length;
  return token_limit(std::min(options_.max_length, trained), o.encoder.table_capacity(),
                     o.with_begin() ? 2 : 1);
}

model_file::ClassifierSession Classifier::session() const {
  model_file::ClassifierSession out = sessions_.front();
  out.rule.threshold = threshold_;
  return out;
}

std::vector<int32_t> Classifier::choose(std::span<const float> probabilities) const {
  std::vector<int32_t> out = choose_labels(probabilities, options(), threshold_);
  std::ranges::stable_sort(out, std::greater(),
                           [&](int32_t label) { return probabilities[label]; });
  return out;
}

void Classifier::add_probabilities(const model_file::ClassifierSession& session,
                                   const data::Field& input, std::span<const size_t> numbers,
                                   std::vector<LineLabels>& lines) const {
  const LabelScores part = results_of(session, scores_of(session.model, input));
  for (size_t b = 0; b < numbers.size(); ++b) {
    std::vector<float>& sum = lines[numbers[b]].probabilities;
    sum.resize(static_cast<size_t>(part.labels));
    add(part[static_cast<int64_t>(b)], 1 / static_cast<double>(sessions_.size()), sum);
  }
}

void Classifier::choose_all(std::vector<LineLabels>& lines) {
  for (LineLabels& line : lines) {
    ++classified_;
    if (!is_finite(line.probabilities)) {
      not_finite_.add(classified_);
      line.probabilities.clear();
    }
    if (options().has_numbers() || line.is_empty()) continue;
    line.labels = choose(line.probabilities);
  }
}

LineReport Classifier::report() const {
  LineReport out = readers_.front()->report();
  out.not_finite = not_finite_;
  return out;
}

std::vector<LineLabels> Classifier::classify(std::span<const Line> lines) {
  std::vector<LineLabels> out(lines.size());
  for (size_t s = 0; s < sessions_.size(); ++s) {
    const auto run = [&](const data::Field& input, std::span<const size_t> numbers) {
      add_probabilities(sessions_[s], input, numbers, out);
    };
    readers_[s]->for_each_batch(lines, options_.mini_batch, run);
  }
  choose_all(out);
  return out;
}

std::vector<LineLabels> Classifier::classify(std::span<const data::Image> pictures) {
  std::vector<LineLabels> out(pictures.size());
  std::vector<size_t> numbers(pictures.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  for (const model_file::ClassifierSession& session : sessions_) {
    const data::ImageShape shape = session.model.sizes.image;
    const auto run = [&](std::span<const data::Image> batch, size_t begin) {
      data::Features examples{{}, shape.size(), {}, {}};
      for (const data::Image& picture : batch) data::append_picture(picture, shape, examples);
      add_probabilities(session, model_input(session, examples),
                        std::span(numbers).subspan(begin, batch.size()), out);
    };
    for_each_chunk(pictures, options_.mini_batch, run);
  }
  choose_all(out);
  return out;
}

std::shared_ptr<const data::LabelledDataset> Classifier::examples(
    const model_file::ClassifierSession& session, const LabelledFiles& in,
    const data::LabelledTextOptions& text, const data::LabelSet& labels) const {
  const models::ClassifierOptions& model = session.model.options;
  if (model.is_text()) {
    return std::make_shared<const data::LabelledCorpus>(
        in.files,
        data::LabelledCorpusOptions{.text = text, .tokens = token_rule(model, max_length(session))},
        session.text.tokeniser, std::vector{labels});
  }
  const auto reported = [](auto read) {
    log::info("{}", read->report());
    return read;
  };
  if (model.input.is<models::FeatureInput>()) {
    data::FeatureRule rule = feature_rule(model, session.model.sizes.channels);
    rule.bad_files = in.bad_files;
    return reported(std::make_shared<const data::LabelledFeatures>(in.files, text, rule, labels));
  }
  return reported(std::make_shared<const data::LabelledImages>(
      in.files,
      data::LabelledImagesOptions{.text = text,
                                  .shape = session.model.sizes.image,
                                  .patch = model.input.get<models::ImageInput>().patch_size,
                                  .bad_files = in.bad_files},
      labels));
}

LabelScores Classifier::numbers(const LabelledFiles& in, std::vector<float>& expected) const {
  const data::NumberTable table =
      read_numbers(in.files, in.fields, options().input, labels().size());
  LabelScores sum{{}, labels().size()};
  for (const model_file::ClassifierSession& session : sessions_) {
    const auto read = examples(session, in, reading_of(in.fields, options().labels), table.texts);
    const data::NumberedExamples all(read, table);
    expected = all.numbers();
    const LabelScores part = results_of(session, scores_of(session, all));
    check_finite(part);
    sum.values.resize(part.values.size());
    add(part.values, 1 / static_cast<double>(sessions_.size()), sum.values);
  }
  return sum;
}

LabelScores Classifier::probabilities(const LabelledFiles& in, ExpectedLabels& expected) const {
  LabelScores out{{}, labels().size()};
  for (const model_file::ClassifierSession& session : sessions_) {
    const auto all = examples(session, in, in.fields.reading(), session.labels());
    expected = expected_labels(*all);
    const LabelScores part = results_of(session, scores_of(session, *all));
    check_finite(part);
    out.values.resize(part.values.size());
    add(part.values, 1 / static_cast<double>(sessions_.size()), out.values);
  }
  return out;
}

}  // namespace weft::predict
