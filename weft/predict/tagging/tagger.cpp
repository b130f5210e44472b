#include "weft/predict/tagging/tagger.h"

#include <algorithm>
#include <limits>

#include "weft/predict/token_limit.h"

namespace weft::predict {
namespace {

// How the models' texts become tokens.
data::TokenRule token_rule(std::span<const model_file::TaggerSession> sessions,
                           int64_t max_length) {
  data::TokenRule out{.by_word = true, .with_begin = sessions.front().model.options.with_begin()};
  int64_t capacity = std::numeric_limits<int32_t>::max();
  for (const model_file::TaggerSession& session : sessions) {
    capacity = std::min(capacity, session.model.options.encoder.table_capacity());
  }
  out.max_length = token_limit(max_length, capacity, out.with_begin ? 2 : 1);
  return out;
}

}  // namespace

TextLabels TaggedText::labels() const {
  TextLabels out;
  for (const Column& column : columns) {
    out.emplace_back(column.labels.begin(), column.labels.end());
  }
  return out;
}

Tagger::Tagger(std::span<const model_file::TaggerSession> sessions, TaggingRule rule)
    : sessions_(sessions), rule_(rule), tokens_(token_rule(sessions, rule.max_length)) {
  const model_file::TaggerSession& first = sessions_.front();
  for (size_t c = 0; c < first.assets.word_columns; ++c) {
    is_bio_.push_back(data::is_scheme(first.labels()[c].names(), data::TagScheme::kBio));
  }
}

void Tagger::add_windows(size_t text, std::span<const std::string_view> words) {
  const data::Tokeniser& tokeniser = sessions_.front().tokeniser();
  bool has_unknown = false, is_split = false, is_cropped = false;
  for (size_t first = 0; first < words.size();) {
    data::EncodedText window = data::encode_text(tokeniser, tokens_, {}, words.subspan(first));
    const size_t count = window.words.size();
    has_unknown |= std::ranges::count(window.ids, tokeniser.unknown_id()) > 0;
    is_split |= first > 0;
    is_cropped |= window.is_cropped && count == 1 &&
                  std::ssize(tokeniser.encode(words[first])) > tokens_.max_length;
    report_.tokens += std::ssize(window.ids);
    windows_.push_back({text, first, words.subspan(first, count)});
    encoded_.push_back(std::move(window));
    first += count;
  }
  report_.with_unknown += has_unknown ? 1 : 0;
  report_.split += is_split ? 1 : 0;
  report_.cropped += is_cropped ? 1 : 0;
}

models::TagScores Tagger::scores(const data::Tokens& tokens,
                                 std::span<const size_t> numbers) const {
  data::Labels first_rows;
  for (const size_t i : numbers) first_rows.add(encoded_[i].words);
  std::vector<models::TagScores> all;
  for (const model_file::TaggerSession& session : sessions_) {
    data::Tokens characters;
    for (const size_t i : numbers) {
      std::vector<int32_t> ids;
      if (!session.characters()) break;
      for (const std::string_view word : windows_[i].words) session.characters().append(word, ids);
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

void Tagger::run(const data::Tokens& tokens, std::span<const size_t> numbers,
                 std::vector<TaggedText>& out) const {
  const models::TagScores found = scores(tokens, numbers);
  const model_file::TaggerSession& session = sessions_.front();
  for (size_t b = 0; b < numbers.size(); ++b) {
    const bool is_finite =
        models::is_finite(found, session.model.sizes.columns, static_cast<int64_t>(b));
    if (!is_finite) out[windows_[numbers[b]].text].is_finite = false;
  }
  for (size_t c = 0; c < found.columns.size(); ++c) {
    const models::LabelColumn& column = session.model.sizes.columns[c];
    const models::GivenLabels given =
        models::best_labels(found.columns[c], column, found.words, rule_.with_probabilities);
    for (size_t b = 0; b < numbers.size(); ++b) {
      const Window& window = windows_[numbers[b]];
      if (column.is_of_text && window.first_word > 0) continue;
      const auto begin =
          column.is_of_text ? b : static_cast<size_t>(found.words->segments.begin(b));
      const size_t count = column.is_of_text ? 1 : window.words.size();
      TaggedText::Column& to = out[window.text].columns[c];
      for (size_t i = 0; i < count; ++i) {
        to.labels[window.first_word + i] = session.labels()[c].name(given.labels[begin + i]);
        if (!rule_.with_probabilities) continue;
        to.probabilities[window.first_word + i] = given.probabilities[begin + i];
      }
    }
  }
}

void Tagger::repair(TaggedText& text) const {
  for (size_t c = 0; c < is_bio_.size(); ++c) {
    if (is_bio_[c]) data::fix_bio(text.columns[c].labels, rule_.misplaced_tags, {});
  }
}

std::vector<TaggedText> Tagger::tag(std::span<const std::vector<std::string_view>> texts) {
  const std::vector<models::LabelColumn>& columns = sessions_.front().model.sizes.columns;
  std::vector<TaggedText> out(texts.size());
  windows_.clear();
  encoded_.clear();
  for (size_t text = 0; text < texts.size(); ++text) {
    const size_t words = texts[text].size();
    for (const models::LabelColumn& column : columns) {
      const size_t count = column.is_of_text ? std::min<size_t>(words, 1) : words;
      TaggedText::Column& to = out[text].columns.emplace_back();
      to.labels.resize(count);
      if (rule_.with_probabilities) to.probabilities.resize(count);
    }
    add_windows(text, texts[text]);
  }
  for_each_batch(encoded_, rule_.mini_batch,
                 [&](const data::Tokens& tokens, std::span<const size_t> numbers) {
                   run(tokens, numbers, out);
                 });
  for (TaggedText& text : out) {
    ++report_.lines;
    if (text.is_finite) {
      repair(text);
    } else {
      report_.not_finite.add(report_.lines);
      std::ranges::fill(text.columns, TaggedText::Column());
    }
  }
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
