#include "weft/tasks/classification/line_classifier.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/tasks/labels/token_limit.h"

namespace weft::tasks {
namespace {

void add(std::span<const float> from, double factor, std::span<float> to) {
  for (size_t i = 0; i < to.size(); ++i) {
    to[i] = static_cast<float>(to[i] + factor * static_cast<double>(from[i]));
  }
}

void check_together(std::span<const model_file::ClassifierSession> sessions) {
  const model_file::ClassifierSession& first = sessions.front();
  for (const model_file::ClassifierSession& other : sessions) {
    if (other.model.options.has_one_label() != first.model.options.has_one_label()) {
      fail<OptionError>("--model", "gives one label, or several, where the first model does not");
    }
    if (other.labels().names() != first.labels().names()) {
      fail<OptionError>("--model",
                        "has other labels than the first model; expected the same, in the same "
                        "order");
    }
  }
}

}  // namespace

LineClassifier::LineClassifier(std::span<const model_file::ClassifierSession> sessions,
                               const LineOptions& options, std::optional<double> threshold)
    : sessions_(sessions), options_(options) {
  check_together(sessions);
  if (threshold && sessions.front().model.options.has_one_label()) {
    fail<OptionError>("--threshold",
                      "the model gives each text one label, the most probable one; expected a "
                      "model of --labels several");
  }
  threshold_ = 0;
  for (const model_file::ClassifierSession& session : sessions) {
    threshold_ += session.rule.threshold / static_cast<double>(sessions.size());
    encoders_.emplace_back(session.text.tokeniser,
                           token_rule(session.model.options, max_length(session)));
  }
  if (threshold) threshold_ = *threshold;
}

int64_t LineClassifier::max_length(const model_file::ClassifierSession& session) const {
  const models::ClassifierOptions& o = session.model.options;
  return token_limit(options_.max_length, o.encoder.table_capacity(), o.with_begin() ? 2 : 1);
}

model_file::ClassifierSession LineClassifier::session() const {
  model_file::ClassifierSession out = sessions_.front();
  out.rule.threshold = threshold_;
  return out;
}

std::vector<int32_t> LineClassifier::choose(std::span<const float> probabilities) const {
  std::vector<int32_t> out = choose_labels(probabilities, options(), threshold_);
  std::ranges::stable_sort(out, std::greater(),
                           [&](int32_t label) { return probabilities[label]; });
  return out;
}

std::vector<LineLabels> LineClassifier::classify(std::span<const decode::SourceLine> lines) {
  std::vector<LineLabels> out(lines.size());
  const double share = 1 / static_cast<double>(sessions_.size());
  for (size_t s = 0; s < sessions_.size(); ++s) {
    const model_file::ClassifierSession& session = sessions_[s];
    const bool is_one = session.model.options.has_one_label();
    for_each_batch(encoders_[s].encode(lines), options_.mini_batch,
                   [&](const data::Tokens& tokens, std::span<const size_t> numbers) {
                     const LabelScores part = probabilities_of(logits_of(session.model, tokens),
                                                               is_one, session.rule.temperature);
                     for (size_t b = 0; b < numbers.size(); ++b) {
                       std::vector<float>& sum = out[numbers[b]].probabilities;
                       sum.resize(static_cast<size_t>(part.labels));
                       add(part[static_cast<int64_t>(b)], share, sum);
                     }
                   });
  }
  for (LineLabels& line : out) {
    if (!line.is_empty()) line.labels = choose(line.probabilities);
  }
  return out;
}

LabelScores LineClassifier::probabilities(const std::vector<std::string>& files,
                                          const data::LabelledTextOptions& text,
                                          ExpectedLabels& expected) const {
  LabelScores out{{}, labels().size()};
  for (const model_file::ClassifierSession& session : sessions_) {
    const models::ClassifierOptions& model = session.model.options;
    const data::LabelledCorpus corpus(
        files, {.text = text, .tokens = token_rule(model, max_length(session))},
        session.text.tokeniser, session.text.labels);
    expected = expected_labels(corpus);
    const LabelScores part = probabilities_of(logits_of(session.model, corpus),
                                              model.has_one_label(), session.rule.temperature);
    out.values.resize(part.values.size());
    add(part.values, 1 / static_cast<double>(sessions_.size()), out.values);
  }
  return out;
}

}  // namespace weft::tasks
