#include "weft/data/corpus/corpus_cache.h"

#include <fmt/core.h>

#include <filesystem>
#include <optional>

#include "weft/core/error.h"
#include "weft/core/files/checksum.h"
#include "weft/core/log.h"
#include "weft/data/corpus/corpus_file.h"
#include "weft/data/standard_input.h"
#include "weft/settings.h"

namespace weft::data {
namespace {

// To be raised where tokenisers give a text other ids than before.
constexpr uint64_t kTokeniserVersion = 1;
// Text that takes a second or two to tokenise needs no file.
constexpr uintmax_t kLeastTextBytes = 64'000'000;

void add_number(Checksum& sum, uint64_t number) { sum.add(&number, sizeof number); }

void add_text(Checksum& sum, std::string_view text) {
  add_number(sum, text.size());
  sum.add(text);
}

// All that decides the tokens and their reports.
uint64_t key_of(const CorpusText& text) {
  Checksum sum;
  add_number(sum, kTokeniserVersion);
  add_text(sum, version());
  for (const CorpusFiles& files : text.parts) {
    add_number(sum, files.files.size());
    add_number(sum, files.tsv ? 1 : 0);
    for (const std::string& path : files.files) add_number(sum, add_file(path, sum));
  }
  for (const TokeniserPtr& tokeniser : text.tokenisers) {
    add_text(sum, tokeniser->kind());
    add_text(sum, tokeniser->serialise());
  }
  const CorpusLimits& limits = text.limits;
  add_number(sum, limits.max_lengths.size());
  for (const int64_t length : limits.max_lengths) add_number(sum, static_cast<uint64_t>(length));
  add_number(sum, (limits.crop ? 1u : 0u) | (limits.keep_all ? 2u : 0u));
  add_number(sum, limits.max_line_bytes);
  return sum.value();
}

std::string absolute(const std::string& path) {
  std::error_code none;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(path, none), none).string();
}

std::optional<Corpus> read_cached(const std::string& path, uint64_t key, const CorpusText& text) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return std::nullopt;
  try {
    if (std::optional<CorpusContents> contents = read_corpus_file(path, key, text)) {
      log::info("tokenised text: {}", path);
      return Corpus(text, std::move(*contents));
    }
    log::info("{} is of another text, vocabulary or length limit: it is made again", path);
  } catch (const Error& error) {
    log::warn("{}: it is made again", error.what());
  }
  return std::nullopt;
}

// Whether an error is one of this file; it names the file first.
bool is_about(const Error& error, const std::string& path) {
  return std::string_view(error.what()).starts_with(path + ": ");
}

std::optional<Corpus> make_cached(const std::string& path, uint64_t key, const CorpusText& text) {
  const auto check_unchanged = [&] {
    if (key_of(text) == key) return;
    fail<FileError>(text.parts.front().name(), "has changed while it was read");
  };
  try {
    write_corpus_file(path, key, text, check_unchanged);
    log::info("wrote {}: the tokenised text, which the next start reads", path);
    if (std::optional<CorpusContents> contents = read_corpus_file(path, key, text)) {
      return Corpus(text, std::move(*contents));
    }
  } catch (const Error& error) {
    if (!is_about(error, path)) throw;
    log::info("no file of tokenised text: {}", error.what());
  }
  return std::nullopt;
}

}  // namespace

void check_corpus_cache(const DataOptions& options) {
  const std::string& cache = options.corpus_cache;
  std::error_code none;
  if (cache == "auto" || cache == "off" || std::filesystem::is_directory(cache, none)) return;
  fail<OptionError>("--corpus-cache", "expected auto, off or a folder that is there, got {}",
                    quote(cache));
}

std::string corpus_cache_path(const DataOptions& options) {
  if (options.corpus_cache == "off") return "";
  Checksum names;
  uintmax_t bytes = 0;
  std::string first;
  for (const CorpusFiles& files : training_files(options)) {
    for (const std::string& path : files.files) {
      std::error_code error;
      if (path == kStandardInput) return "";
      const uintmax_t size = std::filesystem::file_size(path, error);  // of a regular file
      if (error) return "";
      bytes += size;
      add_text(names, absolute(path));
      if (first.empty()) first = std::filesystem::path(path).filename().string();
    }
  }
  const bool is_auto = options.corpus_cache == "auto";
  if (is_auto && (bytes < kLeastTextBytes || options.vocabs.empty())) return "";
  add_number(names, options.tsv ? 1 : 0);
  for (const std::string& path : options.vocabs) add_text(names, absolute(path));
  const std::filesystem::path folder =
      is_auto ? std::filesystem::path(options.vocabs.front()).parent_path()
              : std::filesystem::path(options.corpus_cache);
  return (folder / fmt::format("{}.{:08x}.corpus", first, names.value() >> 32)).string();
}

Corpus load_training_corpus(const DataOptions& options, std::vector<TokeniserPtr> tokenisers) {
  const CorpusText text{
      training_files(options),
      std::move(tokenisers),
      {.max_lengths = {options.max_length, options.max_length}, .crop = options.max_length_crop}};
  const std::string path = corpus_cache_path(options);
  if (path.empty()) return Corpus(text);
  const uint64_t key = key_of(text);
  if (std::optional<Corpus> cached = read_cached(path, key, text)) return std::move(*cached);
  if (std::optional<Corpus> made = make_cached(path, key, text)) return std::move(*made);
  return Corpus(text);
}

}  // namespace weft::data
