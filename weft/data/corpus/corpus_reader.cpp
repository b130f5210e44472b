#include "weft/data/corpus/corpus_reader.h"

#include <algorithm>
#include <exception>
#include <mutex>

#include "weft/core/error.h"
#include "weft/core/parallel.h"

namespace weft::data {
namespace {

constexpr int64_t kBlockLines = 16384;
constexpr size_t kBlockBytes = size_t{16} << 20;
constexpr int64_t kLinesWorthAThread = 256;

struct Line {
  std::vector<std::string> text;          // of each field
  std::vector<std::vector<int32_t>> ids;  // of each field
  LineFault fault = LineFault::kNone;
  int64_t number = 0;
};

// Lines read, then encoded side by side, then taken in order.
class Block {
 public:
  // Reads up to the limits, and with `stops_at_pauses` a chunk and not beyond what has come; false
  // at the end of the text.
  bool fill(ParallelText& text, bool keep_all, bool stops_at_pauses) {
    const int64_t most = stops_at_pauses ? kChunkExamples : kBlockLines;
    size_ = 0;
    size_t bytes = 0;
    while (size_ < most && bytes < kBlockBytes) {
      if (stops_at_pauses && size_ > 0 && !text.is_ready()) return true;
      if (!text.next()) return false;
      if (size_ == std::ssize(lines_)) lines_.emplace_back();
      Line& line = lines_[size_++];
      line.fault = text.fault();
      line.number = text.line();
      line.text.assign(text.fields().begin(), text.fields().end());
      for (std::string& field : line.text) {
        if (line.fault != LineFault::kNone && !keep_all) field.clear();
        bytes += field.size();
      }
    }
    return true;
  }

  void encode(std::span<const TokeniserPtr> tokenisers) {
    std::exception_ptr error;
    std::mutex mutex;
    parallel_for(size_, kLinesWorthAThread, [&](int64_t begin, int64_t end) {
      try {
        for (int64_t i = begin; i < end; ++i) {
          Line& line = lines_[i];
          line.ids.resize(line.text.size());
          for (size_t field = 0; field < line.text.size(); ++field) {
            line.ids[field] = tokenisers[field]->encode(line.text[field]);
          }
        }
      } catch (...) {
        const std::lock_guard lock(mutex);
        error = std::current_exception();
      }
    });
    if (error) std::rethrow_exception(error);
  }

  std::span<Line> lines() { return std::span(lines_).first(static_cast<size_t>(size_)); }

 private:
  std::vector<Line> lines_;  // at least those of the block
  int64_t size_ = 0;
};

// Sorts the lines out and packs those that are kept.
class Packer {
 public:
  Packer(const CorpusText& text, const std::function<void(ChunkWords)>& take)
      : text_(&text), take_(&take), chunk_(text.field_count()) {}

  void start_part(const std::string& name) {
    const auto fields = static_cast<size_t>(text_->field_count());
    report_ = {.name = name,
               .tokens = std::vector<int64_t>(fields),
               .unknown = std::vector<int64_t>(fields)};
  }

  void add(Line& line) {
    const CorpusLimits& limits = text_->limits;
    ++report_.lines;
    const bool is_empty = std::ranges::any_of(line.ids, [](auto& ids) { return ids.empty(); });
    bool is_long = false;
    for (size_t field = 0; field < line.ids.size(); ++field) is_long |= excess(line, field) > 0;
    int64_t* fault = line.fault == LineFault::kOverLong     ? &report_.over_long
                     : line.fault == LineFault::kBadUtf8    ? &report_.bad_utf8
                     : line.fault == LineFault::kFewColumns ? &report_.few_columns
                     : is_empty                             ? &report_.empty
                                                            : nullptr;
    const bool is_cropped = is_long && (limits.crop || limits.keep_all);
    if (!fault && is_long && !is_cropped) fault = &report_.too_long;
    if (fault) ++*fault;
    if (fault && !limits.keep_all) return;
    if (is_cropped) ++report_.cropped;
    keep(line);
  }

  void end_part() {
    if (report_.kept == 0) {
      fail<FormatError>(report_.name, "no usable line; expected at least one, got {}",
                        report_.text().substr(report_.name.size() + 2));
    }
    parts_.begins.push_back(parts_.size() + report_.kept);
    parts_.reports.push_back(std::move(report_));
  }

  void flush() {
    if (chunk_.size() > 0) (*take_)(chunk_.take());
  }
  CorpusParts end() {
    flush();
    return std::move(parts_);
  }

 private:
  // The tokens beyond the limit of a field.
  size_t excess(const Line& line, size_t field) const {
    const std::vector<int64_t>& lengths = text_->limits.max_lengths;
    if (field >= lengths.size() || lengths[field] == 0) return 0;
    const size_t size = line.ids[field].size();
    return size - std::min(size, static_cast<size_t>(lengths[field]));
  }

  void keep(Line& line) {
    for (size_t field = 0; field < line.ids.size(); ++field) {
      std::vector<int32_t>& ids = line.ids[field];
      ids.resize(ids.size() - excess(line, field));
      report_.tokens[field] += std::ssize(ids);
      report_.unknown[field] += std::ranges::count(ids, text_->tokenisers[field]->unknown_id());
    }
    chunk_.add(line.number, line.ids);
    ++report_.kept;
    if (chunk_.size() == kChunkExamples) (*take_)(chunk_.take());
  }

  const CorpusText* text_;
  const std::function<void(ChunkWords)>* take_;
  ChunkBuilder chunk_;
  CorpusReport report_;
  CorpusParts parts_;
};

}  // namespace

std::vector<int32_t> vocabulary_sizes(std::span<const TokeniserPtr> tokenisers) {
  std::vector<int32_t> sizes;
  for (const TokeniserPtr& tokeniser : tokenisers) sizes.push_back(tokeniser->size());
  return sizes;
}

CorpusParts read_corpus(const CorpusText& text, const std::function<void(ChunkWords)>& take) {
  Packer packer(text, take);
  for (const CorpusFiles& files : text.parts) {
    ParallelText lines(files, text.field_count(), text.limits.max_line_bytes);
    packer.start_part(files.name());
    Block block;
    const bool as_it_comes = files.standard_input == StandardInput::kAsItComes;
    bool is_more = true;
    while (is_more) {
      is_more = block.fill(lines, text.limits.keep_all, as_it_comes);
      block.encode(text.tokenisers);
      for (Line& line : block.lines()) packer.add(line);
      if (!as_it_comes) continue;
      block = {};  // of no use while what was read is computed with
      packer.flush();
    }
    packer.end_part();
  }
  return packer.end();
}

}  // namespace weft::data
