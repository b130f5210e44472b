#include "weft/predict/classification/classifier.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/data/images/image.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/model_file/classifier.h"
#include "weft/predict/batches.h"
#include "weft/predict/classification/numbers.h"
#include "weft/predict/not_finite.h"
#include "weft/predict/path_lines.h"
#include "weft/predict/token_limit.h"

namespace weft::predict {
namespace {

using Sessions = std::span<const model_file::ClassifierSession>;

void check_ensemble(Sessions sessions) {
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
  if (sessions.size() > 1 && first.model.options.is_sequence()) {
    fail<OptionError>("--model",
                      "models of --labels sequence have no probabilities that could be "
                      "averaged; expected one model");
  }
}

// Calls read(i, text) for each line that has words, and returns the faults of the others.
template <class Read>
std::vector<std::optional<Fault>> read_texts(std::span<const Line> lines, const Read& read) {
  std::vector<std::optional<Fault>> faults(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    faults[i] = fault_of_text(lines[i]);
    if (faults[i]) continue;
    if (!data::has_word(lines[i].text)) {
      faults[i] = Fault{FaultKind::kEmpty, "no word"};
      continue;
    }
    try {
      read(i, lines[i].text);
    } catch (const FormatError& error) {  // one text where there are to be two
      faults[i] = Fault{FaultKind::kUnreadable, error.what()};
    }
  }
  return faults;
}

// The examples of some requests, as one of the models reads them.
data::Field batch_of(std::span<const Classifier::Request> requests, size_t model,
                     std::span<const size_t> numbers) {
  data::Field out = requests[numbers.front()][model].field;
  for (const size_t i : numbers.subspan(1)) {
    const data::Field& field = requests[i][model].field;
    if (auto* tokens = std::get_if<data::Tokens>(&out)) {
      const auto& from = std::get<data::Tokens>(field);
      tokens->add_typed(from.ids, from.types);
      continue;
    }
    auto& to = std::get<data::Features>(out);
    const auto& from = std::get<data::Features>(field);
    to.values.insert(to.values.end(), from.values.begin(), from.values.end());
    to.segments.append(from.rows());
  }
  return out;
}

}  // namespace

Classifier::Classifier(Sessions sessions, const TextBatchOptions& options,
                       std::optional<double> threshold)
    : sessions_(sessions), options_(options) {
  check_ensemble(sessions);
  const models::ClassifierOptions& first = sessions.front().model.options;
  if (threshold && !first.labels.is<models::SeveralLabels>()) {
    fail<OptionError>("--threshold",
                      "the model is of --labels {}, which has no threshold; expected several",
                      first.labels.name());
  }
  if (!first.is_text() && options.max_length != TextBatchOptions{}.max_length) {
    fail<OptionError>("--max-length", "the model is of --input {}, which has no tokens",
                      first.input.name());
  }
  for (const model_file::ClassifierSession& session : sessions) {
    threshold_ += session.params.threshold / static_cast<double>(sessions.size());
    readers_.push_back(make_line_reader(session, text_limit(session, options.max_length)));
  }
  if (threshold) threshold_ = *threshold;
}

const data::LabelSet& Classifier::labels() const { return sessions_.front().labels(); }

const models::ClassifierOptions& Classifier::options() const {
  return sessions_.front().model.options;
}

model_file::ClassifierSession Classifier::session() const {
  model_file::ClassifierSession out = sessions_.front();
  out.params.threshold = threshold_;
  return out;
}

// Pixels of thousands of pictures would fill the memory.
int64_t Classifier::most_prepared() const {
  return options().is_text() ? kAnyNumber : options_.mini_batch;
}

Prepared<Classifier::Request> Classifier::prepare(std::span<const Line> lines,
                                                  Report& report) const {
  Prepared<Request> out(lines.size(), report);
  std::vector<Request> read(lines.size());
  const auto read_line = [&](size_t i, const std::string& text) {
    for (const auto& reader : readers_) read[i].push_back(reader->read(text));
  };
  std::vector<std::optional<Fault>> faults =
      options().is_text() ? read_texts(lines, read_line) : read_paths(lines, out.first, read_line);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (faults[i]) {
      out.add_fault(i, *faults[i], report);
      continue;
    }
    const ReadExample& example = read[i].front();
    if (example.is_cropped) report.add(Note::kCropped);
    if (example.has_unknown) report.add(Note::kUnknown);
    if (options().is_text()) report.input_tokens += example.rows();
    out.add(i, std::move(read[i]));
  }
  return out;
}

Prepared<Classifier::Request> Classifier::prepare(std::span<const data::Image> pictures,
                                                  Report& report) const {
  Prepared<Request> out(pictures.size(), report);
  for (size_t i = 0; i < pictures.size(); ++i) {
    Request request;
    for (const auto& session : sessions_) request.push_back(read_picture(session, pictures[i]));
    out.add(i, std::move(request));
  }
  return out;
}

std::vector<Classifier::Answer> Classifier::run(std::span<Request> requests) const {
  std::vector<Answer> out(requests.size());
  for (size_t model = 0; model < sessions_.size(); ++model) {
    const model_file::ClassifierSession& session = sessions_[model];
    const auto length = [&](size_t i) { return requests[i][model].rows(); };
    for_each_batch(
        requests.size(), options_.mini_batch, length, [&](std::span<const size_t> numbers) {
          const LabelScores part = results_of(
              session,
              scores_of(session.model, model_input(session, batch_of(requests, model, numbers))));
          for (size_t b = 0; b < numbers.size(); ++b) {
            Answer& sum = out[numbers[b]];
            sum.resize(static_cast<size_t>(part.labels));
            add_share(part[static_cast<int64_t>(b)], sessions_.size(), sum);
          }
        });
  }
  return out;
}

std::vector<int32_t> Classifier::choose(std::span<const float> probabilities) const {
  std::vector<int32_t> out = choose_labels(probabilities, options(), threshold_);
  std::ranges::stable_sort(out, std::greater(),
                           [&](int32_t label) { return probabilities[label]; });
  return out;
}

std::vector<ChosenLabels> Classifier::finish(const Prepared<Request>& prepared,
                                             std::span<Answer> answers, Report& report) const {
  std::vector<ChosenLabels> out(prepared.inputs.size());
  prepared.for_each_input(answers, [&](size_t i, std::span<Answer> found) {
    ChosenLabels& result = out[i];
    result.fault = prepared.inputs[i].fault;
    if (found.empty()) return;
    if (!is_finite(found.front())) {
      result.fault = prepared.not_finite(i, report);
      return;
    }
    result.probabilities = std::move(found.front());
    if (!options().has_numbers()) result.labels = choose(result.probabilities);
  });
  return out;
}

int64_t text_limit(const model_file::ClassifierSession& session, int64_t wanted) {
  const models::ClassifierOptions& o = session.model.options;
  const int64_t trained = session.max_length > 0 ? session.max_length : wanted;
  return token_limit(std::min(wanted, trained), o.table_capacity(), o.with_begin() ? 2 : 1);
}

}  // namespace weft::predict
