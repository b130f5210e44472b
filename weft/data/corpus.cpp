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
      pair.text.assign(text.fields().begin(), text.fields().end());
      if (pair.fault != LineFault::kNone && !keep_all) {
        for (std::string& field : pair.text) field.clear();
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
  ParallelText text(files, field_count(), limits.max_line_bytes);
  CorpusReport report{.name = files.name(),
                      .tokens = std::vector<int64_t>(field_count()),
                      .unknown = std::vector<int64_t>(field_count())};
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
  weights_.push_back(files.weight);
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
        for (size_t field = 0; field < pair.text.size(); ++field) {
          pair.ids[field] = tokenisers_[field]->encode(pair.text[field]);
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
  // What is beyond the limit of a field.
  const auto excess = [&](const Block::Pair& pair, size_t field) -> size_t {
    if (field >= limits.max_lengths.size() || limits.max_lengths[field] == 0) return 0;
    const auto limit = static_cast<size_t>(limits.max_lengths[field]);
    return pair.ids[field].size() - std::min(pair.ids[field].size(), limit);
  };
  for (int64_t i = 0; i < block.size; ++i) {
    Block::Pair& pair = block.pairs[i];
    ++report.lines;
    const bool is_empty = std::ranges::any_of(pair.ids, [](auto& ids) { return ids.empty(); });
    bool is_long = false;
    for (size_t field = 0; field < pair.ids.size(); ++field) is_long |= excess(pair, field) > 0;
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
    for (size_t field = 0; field < pair.ids.size(); ++field) {
      std::vector<int32_t>& ids = pair.ids[field];
      ids.resize(ids.size() - excess(pair, field));
      Arena& arena = arenas_[field];
      arena.ids.insert(arena.ids.end(), ids.begin(), ids.end());
      arena.offsets.push_back(std::ssize(arena.ids));
      report.tokens[field] += std::ssize(ids);
      report.unknown[field] += std::ranges::count(ids, tokenisers_[field]->unknown_id());
    }
    lines_.push_back(pair.line);
    ++report.kept;
  }
}

Cost Corpus::cost(int64_t example) const {
  const int64_t target = field_count() - 1;
  Cost cost{.rows = length(target, example) + 1};
  for (int64_t field = 0; field < target; ++field) cost.other_rows += length(field, example) + 1;
  return cost;
}

std::vector<Part> Corpus::parts() const {
  std::vector<Part> parts;
  for (size_t p = 0; p < weights_.size(); ++p) {
    parts.push_back({part_begins_[p], part_begins_[p + 1], weights_[p]});
  }
  return parts;
}

Batch Corpus::batch(std::span<const int64_t> examples) const {
  Batch out;
  out.examples.assign(examples.begin(), examples.end());
  for (int64_t field = 0; field < field_count(); ++field) {
    const int32_t end_id = tokenisers_[field]->end_id();
    Tokens tokens;
    for (const int64_t example : examples) tokens.add(ids(field, example), end_id);
    out.fields.emplace_back(std::move(tokens));
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
  for (size_t field = 0; field < tokens.size(); ++field) {
    const double share = 100.0 * unknown[field] / std::max<int64_t>(1, tokens[field]);
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
