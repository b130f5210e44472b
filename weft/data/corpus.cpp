#include "weft/data/corpus.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <mutex>

#include "weft/core/error.h"
#include "weft/core/hash.h"
#include "weft/core/parallel.h"

namespace weft::data {
namespace {

constexpr int64_t kBlockLines = 16384;
constexpr int64_t kLinesWorthAThread = 256;

}  // namespace

// Lines read, then encoded side by side, then appended in order.
struct Corpus::Block {
  struct Pair {
    std::vector<std::string> text;
    std::vector<std::vector<int32_t>> ids;
    LineFault fault = LineFault::kNone;
    int64_t line = 0;
  };
  std::vector<Pair> pairs = std::vector<Pair>(kBlockLines);
  int64_t size = 0;

  void fill(ParallelText& text, bool keep_all) {
    size = 0;
    while (size < kBlockLines && text.next()) {
      Pair& pair = pairs[size++];
      pair.fault = text.fault();
      pair.line = text.line();
      pair.text.assign(text.sides().begin(), text.sides().end());
      if (pair.fault != LineFault::kNone && !keep_all) {
        for (std::string& side : pair.text) side.clear();
      }
    }
  }
};

Corpus::Corpus(const std::vector<CorpusFiles>& parts, std::vector<TokeniserPtr> tokenisers,
               const CorpusLimits& limits)
    : tokenisers_(std::move(tokenisers)), arenas_(tokenisers_.size()) {
  for (const CorpusFiles& files : parts) read(files, limits);
}

void Corpus::read(const CorpusFiles& files, const CorpusLimits& limits) {
  ParallelText text(files, sides(), limits.max_line_bytes);
  CorpusReport report{.name = files.name(),
                      .tokens = std::vector<int64_t>(sides()),
                      .unknown = std::vector<int64_t>(sides())};
  Block block;
  do {
    block.fill(text, limits.keep_all);
    encode(block);
    append(block, limits, report);
  } while (block.size == kBlockLines);
  if (report.kept == 0) {
    fail<FormatError>(report.name, "no usable line; expected at least one, got {}",
                      report.text().substr(report.name.size() + 2));
  }
  part_begins_.push_back(size());
  reports_.push_back(std::move(report));
}

void Corpus::encode(Block& block) const {
  std::exception_ptr error;
  std::mutex mutex;
  parallel_for(block.size, kLinesWorthAThread, [&](int64_t begin, int64_t end) {
    try {
      for (int64_t i = begin; i < end; ++i) {
        Block::Pair& pair = block.pairs[i];
        pair.ids.resize(pair.text.size());
        for (size_t side = 0; side < pair.text.size(); ++side) {
          pair.ids[side] = tokenisers_[side]->encode(pair.text[side]);
        }
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      error = std::current_exception();
    }
  });
  if (error) std::rethrow_exception(error);
}

void Corpus::append(Block& block, const CorpusLimits& limits, CorpusReport& report) {
  // What is beyond the limit of a side.
  const auto excess = [&](const Block::Pair& pair, size_t side) -> size_t {
    if (side >= limits.max_lengths.size() || limits.max_lengths[side] == 0) return 0;
    const auto limit = static_cast<size_t>(limits.max_lengths[side]);
    return pair.ids[side].size() - std::min(pair.ids[side].size(), limit);
  };
  for (int64_t i = 0; i < block.size; ++i) {
    Block::Pair& pair = block.pairs[i];
    ++report.lines;
    const bool is_empty = std::ranges::any_of(pair.ids, [](auto& ids) { return ids.empty(); });
    bool is_long = false;
    for (size_t side = 0; side < pair.ids.size(); ++side) is_long |= excess(pair, side) > 0;
    int64_t* fault = pair.fault == LineFault::kOverLong     ? &report.over_long
                     : pair.fault == LineFault::kBadUtf8    ? &report.bad_utf8
                     : pair.fault == LineFault::kFewColumns ? &report.few_columns
                     : is_empty                             ? &report.empty
                                                            : nullptr;
    const bool is_cropped = is_long && (limits.crop || limits.keep_all);
    if (!fault && is_long && !is_cropped) fault = &report.too_long;
    if (fault) ++*fault;
    if (fault && !limits.keep_all) continue;
    if (is_cropped) ++report.cropped;
    for (size_t side = 0; side < pair.ids.size(); ++side) {
      std::vector<int32_t>& ids = pair.ids[side];
      ids.resize(ids.size() - excess(pair, side));
      Arena& arena = arenas_[side];
      arena.ids.insert(arena.ids.end(), ids.begin(), ids.end());
      arena.offsets.push_back(std::ssize(arena.ids));
      report.tokens[side] += std::ssize(ids);
      report.unknown[side] += std::ranges::count(ids, tokenisers_[side]->unknown_id());
    }
    lines_.push_back(pair.line);
    ++report.kept;
  }
}

Batch Corpus::batch(std::span<const int64_t> sentences) const {
  Batch out;
  out.numbers.assign(sentences.begin(), sentences.end());
  out.sides.resize(sides());
  for (int64_t side = 0; side < sides(); ++side) {
    const int32_t end_id = tokenisers_[side]->end_id();
    for (const int64_t sentence : sentences) out.sides[side].add(ids(side, sentence), end_id);
  }
  return out;
}

std::string CorpusReport::text() const {
  std::vector<std::string> parts;
  const auto count = [&](int64_t n, std::string_view what) {
    if (n > 0) parts.push_back(fmt::format("{} {}", n, what));
  };
  count(empty, "empty");
  count(too_long, "too long");
  count(cropped, "cropped");
  count(bad_utf8, "not UTF-8");
  count(over_long, "over the limit in bytes");
  count(few_columns, "with too few columns");
  std::string out = fmt::format("{}: {} lines, {} kept", name, lines, kept);
  if (!parts.empty()) out += fmt::format(" ({})", fmt::join(parts, ", "));
  if (kept == 0) return out;
  std::vector<std::string> shares;
  for (size_t side = 0; side < tokens.size(); ++side) {
    const double share = 100.0 * unknown[side] / std::max<int64_t>(1, tokens[side]);
    shares.push_back(fmt::format("{:.3g} %", share));
  }
  return out +
         fmt::format("; tokens {}, unknown {}", fmt::join(tokens, " + "), fmt::join(shares, " + "));
}

uint64_t Corpus::fingerprint() const {
  Hash h;
  const auto mix = [&h](const auto& numbers) {
    for (const auto number : numbers) h.add(static_cast<uint64_t>(number));
  };
  for (const Arena& arena : arenas_) {
    mix(arena.ids);
    mix(arena.offsets);
  }
  mix(part_begins_);
  return h.value();
}

Corpus load_training_corpus(const DataOptions& options, std::vector<TokeniserPtr> tokenisers) {
  return Corpus(
      training_files(options), std::move(tokenisers),
      {.max_lengths = {options.max_length, options.max_length}, .crop = options.max_length_crop});
}

}  // namespace weft::data
