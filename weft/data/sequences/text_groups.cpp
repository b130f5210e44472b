#include "weft/data/sequences/text_groups.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "weft/core/error.h"
#include "weft/core/hash.h"
#include "weft/core/text/counted.h"
#include "weft/core/text/utf8.h"
#include "weft/data/file_names.h"
#include "weft/data/sequences/plain_texts.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/data/text/tab_fields.h"
#include "weft/data/text/text_file.h"

namespace weft::data {
namespace {

double score_of(std::string_view text, const std::string& where) {
  double score = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), score);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(score)) {
    fail<FormatError>(where, "the last column is {}; expected a number", quote(text));
  }
  return score;
}

TextGroup parse_group(std::string_view line, bool has_scores, const std::string& where) {
  TextGroup out{.texts = tab_fields(line)};
  if (has_scores) {
    if (out.texts.size() != 3) {
      fail<FormatError>(where, "{}; expected two texts and a number, separated by tabs",
                        counted(std::ssize(out.texts), "column"));
    }
    out.score = score_of(out.texts.back(), where);
    out.texts.pop_back();
  }
  if (out.texts.size() < 2) {
    fail<FormatError>(where, "1 column; expected two texts or more, separated by tabs");
  }
  for (size_t i = 0; i < out.texts.size(); ++i) {
    if (!has_word(out.texts[i])) fail<FormatError>(where, "column {} has no word", i + 1);
  }
  return out;
}

}  // namespace

void read_text_groups(
    const std::vector<std::string>& files, bool has_scores,
    const std::function<void(const TextGroup& group, const std::string& where)>& take) {
  size_t columns = 0;
  for (const std::string& path : files) {
    TextFile file(path);
    while (file.next()) {
      const std::string where = fmt::format("{}:{}", file.path(), file.line_number());
      if (file.is_too_long()) fail<FormatError>(where, "the line is too long");
      if (!valid_utf8(file.line())) fail<FormatError>(where, "is not UTF-8; expected text");
      if (file.line().empty()) continue;
      const TextGroup group = parse_group(file.line(), has_scores, where);
      if (columns == 0) columns = group.texts.size();
      if (columns != group.texts.size()) {
        fail<FormatError>(where, "{} texts; expected {}, as in the first line", group.texts.size(),
                          columns);
      }
      take(group, where);
    }
  }
}

TextGroups::TextGroups(const TextGroupSources& files, const TokenOptions& tokens,
                       const Tokeniser& tokeniser)
    : has_scores_(files.has_scores && !files.groups.empty()) {
  std::vector<std::string> names = files.groups;
  names.insert(names.end(), files.texts.begin(), files.texts.end());
  name_ = joined_names(names);
  read_text_groups(files.groups, files.has_scores, [&](const TextGroup& group, const std::string&) {
    columns_ = std::ssize(group.texts);
    Example& example = examples_.emplace_back(Example{.texts = {}, .score = group.score});
    for (const std::string_view text : group.texts) {
      add(encode_text(tokeniser, tokens, text, {}), tokeniser, example);
    }
  });
  groups_ = size();
  columns_ = std::max<int64_t>(columns_, 1);
  const std::vector<int32_t> nothing = encode_text(tokeniser, tokens, "", {}).ids;
  read_plain_texts(files.texts, false, [&](const PlainText& line) {
    Example& example = examples_.emplace_back();
    add(encode_text(tokeniser, tokens, line.text, {}), tokeniser, example);
    example.texts.resize(static_cast<size_t>(columns_), nothing);
  });
  if (examples_.empty()) fail<FormatError>(name_, "no lines; expected at least one");
}

void TextGroups::add(EncodedText text, const Tokeniser& tokeniser, Example& example) {
  cropped_ += text.is_cropped ? 1 : 0;
  tokens_ += std::ssize(text.ids);
  unknown_ += std::ranges::count(text.ids, tokeniser.unknown_id());
  example.texts.push_back(std::move(text.ids));
}

Cost TextGroups::cost(int64_t example) const {
  Cost out;
  for (int64_t c = 0; c < columns_; ++c) out.rows += std::ssize(text(example, c));
  return out;
}

Batch TextGroups::batch(std::span<const int64_t> examples) const {
  Batch out;
  out.examples.assign(examples.begin(), examples.end());
  std::stable_partition(out.examples.begin(), out.examples.end(),
                        [this](int64_t example) { return example < groups_; });
  for (int64_t c = 0; c < columns_; ++c) {
    Tokens tokens;
    for (const int64_t example : out.examples) tokens.add(text(example, c));
    out.fields.emplace_back(std::move(tokens));
  }
  if (!has_scores_) return out;
  Labels scores;
  for (const int64_t example : out.examples) {
    const bool has_score = example < groups_;
    if (has_score) scores.values.push_back(static_cast<float>(score(example)));
    scores.segments.append(has_score ? 1 : 0);
  }
  out.fields.emplace_back(std::move(scores));
  return out;
}

uint64_t TextGroups::fingerprint() const {
  Hash hash;
  for (const Example& example : examples_) {
    hash.add(std::bit_cast<uint64_t>(example.score));
    for (const std::vector<int32_t>& ids : example.texts) {
      hash.add(ids.size());
      for (const int32_t id : ids) hash.add(static_cast<uint32_t>(id));
    }
  }
  if (groups_ < size()) hash.add(static_cast<uint64_t>(groups_));
  return hash.value();
}

std::string TextGroups::report() const {
  std::string lines;
  if (groups_ > 0) {
    lines = fmt::format("{} of {} texts{}", counted(groups_, "line"), columns_,
                        has_scores_ ? " and a score" : "");
  }
  if (groups_ < size()) {
    lines += fmt::format("{}{} of one text", lines.empty() ? "" : ", ",
                         counted(size() - groups_, "line"));
  }
  std::string out = fmt::format("{}: {}; {} tokens, unknown {:.2g} %", name_, lines, tokens_,
                                100 * static_cast<double>(unknown_) / static_cast<double>(tokens_));
  if (cropped_ > 0) {
    out += fmt::format("; {} cropped to --max-length", counted(cropped_, "text"));
  }
  return out;
}

}  // namespace weft::data
