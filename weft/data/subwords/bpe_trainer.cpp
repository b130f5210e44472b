#include "weft/data/subwords/bpe_trainer.h"

#include <algorithm>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "weft/data/subwords/added_tokens.h"
#include "weft/data/subwords/byte_characters.h"

namespace weft::data {
namespace {

constexpr int32_t kFirstByte = 3;  // behind the special symbols

using TokenPair = std::pair<int32_t, int32_t>;

struct PairHash {
  size_t operator()(const TokenPair& pair) const {
    const uint64_t both =
        uint64_t{static_cast<uint32_t>(pair.first)} << 32 | static_cast<uint32_t>(pair.second);
    return both * 0x9E3779B97F4A7C15u;
  }
};

// How often a pair of tokens occurs, and in which words it did at some time.
struct PairUse {
  int64_t count = 0;
  std::set<size_t> words;
};

// The largest is merged first. `count` may be out of date.
struct MergeCandidate {
  int64_t count;
  TokenPair pair;
  bool operator<(const MergeCandidate& other) const {
    return count != other.count ? count < other.count : pair > other.pair;
  }
};

struct TrainedWord {
  std::vector<int32_t> tokens;
  int64_t count;
};

// The words of a text and the pairs in them, while pairs are merged.
class MergedWords {
 public:
  explicit MergedWords(std::vector<TrainedWord> words) : words_(std::move(words)) {
    for (size_t i = 0; i < words_.size(); ++i) count(i, 1);
    for (const auto& [pair, use] : pairs_) candidates_.push({use.count, pair});
  }

  // The most frequent pair; nullopt if none occurs `min_count` times.
  std::optional<TokenPair> next(int64_t min_count) {
    while (!candidates_.empty()) {
      const MergeCandidate best = candidates_.top();
      candidates_.pop();
      const int64_t now = pairs_[best.pair].count;
      if (now == best.count) return now >= min_count ? std::optional(best.pair) : std::nullopt;
      if (now > 0) candidates_.push({now, best.pair});
    }
    return {};
  }

  // Makes `token` of every occurrence of the pair.
  void merge(const TokenPair& pair, int32_t token) {
    const std::set<size_t> words = std::move(pairs_[pair].words);
    for (const size_t word : words) {
      count(word, -1);
      replace(words_[word].tokens, pair, token);
      count(word, 1);
    }
    pairs_.erase(pair);
    for (const TokenPair& changed : changed_) {
      const auto found = pairs_.find(changed);
      if (found != pairs_.end() && found->second.count > 0) {
        candidates_.push({found->second.count, changed});
      }
    }
    changed_.clear();
  }

 private:
  static void replace(std::vector<int32_t>& tokens, const TokenPair& pair, int32_t token) {
    size_t to = 0;
    for (size_t i = 0; i < tokens.size(); ++i, ++to) {
      const bool is_pair =
          i + 1 < tokens.size() && tokens[i] == pair.first && tokens[i + 1] == pair.second;
      tokens[to] = is_pair ? token : tokens[i];
      i += is_pair ? 1 : 0;
    }
    tokens.resize(to);
  }

  // Adds the pairs of a word, or takes them away.
  void count(size_t word, int64_t sign) {
    const TrainedWord& one = words_[word];
    for (size_t i = 0; i + 1 < one.tokens.size(); ++i) {
      const TokenPair pair = {one.tokens[i], one.tokens[i + 1]};
      PairUse& use = pairs_[pair];
      use.count += sign * one.count;
      if (sign > 0) use.words.insert(word);
      changed_.insert(pair);
    }
  }

  std::vector<TrainedWord> words_;
  std::unordered_map<TokenPair, PairUse, PairHash> pairs_;
  std::priority_queue<MergeCandidate> candidates_;
  std::set<TokenPair> changed_;  // pairs whose counts have changed since they were queued
};

DocumentJson byte_level() {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", false},
          {"trim_offsets", true},
          {"use_regex", true}};
}

DocumentJson special_node(int32_t id, std::string_view text) {
  return node_of({.id = id, .text = std::string(text), .special = true});
}

size_t at(int32_t id) { return static_cast<size_t>(id); }

// The symbols and the bytes.
TokenizerDocument base_document() {
  TokenizerDocument out;
  out.nodes = {{"version", "1.0"},
               {"added_tokens",
                {special_node(0, kEndSymbol), special_node(1, kUnknownSymbol),
                 special_node(2, kBeginSymbol)}},
               {"pre_tokenizer", byte_level()},
               {"decoder", byte_level()},
               {"model", {{"type", "BPE"}, {"unk_token", kUnknownSymbol}}}};
  out.tokens = {{.text = std::string(kEndSymbol), .id = 0},
                {.text = std::string(kUnknownSymbol), .id = 1},
                {.text = std::string(kBeginSymbol), .id = 2}};
  for (int byte = 0; byte < 256; ++byte) {
    out.tokens.push_back(
        {.text = std::string(byte_character(static_cast<uint8_t>(byte))), .id = kFirstByte + byte});
  }
  set_special_tokens(out, {.begin = std::string(kBeginSymbol), .end = {std::string(kEndSymbol)}});
  return out;
}

void add_symbol(const std::string& symbol, TokenizerDocument& document) {
  const auto id = static_cast<int32_t>(document.tokens.size());
  document.nodes["added_tokens"].push_back(node_of({.id = id, .text = symbol}));
  document.tokens.push_back({.text = symbol, .id = id});
}

}  // namespace

BpeTrainer::BpeTrainer()
    : pre_tokenisers_(read_pre_tokenisers(JsonNode(byte_level(), "pre_tokenizer"))) {}

void BpeTrainer::add(std::string_view text) {
  if (text.empty()) return;
  SplitText split;
  split.text = AlignedText(text);
  split.pieces.push_back({{0, static_cast<uint32_t>(split.text.text().size())}});
  for (const auto& step : pre_tokenisers_.steps) step->apply(split);
  for (const Piece& piece : split.pieces) ++counts_[std::string(split.piece(piece))];
}

SubwordTokeniserPtr BpeTrainer::train(const BpeTraining& params) const {
  std::vector<std::pair<std::string_view, int64_t>> sorted(counts_.begin(), counts_.end());
  std::ranges::sort(sorted);
  std::vector<TrainedWord> words;
  words.reserve(sorted.size());
  for (const auto& [text, count] : sorted) {
    TrainedWord& word = words.emplace_back(TrainedWord{{}, count});
    for (const char c : text) word.tokens.push_back(kFirstByte + static_cast<unsigned char>(c));
  }
  MergedWords merged(std::move(words));
  TokenizerDocument document = base_document();
  for (const std::string& symbol : params.symbols) add_symbol(symbol, document);
  while (std::ssize(document.tokens) < params.size) {
    const std::optional<TokenPair> pair = merged.next(params.min_count);
    if (!pair) break;
    const auto id = static_cast<int32_t>(document.tokens.size());
    document.tokens.push_back(
        {.text = document.tokens[at(pair->first)].text + document.tokens[at(pair->second)].text,
         .id = id});
    document.merges.emplace_back(pair->first, pair->second);
    merged.merge(*pair, id);
  }
  return std::make_shared<SubwordTokeniser>(std::move(document), "byte-level BPE");
}

}  // namespace weft::data
