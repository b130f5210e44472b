#include "weft/decode/translate.h"

#include <fmt/format.h>

#include <algorithm>

#include "weft/data/text_file.h"
#include "weft/data/utf8.h"

namespace weft::decode {

std::string TranslationReport::text() const {
  std::vector<std::string> parts;
  const auto count = [&](int64_t n, std::string_view what) {
    if (n > 0) parts.push_back(fmt::format("{} {}", n, what));
  };
  count(empty, "empty");
  count(over_long, "over the limit in bytes (left empty)");
  count(bad_utf8, "not UTF-8 (left empty)");
  count(cropped, "cropped");
  count(unfinished, "whose translation was cut off at its maximum length");
  count(with_unknown, "with unknown tokens");
  return fmt::format("{} lines{}{}", lines, parts.empty() ? "" : ": ", fmt::join(parts, ", "));
}

Translator::Translator(const infer::Session& session, const DecodeOptions& options,
                       const std::vector<std::string>& banned)
    : session_(&session), options_(options) {
  options_.validate();
  if (!options_.allow_unk) demands_.forbidden.push_back(session.target().unknown_id());
  for (const std::string& phrase : banned) {
    std::vector<int32_t> ids = session.target().encode(phrase);
    if (!ids.empty()) demands_.banned.push_back(std::move(ids));
  }
  options_.max_length = std::min(options_.max_length, source_capacity(session.model) - 1);
}

// No ids for a line that is not translated.
std::vector<int32_t> Translator::encode(const SourceLine& line) {
  if (line.is_over_long || line.text.size() > data::kMaxLineBytes) {
    ++report_.over_long;
    return {};
  }
  if (!data::valid_utf8(line.text)) {
    ++report_.bad_utf8;
    return {};
  }
  const size_t end = options_.force_decode ? line.text.find('\t') : line.text.npos;
  std::vector<int32_t> ids = session_->source().encode(line.text.substr(0, end));
  if (ids.empty()) ++report_.empty;
  if (std::ssize(ids) > options_.max_length) {
    ++report_.cropped;
    ids.resize(static_cast<size_t>(options_.max_length));
  }
  const int32_t unknown = session_->source().unknown_id();
  if (std::find(ids.begin(), ids.end(), unknown) != ids.end()) ++report_.with_unknown;
  return ids;
}

std::vector<int32_t> Translator::encode_prefix(const SourceLine& line) const {
  const size_t tab = line.text.find('\t');
  if (!options_.force_decode || tab == line.text.npos) return {};
  return session_->target().encode(line.text.substr(tab + 1));
}

std::vector<std::string> Translator::translate(std::span<const SourceLine> lines) {
  data::Ragged sources;
  Demands demands = demands_;
  std::vector<size_t> place;  // of each source in `lines`
  const int64_t first_line = report_.lines;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::vector<int32_t> ids = encode(lines[i]);
    if (ids.empty()) continue;
    sources.add(ids, session_->source().end_id());
    demands.prefixes.push_back(encode_prefix(lines[i]));
    place.push_back(i);
  }
  report_.lines += std::ssize(lines);
  const std::vector<NBest> found = decode(session_->model, sources, options_, demands);

  std::vector<NBest> all(lines.size(), NBest(1));
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i].empty()) all[place[i]] = found[i];
  }
  std::vector<std::string> out;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!all[i].front().ended) ++report_.unfinished;
    out.push_back(show(all[i], first_line + static_cast<int64_t>(i)));
  }
  return out;
}

std::string Translator::text_of(const Hypothesis& hypothesis) const {
  std::string text = session_->target().decode(hypothesis.tokens);
  return options_.undo_bpe ? data::undo_bpe(text) : text;
}

std::string Translator::show(const NBest& found, int64_t line) const {
  if (!options_.n_best) return text_of(found.front());
  std::string out;
  for (const Hypothesis& h : found) {
    if (!out.empty()) out += '\n';
    out += fmt::format("{} ||| {} ||| F0= {:.6f} ||| {:.6f}", line, text_of(h), h.log_probability,
                       h.score);
  }
  return out;
}

}  // namespace weft::decode
