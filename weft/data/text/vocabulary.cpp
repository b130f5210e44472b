#include "weft/data/text/vocabulary.h"

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "weft/core/error.h"
#include "weft/core/text/utf8.h"
#include "weft/data/text/text_file.h"
#include "weft/data/text/tokeniser.h"

namespace weft::data {
namespace {

bool is_special(std::string_view token) {
  return token == kEndSymbol || token == kUnknownSymbol || token == kBeginSymbol;
}

constexpr std::string_view kSpaceToken = " ";  // in a vocabulary of characters alone
// Other white space in such a vocabulary, and what stands for it in a list, where a token ends with
// its line.
constexpr std::string_view kEscapedSpaces[][2] = {{"\n", "\\n"}, {"\t", "\\t"}, {"\r", "\\r"}};

void check_token(std::string_view token, size_t number, bool is_of_characters,
                 std::string_view where) {
  if (token.empty()) fail<FormatError>(where, "token {} is empty", number);
  if (!valid_utf8(token)) fail<FormatError>(where, "token {} is not UTF-8", number);
  if (token == " " || (is_of_characters && token.size() == 1)) return;
  if (token.find_first_of(" \t\n\v\f\r") != token.npos) {
    fail<FormatError>(where, "token {} holds white space; expected one token a line, got {}",
                      number, quote(token));
  }
}

}  // namespace

Vocabulary::Vocabulary(std::vector<std::string> tokens, std::string_view where)
    : tokens_(std::move(tokens)) {
  if (tokens_.empty()) fail<FormatError>(where, "the vocabulary is empty");
  const auto has = [&](std::string_view s) {
    return std::ranges::find(tokens_, s) != tokens_.end();
  };
  const bool has_end = has(kEndSymbol);
  if (has_end != has(kUnknownSymbol) || (has(kBeginSymbol) && !has_end)) {
    fail<FormatError>(where, "the vocabulary has no {}; expected both {} and {}, or neither",
                      has_end ? kUnknownSymbol : kEndSymbol, kEndSymbol, kUnknownSymbol);
  }
  const size_t added = has_end ? 0 : 3;
  if (!has_end) {
    tokens_.insert(tokens_.begin(), {std::string(kEndSymbol), std::string(kUnknownSymbol),
                                     std::string(kBeginSymbol)});
  }
  if (tokens_.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    fail<FormatError>(where, "{} tokens are too many", tokens_.size());
  }
  ids_.reserve(tokens_.size());
  const bool is_of_characters = has(kSpaceToken);
  for (size_t i = 0; i < tokens_.size(); ++i) {
    const size_t number = i + 1 - added;  // as in the list that was given
    check_token(tokens_[i], number, is_of_characters, where);
    const auto [earlier, is_new] = ids_.emplace(tokens_[i], static_cast<int32_t>(i));
    if (!is_new) {
      fail<FormatError>(where, "token {} is token {} again: {}", number,
                        earlier->second + 1 - added, quote(tokens_[i]));
    }
  }
  end_ = ids_.find(kEndSymbol)->second;
  unknown_ = ids_.find(kUnknownSymbol)->second;
  const auto begin = ids_.find(kBeginSymbol);
  begin_ = begin == ids_.end() ? end_ : begin->second;
}

Vocabulary Vocabulary::from_list(std::string_view text, std::string_view where) {
  text = without_byte_order_mark(text);
  std::vector<std::string> tokens;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    tokens.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (std::ranges::find(tokens, kSpaceToken) != tokens.end()) {
    for (const auto& [character, name] : kEscapedSpaces) {
      std::ranges::replace(tokens, std::string(name), std::string(character));
    }
  }
  return Vocabulary(std::move(tokens), where);
}

Vocabulary Vocabulary::from_yaml(std::string_view text, std::string_view where) {
  std::vector<std::string> tokens;
  try {
    const YAML::Node root = YAML::Load(std::string(text));
    if (!root.IsMap()) fail<FormatError>(where, "expected `token: id` lines");
    tokens.resize(root.size());
    for (const auto& entry : root) {
      const auto token = entry.first.as<std::string>();
      if (!entry.second.IsScalar()) {
        fail<FormatError>(where, "{} has no id; expected `token: id` lines", quote(token));
      }
      const auto id = entry.second.as<int64_t>();
      if (id < 0 || id >= static_cast<int64_t>(tokens.size()) || !tokens[id].empty()) {
        fail<FormatError>(where, "id {} of \"{}\"; expected each of 0 to {} once", id, token,
                          tokens.size() - 1);
      }
      tokens[id] = token;
    }
  } catch (const YAML::Exception& error) {
    fail<FormatError>(where, "not a YAML vocabulary: {}; expected `token: id` lines", error.what());
  }
  return Vocabulary(std::move(tokens), where);
}

const std::string& Vocabulary::token(int32_t id) const {
  if (id < 0 || id >= size()) {
    fail<FormatError>("vocabulary", "id out of range; expected 0 to {}, got {}", size() - 1, id);
  }
  return tokens_[id];
}

int32_t Vocabulary::find(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() || is_special(token) ? unknown_ : found->second;
}

std::string Vocabulary::to_list() const {
  std::string out;
  for (const std::string& token : tokens_) {
    const auto* space =
        std::ranges::find(kEscapedSpaces, token, [](const auto& s) { return s[0]; });
    out += space == std::end(kEscapedSpaces) ? std::string_view(token) : (*space)[1];
    out += '\n';
  }
  return out;
}

std::string Vocabulary::to_yaml() const {
  std::string out;
  for (int32_t id = 0; id < size(); ++id) {
    out += fmt::format("{}: {}\n", nlohmann::json(tokens_[id]).dump(), id);
  }
  return out;
}

void TokenCounter::add(std::string_view token) {
  const auto found = counts_.find(token);
  if (found != counts_.end()) {
    ++found->second;
  } else {
    counts_.emplace(token, 1);
  }
}

std::vector<std::string> TokenCounter::most_frequent(int64_t max_size, int64_t min_count,
                                                     const std::vector<std::string>& first) const {
  std::vector<std::string> tokens = {std::string(kEndSymbol), std::string(kUnknownSymbol),
                                     std::string(kBeginSymbol)};
  tokens.insert(tokens.end(), first.begin(), first.end());
  std::vector<std::pair<std::string_view, int64_t>> counted;
  for (const auto& [token, count] : counts_) {
    const bool is_listed = std::ranges::find(tokens, token) != tokens.end();
    if (count >= min_count && !is_listed) counted.emplace_back(token, count);
  }
  std::ranges::sort(counted, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  for (const auto& [token, count] : counted) {
    if (max_size > 0 && static_cast<int64_t>(tokens.size()) >= max_size) break;
    tokens.emplace_back(token);
  }
  return tokens;
}

}  // namespace weft::data
