#include "weft/data/labels/labelled_corpus.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "weft/core/error.h"
#include "weft/core/hash.h"
#include "weft/core/text/counted.h"
#include "weft/data/file_names.h"
#include "weft/data/subwords/subword_tokeniser.h"
#include "weft/data/text/plain_tokeniser.h"

namespace weft::data {
namespace {

// The labels of one field, invalid tags repaired where they are BIO. Returns how many were.
int64_t fix_labels(std::vector<std::string>& labels, InvalidTags params, const LabelledText& text) {
  return fix_bio(labels, params, [&](int64_t word) { return text.where(word); });
}

std::vector<std::string> strings_of(const std::vector<std::string_view>& views) {
  return {views.begin(), views.end()};
}

}  // namespace

std::vector<int32_t> encode_word(const Tokeniser& tokeniser, std::string_view word, bool is_first) {
  const bool has_space = !is_first && tokeniser.kind() == "tokenizer";
  return tokeniser.encode(has_space ? " " + std::string(word) : std::string(word));
}

EncodedText encode_text(const Tokeniser& tokeniser, const TokenOptions& params,
                        std::string_view text, std::span<const std::string_view> words) {
  EncodedText out;
  if (params.with_begin) out.ids.push_back(tokeniser.begin_id());
  const size_t specials = out.ids.size();
  const size_t most = static_cast<size_t>(params.max_length);
  if (params.by_word) {
    for (const std::string_view word : words) {
      std::vector<int32_t> ids = encode_word(tokeniser, word, out.words.empty());
      if (ids.empty()) {
        const int32_t unknown = tokeniser.unknown_id();  // none of bytes
        ids.push_back(unknown < 0 ? tokeniser.end_id() : unknown);
      }
      if (most > 0 && out.ids.size() - specials + ids.size() > most) {
        out.is_cropped = true;
        if (!out.words.empty()) break;
        ids.resize(most);
      }
      out.words.push_back(static_cast<int32_t>(out.ids.size()));
      if (params.characters) params.characters.append(word, out.characters);
      out.ids.insert(out.ids.end(), ids.begin(), ids.end());
    }
  } else {
    std::vector<int32_t> ids = tokeniser.encode(text);
    out.is_cropped = most > 0 && ids.size() > most;
    if (out.is_cropped) ids.resize(most);
    out.ids.insert(out.ids.end(), ids.begin(), ids.end());
  }
  out.ids.push_back(tokeniser.end_id());
  return out;
}

namespace {

// The ids of two texts with special symbols.
Encoding join_pair(const Tokeniser& tokeniser, bool with_begin, std::span<const int32_t> first,
                   std::span<const int32_t> second) {
  const auto* const subwords = dynamic_cast<const SubwordTokeniser*>(&tokeniser);
  if (subwords != nullptr && with_begin && subwords->has_pair_symbols()) {
    return subwords->join_pair(first, second);
  }
  Encoding out;
  if (with_begin) out.ids.push_back(tokeniser.begin_id());
  out.ids.insert(out.ids.end(), first.begin(), first.end());
  out.ids.push_back(tokeniser.end_id());
  out.types.resize(out.ids.size(), 0);
  out.ids.insert(out.ids.end(), second.begin(), second.end());
  out.ids.push_back(tokeniser.end_id());
  out.types.resize(out.ids.size(), 1);
  return out;
}

}  // namespace

EncodedText encode_pair(const Tokeniser& tokeniser, const TokenOptions& params,
                        std::string_view first, std::string_view second) {
  std::vector<int32_t> a = tokeniser.encode(first), b = tokeniser.encode(second);
  EncodedText out;
  if (params.max_length > 0) {
    const size_t symbols = join_pair(tokeniser, params.with_begin, {}, {}).ids.size();
    const size_t of_one = params.with_begin ? 2 : 1;
    const auto most = static_cast<size_t>(params.max_length);
    const size_t kept = most - std::min(most, symbols - of_one);
    out.is_cropped = a.size() + b.size() > kept;
    if (out.is_cropped) {
      // The longer one loses tokens until both are as long.
      const size_t half = kept / 2;
      const size_t of_a = b.size() <= half ? kept - b.size() : std::min(a.size(), kept - half);
      a.resize(of_a);
      b.resize(std::min(b.size(), kept - of_a));
    }
  }
  Encoding joined = join_pair(tokeniser, params.with_begin, a, b);
  out.ids = std::move(joined.ids);
  out.types = std::move(joined.types);
  return out;
}

LabelledCorpus::LabelledCorpus(const std::vector<std::string>& files, LabelledCorpusOptions options,
                               TokeniserPtr tokeniser, const std::vector<LabelSet>& sets,
                               const std::vector<std::string>& unlabelled)
    : options_(std::move(options)), tokeniser_(std::move(tokeniser)) {
  std::vector<std::string> all = files;
  all.insert(all.end(), unlabelled.begin(), unlabelled.end());
  name_ = joined_names(all);
  for (size_t field = 0; field < sets.size(); ++field) {
    is_bio_.push_back(!options_.text.labels[field].is_of_line &&
                      is_scheme(sets[field].names(), TagScheme::kBio));
  }
  if (!files.empty()) {
    read_labelled_text(files, options_.text, [&](const LabelledText& text) { add(text, sets); });
  }
  labelled_ = size();
  read_plain_texts(unlabelled, options_.text.pair_field != kNoField,
                   [&](const PlainText& text) { add_unlabelled(text); });
  if (examples_.empty()) fail<FormatError>(name_, "no example; expected at least one");
}

EncodedText LabelledCorpus::encode(const PlainText& in,
                                   std::span<const std::string_view> words) const {
  return options_.text.pair_field == kNoField
             ? encode_text(*tokeniser_, options_.tokens, in.text, words)
             : encode_pair(*tokeniser_, options_.tokens, in.text, in.pair);
}

void LabelledCorpus::add_unlabelled(const PlainText& text) {
  std::vector<std::string_view> words;
  for_each_word(text.text, [&](std::string_view word) { words.push_back(word); });
  add({encode(text, words), std::vector<std::vector<int32_t>>(options_.text.labels.size()), 1});
}

void LabelledCorpus::add(const LabelledText& text, const std::vector<LabelSet>& sets) {
  const LabelledExample& in = text.example();
  Example out{encode({in.text, in.pair}, in.words), {}, in.weight};
  for (size_t field = 0; field < sets.size(); ++field) {
    std::vector<std::string> labels = strings_of(in.labels[field]);
    if (is_bio_[field]) repaired_ += fix_labels(labels, options_.invalid_tags, text);
    const bool is_of_line = options_.text.labels[field].is_of_line;
    if (!is_of_line) labels.resize(std::min(labels.size(), out.text.words.size()));
    std::vector<int32_t>& ids = out.labels.emplace_back();
    for (size_t i = 0; i < labels.size(); ++i) {
      const auto word = is_of_line ? 0 : static_cast<int64_t>(i);
      ids.push_back(sets[field].id(labels[i], text.where(word)));
    }
    if (is_of_line) std::ranges::sort(ids);
  }
  add(std::move(out));
}

void LabelledCorpus::add(Example example) {
  cropped_ += example.text.is_cropped ? 1 : 0;
  tokens_ += std::ssize(example.text.ids);
  unknown_ += std::ranges::count(example.text.ids, tokeniser_->unknown_id());
  examples_.push_back(std::move(example));
}

Cost LabelledCorpus::cost(int64_t example) const {
  return {.rows = std::ssize(examples_[at(example)].text.ids)};
}

std::span<const int32_t> LabelledCorpus::labels(int64_t example, size_t field) const {
  return examples_[at(example)].labels[field];
}

Batch LabelledCorpus::batch(std::span<const int64_t> examples) const {
  Batch out;
  out.examples.assign(examples.begin(), examples.end());
  std::stable_partition(out.examples.begin(), out.examples.end(),
                        [this](int64_t example) { return example < labelled_; });
  const size_t fields = options_.text.labels.size();
  Tokens tokens, characters;
  std::vector<Labels> labels(fields + (options_.tokens.by_word ? 1 : 0));
  for (const int64_t number : out.examples) {
    const Example& example = examples_[at(number)];
    tokens.add_typed(example.text.ids, example.text.types);
    for (size_t field = 0; field < fields; ++field) labels[field].add(example.labels[field]);
    if (has_weights()) labels.front().values.push_back(example.weight);
    if (options_.tokens.by_word) labels.back().add(example.text.words);
    characters.add(example.text.characters);
  }
  out.fields.emplace_back(std::move(tokens));
  for (Labels& field : labels) out.fields.emplace_back(std::move(field));
  if (options_.tokens.characters) out.fields.emplace_back(std::move(characters));
  return out;
}

uint64_t LabelledCorpus::fingerprint() const {
  Hash hash;
  const auto add_ids = [&](const std::vector<int32_t>& ids) {
    hash.add(ids.size());
    for (const int32_t id : ids) hash.add(static_cast<uint32_t>(id));
  };
  for (const Example& example : examples_) {
    add_ids(example.text.ids);
    add_ids(example.text.words);
    add_ids(example.text.characters);
    if (!example.text.types.empty()) add_ids(example.text.types);
    for (const std::vector<int32_t>& ids : example.labels) add_ids(ids);
    if (has_weights()) hash.add(std::bit_cast<uint32_t>(example.weight));
  }
  if (labelled_ < size()) hash.add(static_cast<uint64_t>(labelled_));
  return hash.value();
}

std::string LabelledCorpus::report() const {
  std::string out =
      fmt::format("{}: {}{}; tokens {}, unknown {:.2g} %", name_, counted(size(), "example"),
                  labelled_ < size() ? fmt::format(", {} without labels", size() - labelled_) : "",
                  tokens_, 100 * static_cast<double>(unknown_) / static_cast<double>(tokens_));
  if (cropped_ > 0) out += fmt::format("; {} cropped to --max-length", cropped_);
  if (repaired_ > 0) out += fmt::format("; {} invalid BIO tags repaired", repaired_);
  return out;
}

std::vector<LabelSet> collect_labels(const std::vector<std::string>& files,
                                     const LabelledTextOptions& options, InvalidTags invalid_tags) {
  std::vector<LabelCounter> counters(options.labels.size());
  read_labelled_text(files, options, [&](const LabelledText& text) {
    for (size_t field = 0; field < counters.size(); ++field) {
      std::vector<std::string> labels = strings_of(text.example().labels[field]);
      if (!options.labels[field].is_of_line && is_scheme(labels, TagScheme::kBio)) {
        fix_labels(labels, invalid_tags, text);
      }
      for (const std::string& label : labels) counters[field].add(label);
    }
  });
  std::vector<LabelSet> out;
  const std::string name = joined_names(files);
  out.reserve(counters.size());
  for (const LabelCounter& counter : counters) out.push_back(counter.labels(name));
  return out;
}

}  // namespace weft::data
