#include "weft/predict/tagging/tagger.h"

#include <algorithm>
#include <limits>

#include "weft/core/text/utf8.h"
#include "weft/model_file/tagger.h"
#include "weft/predict/batches.h"
#include "weft/predict/token_limit.h"

namespace weft::predict {
namespace {

// How the models' texts become tokens.
data::TokenOptions token_params(std::span<const model_file::TaggerSession> sessions,
                                int64_t max_length) {
  data::TokenOptions out{.by_word = true,
                         .with_begin = sessions.front().model.options.with_begin()};
  int64_t capacity = std::numeric_limits<int32_t>::max();
  for (const model_file::TaggerSession& session : sessions) {
    capacity = std::min(capacity, session.model.options.encoder.table_capacity());
  }
  out.max_length = token_limit(max_length, capacity, out.with_begin ? 2 : 1);
  return out;
}

// What follows is moved to the end of `to`.
template <class T>
void append(std::vector<T>& from, std::vector<T>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

TextLabels TaggedText::labels() const {
  TextLabels out;
  for (const Column& column : columns) {
    out.emplace_back(column.labels.begin(), column.labels.end());
  }
  return out;
}

std::vector<std::vector<TaggedText::Column>> best_labels(const model_file::TaggerSession& session,
                                                         const models::TagScores& scores,
                                                         bool with_probabilities) {
  const std::vector<models::LabelColumn>& columns = session.model.dims.columns;
  const Segments& words = scores.words->segments;
  std::vector<std::vector<TaggedText::Column>> out(static_cast<size_t>(words.count()),
                                                   std::vector<TaggedText::Column>(columns.size()));
  for (size_t c = 0; c < columns.size(); ++c) {
    const models::PredictedLabels found =
        models::best_labels(scores.columns[c], columns[c], scores.words, with_probabilities);
    for (int64_t b = 0; b < words.count(); ++b) {
      const int64_t begin = columns[c].is_of_text ? b : words.begin(b);
      const int64_t end = columns[c].is_of_text ? b + 1 : words.end(b);
      TaggedText::Column& to = out[b][c];
      to.labels.reserve(static_cast<size_t>(end - begin));
      for (int64_t i = begin; i < end; ++i) {
        to.labels.emplace_back(session.labels()[c].name(found.labels[i]));
        if (with_probabilities) to.probabilities.push_back(found.probabilities[i]);
      }
    }
  }
  return out;
}

Tagger::Tagger(std::span<const model_file::TaggerSession> sessions, TaggerOptions options,
               bool with_probabilities)
    : sessions_(sessions),
      options_(std::move(options)),
      with_probabilities_(with_probabilities),
      tokens_(token_params(sessions, options_.max_length)) {
  const model_file::TaggerSession& first = sessions_.front();
  for (size_t c = 0; c < first.assets.word_columns; ++c) {
    is_bio_.push_back(data::is_scheme(first.labels()[c].names(), data::TagScheme::kBio));
  }
}

void Tagger::add_windows(size_t text, std::span<const std::string> words, Prepared<Request>& out,
                         Report& report) const {
  const data::Tokeniser& tokeniser = sessions_.front().tokeniser();
  const std::vector<std::string_view> views(words.begin(), words.end());
  bool has_unknown = false, is_cropped = false;
  for (size_t first = 0; first < words.size();) {
    data::EncodedText window =
        data::encode_text(tokeniser, tokens_, {}, std::span(views).subspan(first));
    const size_t count = window.words.size();
    has_unknown |= std::ranges::count(window.ids, tokeniser.unknown_id()) > 0;
    is_cropped |= window.is_cropped && count == 1 &&
                  std::ssize(tokeniser.encode(views[first])) > tokens_.max_length;
    report.input_tokens += std::ssize(window.ids);
    out.add(text, {words.subspan(first, count), std::move(window)});
    first += count;
  }
  if (has_unknown) report.add(Note::kUnknown);
  if (out.inputs[text].requests > 1) report.add(Note::kWindows);
  if (is_cropped) report.add(Note::kCropped);
}

Prepared<Tagger::Request> Tagger::prepare(std::span<const Words> texts, Report& report) const {
  Prepared<Request> out(texts.size(), report);
  for (size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].fault) {
      out.add_fault(i, *texts[i].fault, report);
      continue;
    }
    if (!std::ranges::all_of(texts[i].words, valid_utf8)) report.add(Note::kMalformed);
    add_windows(i, texts[i].words, out, report);
  }
  return out;
}

models::TagScores Tagger::scores(std::span<const Request> requests,
                                 std::span<const size_t> numbers) const {
  data::Tokens tokens;
  data::Labels first_rows;
  for (const size_t i : numbers) {
    tokens.add(requests[i].encoded.ids);
    first_rows.add(requests[i].encoded.words);
  }
  std::vector<models::TagScores> all;
  for (const model_file::TaggerSession& session : sessions_) {
    data::Tokens characters;
    for (const size_t i : numbers) {
      std::vector<int32_t> ids;
      if (!session.characters()) break;
      for (const std::string& word : requests[i].words) session.characters().append(word, ids);
      characters.add(ids);
    }
    nn::Context context;
    all.push_back(session.model({.tokens = tokens,
                                 .first_rows = first_rows,
                                 .characters = session.characters() ? &characters : nullptr},
                                context));
  }
  return all.size() == 1 ? std::move(all.front()) : models::mean_scores(all);
}

std::vector<Tagger::Answer> Tagger::run(std::span<Request> requests) const {
  const model_file::TaggerSession& session = sessions_.front();
  std::vector<Answer> out(requests.size());
  const auto run_batch = [&](std::span<const size_t> numbers) {
    const models::TagScores found = scores(requests, numbers);
    auto columns = best_labels(session, found, with_probabilities_);
    for (size_t b = 0; b < numbers.size(); ++b) {
      const auto text = static_cast<int64_t>(b);
      out[numbers[b]] = {.columns = std::move(columns[b]),
                         .is_finite = models::is_finite(found, session.model.dims.columns, text)};
    }
  };
  for_each_batch(
      requests.size(), options_.batches.mini_batch,
      [&](size_t i) { return requests[i].encoded.ids.size(); }, run_batch);
  return out;
}

TaggedText Tagger::join(std::span<Answer> windows) const {
  const std::vector<models::LabelColumn>& columns = sessions_.front().model.dims.columns;
  TaggedText out{.columns = std::vector<TaggedText::Column>(columns.size())};
  for (size_t c = 0; c < columns.size(); ++c) {
    if (windows.empty()) continue;
    out.columns[c] = std::move(windows.front().columns[c]);
    if (columns[c].is_of_text) continue;
    for (Answer& window : windows.subspan(1)) {
      append(window.columns[c].labels, out.columns[c].labels);
      append(window.columns[c].probabilities, out.columns[c].probabilities);
    }
  }
  const data::InvalidTags invalid = data::invalid_tags_named(options_.invalid_tags);
  for (size_t c = 0; c < is_bio_.size(); ++c) {
    if (is_bio_[c]) data::fix_bio(out.columns[c].labels, invalid, {});
  }
  return out;
}

std::vector<TaggedText> Tagger::finish(const Prepared<Request>& prepared, std::span<Answer> answers,
                                       Report& report) const {
  std::vector<TaggedText> out;
  prepared.for_each_input(answers, [&](size_t i, std::span<Answer> windows) {
    const bool is_finite = std::ranges::all_of(windows, &Answer::is_finite);
    out.push_back(join(is_finite ? windows : std::span<Answer>()));
    out.back().fault = prepared.inputs[i].fault;
    if (!is_finite) out.back().fault = prepared.not_finite(i, report);
  });
  return out;
}

void check_columns(const data::LabelledFields& fields, const model_file::TaggerSession& session) {
  const size_t words = session.assets.word_columns, texts = session.labels().size() - words;
  if (fields.word_labels.size() == words && fields.text_labels.size() == texts) return;
  fail<OptionError>("--word-labels",
                    "the model gives {} labels to a word and {} to a text; expected as many "
                    "fields here and in --text-labels, got {} and {}",
                    words, texts, fields.word_labels.size(), fields.text_labels.size());
}

}  // namespace weft::predict
