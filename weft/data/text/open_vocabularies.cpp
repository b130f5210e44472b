#include "weft/data/text/open_vocabularies.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>

#include "weft/core/error.h"
#include "weft/core/files/atomic_file.h"
#include "weft/core/log.h"
#include "weft/core/random.h"
#include "weft/data/corpus/parallel_text.h"
#include "weft/data/subwords/bpe_trainer.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/data/text/sentencepiece.h"

namespace weft::data {
namespace {

constexpr int64_t kSubwordTokens = 8000;
constexpr uint64_t kSampleStream = 0x766F636162ull << 16;

// One vocabulary file and the fields it serves.
struct Wanted {
  std::string path;
  std::vector<int64_t> fields;
  int64_t size = 0;  // 0: not said
};

std::vector<Wanted> wanted_vocabularies(const VocabularyOptions& options) {
  const auto& sizes = options.dim_vocabs;
  if (sizes.size() > 1 && sizes.size() != options.vocabs.size()) {
    fail<OptionError>("--dim-vocabs", "expected one, or one for each of {} vocabularies, got {}",
                      options.vocabs.size(), sizes.size());
  }
  std::vector<Wanted> all;
  for (int64_t field = 0; field < options.field_count(); ++field) {
    const std::string& path = options.vocabs[field];
    const int64_t size = sizes.empty() ? 0 : sizes.size() == 1 ? sizes[0] : sizes[field];
    const auto same = std::ranges::find(all, path, &Wanted::path);
    if (same == all.end()) {
      all.push_back({path, {field}, size});
    } else if (same->size != size) {
      fail<OptionError>("--dim-vocabs", "two sizes for {}: {} and {}", path, same->size, size);
    } else {
      same->fields.push_back(field);
    }
  }
  return all;
}

bool is_byte_level(std::string_view kind) { return kind == "bpe" || kind == "byte"; }

// Characters and bytes are all of one length.
void check_symbols(const std::vector<std::string>& symbols, std::string_view kind) {
  if (symbols.empty() || (kind != "character" && kind != "byte")) return;
  fail<OptionError>(
      "--vocab-type",
      "a {} vocabulary cannot hold the symbol {}; expected sentencepiece, word or bpe", kind,
      symbols.front());
}

std::string kind_to_make(const VocabularyOptions& options, const std::string& path) {
  const bool is_sentencepiece = is_sentencepiece_file(path);
  if (is_byte_level(options.vocab_type) && !path.ends_with(".json")) {
    fail<OptionError>("--vocab-type",
                      "{} contradicts the name {}; expected .json, a tokenizer.json",
                      options.vocab_type, path);
  }
  if (options.vocab_type == "auto") return is_sentencepiece ? "sentencepiece" : "word";
  if (is_sentencepiece != (options.vocab_type == "sentencepiece")) {
    fail<OptionError>("--vocab-type",
                      "{} contradicts the name {}; expected .model or .spm for "
                      "SentencePiece, and for nothing else",
                      options.vocab_type, path);
  }
  return options.vocab_type;
}

// The text that a vocabulary is made of, for messages: "train.en (for en.vocab)".
std::string text_name(const VocabularyText& text, const Wanted& wanted) {
  return fmt::format("{} (for {})", text.name(wanted.fields), wanted.path);
}

// Calls take(text) for every usable text that the vocabulary serves; throws where there is none.
void for_each_text(const VocabularyText& text, const Wanted& wanted,
                   const VocabularyText::Take& take) {
  int64_t taken = 0;
  text.read(wanted.fields, [&](std::string_view line) {
    if (line.empty()) return;
    take(line);
    ++taken;
  });
  if (taken == 0) {
    fail<FormatError>(text_name(text, wanted), "no usable line; expected at least one");
  }
}

// Makes vocabularies of a text.
struct Maker {
  const VocabularyOptions& options;
  const VocabularyText& text;
  uint64_t seed;

  std::vector<std::string> sample_lines(const Wanted& wanted) const;
  TokeniserPtr make_sentencepiece(const Wanted& wanted) const;
  TokeniserPtr make_plain(const Wanted& wanted, bool by_character) const;
  TokeniserPtr make_byte_level(const Wanted& wanted, bool merges) const;
  TokeniserPtr operator()(const Wanted& wanted) const;
};

// A uniform sample of the lines (reservoir sampling, Vitter 1985), in the order they were drawn.
std::vector<std::string> Maker::sample_lines(const Wanted& wanted) const {
  std::vector<std::string> lines;
  RandomStream random(seed, kSampleStream + static_cast<uint64_t>(wanted.fields[0]));
  const auto most = static_cast<uint64_t>(options.sentencepiece_max_lines);
  uint64_t seen = 0;
  for_each_text(text, wanted, [&](std::string_view line) {
    ++seen;
    if (lines.size() < most) {
      lines.emplace_back(line);
    } else if (const uint64_t slot = random.below(seen); slot < most) {
      lines[slot] = line;
    }
  });
  return lines;
}

TokeniserPtr Maker::make_sentencepiece(const Wanted& wanted) const {
  const std::vector<std::string> lines = sample_lines(wanted);
  const int64_t size = wanted.size > 0 ? wanted.size : kSubwordTokens;
  log::info("training SentencePiece ({}, {} tokens) on {} lines for {}", options.sentencepiece_type,
            size, lines.size(), wanted.path);
  const SentencePieceSpec spec{.size = size,
                               .type = options.sentencepiece_type,
                               .options = options.sentencepiece_options,
                               .symbols = text.symbols};
  return load_sentencepiece(train_sentencepiece(lines, spec, text_name(text, wanted)), wanted.path);
}

TokeniserPtr Maker::make_plain(const Wanted& wanted, bool by_character) const {
  log::info("making a vocabulary of {} for {}", by_character ? "characters" : "words", wanted.path);
  TokenCounter counter;
  const auto count = [&](std::string_view token) { counter.add(token); };
  for_each_text(text, wanted, [&](std::string_view line) {
    if (by_character) {
      for_each_character(line, count);
    } else {
      for_each_word(line, count);
    }
  });
  // The space is always there: it is what tells a list of characters from a list of words.
  const std::vector<std::string> first =
      by_character ? std::vector<std::string>{" "} : text.symbols;
  return make_plain_tokeniser(
      Vocabulary(counter.most_frequent(wanted.size, options.vocab_min_count, first), wanted.path));
}

TokeniserPtr Maker::make_byte_level(const Wanted& wanted, bool merges) const {
  const int64_t size = !merges ? kBpeBaseSize : wanted.size > 0 ? wanted.size : kSubwordTokens;
  const int64_t least = kBpeBaseSize + std::ssize(text.symbols);
  if (size < least) {
    fail<OptionError>("--dim-vocabs", "expected at least {}, the bytes and {} symbols, got {}",
                      least, least - 256, size);
  }
  log::info("making a byte-level vocabulary of up to {} tokens for {}", size, wanted.path);
  BpeTrainer trainer;
  if (merges) for_each_text(text, wanted, [&](std::string_view line) { trainer.add(line); });
  return trainer.train(
      {.size = size, .min_count = options.vocab_min_count, .symbols = text.symbols});
}

// Known before the training, not after it.
void check_place(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const std::string name = folder.empty() ? "." : folder.string();
  if (::access((name + "/").c_str(), W_OK) != 0) {
    fail<FileError>(path, "cannot be created in {}: {}", name, std::strerror(errno));
  }
}

TokeniserPtr Maker::operator()(const Wanted& wanted) const {
  const std::string kind = kind_to_make(options, wanted.path);
  const int64_t own = 3 + std::ssize(text.symbols);  // with </s>, <unk> and <s>
  if (!text.symbols.empty() && wanted.size > 0 && wanted.size <= own) {
    fail<OptionError>("--dim-vocabs", "expected more than {}, the symbols, got {}", own,
                      wanted.size);
  }
  if (kind == "sentencepiece") return make_sentencepiece(wanted);
  if (is_byte_level(kind)) return make_byte_level(wanted, kind == "bpe");
  return make_plain(wanted, kind == "character");
}

TokeniserPtr load(const VocabularyOptions& options, const Wanted& wanted) {
  TokeniserPtr loaded = load_tokeniser_file(wanted.path);
  if (wanted.size > 0 && loaded->size() > wanted.size) {
    fail<OptionError>("--dim-vocabs", "{} exists and is larger; expected at most {} tokens, got {}",
                      wanted.path, wanted.size, loaded->size());
  }
  const std::string kind = is_byte_level(options.vocab_type) ? "tokenizer" : options.vocab_type;
  if (kind != "auto" && kind != loaded->kind()) {
    fail<OptionError>("--vocab-type", "{} exists and is of another kind; expected {}, got {}",
                      wanted.path, options.vocab_type, loaded->kind());
  }
  return loaded;
}

// Options of a kind of vocabulary that is not among those wanted.
void check_kinds(const VocabularyOptions& o) {
  const VocabularyOptions plain;
  const auto pieces = std::ranges::count_if(o.vocabs, is_sentencepiece_file);
  const std::pair<const char*, bool> own[] = {
      {"--sentencepiece-type", o.sentencepiece_type == plain.sentencepiece_type},
      {"--sentencepiece-options", o.sentencepiece_options == plain.sentencepiece_options},
      {"--sentencepiece-max-lines", o.sentencepiece_max_lines == plain.sentencepiece_max_lines}};
  for (const auto& [option, is_default] : own) {
    if (is_default || pieces > 0) continue;
    fail<OptionError>(option, "needs a vocabulary of SentencePiece, .model or .spm; got {}",
                      fmt::format("{}", fmt::join(o.vocabs, " ")));
  }
  if (pieces == std::ssize(o.vocabs) && o.vocab_min_count != plain.vocab_min_count) {
    fail<OptionError>("--vocab-min-count",
                      "needs a vocabulary of words or characters; got SentencePiece, {}",
                      fmt::format("{}", fmt::join(o.vocabs, " ")));
  }
}

}  // namespace

void Vocabularies::write_made() const {
  for (const auto& [path, tokeniser] : made) {
    write_file(path, tokeniser->file_bytes(is_yaml_file(path)));
    log::info("wrote {}: {} tokens", path, tokeniser->size());
  }
}

Vocabularies open_vocabularies(const VocabularyOptions& options, const VocabularyText& text,
                               uint64_t seed) {
  check_kinds(options);
  Vocabularies out;
  out.fields.resize(options.vocabs.size());
  const auto take = [&](const Wanted& wanted, const TokeniserPtr& one) {
    for (const int64_t field : wanted.fields) out.fields[field] = one;
  };
  std::vector<Wanted> missing;
  for (const Wanted& wanted : wanted_vocabularies(options)) {
    std::error_code error;
    const bool exists = std::filesystem::exists(wanted.path, error);
    if (error) fail<FileError>(wanted.path, "cannot be opened: {}", error.message());
    if (exists) {
      take(wanted, load(options, wanted));
    } else {
      check_symbols(text.symbols, kind_to_make(options, wanted.path));
      check_place(wanted.path);
      missing.push_back(wanted);
    }
  }
  for (const Wanted& wanted : missing) {  // it takes long: all else is checked before
    out.made.emplace_back(wanted.path, Maker{options, text, seed}(wanted));
    take(wanted, out.made.back().second);
  }
  return out;
}

VocabularyText vocabulary_text(const DataOptions& options) {
  const auto name = [options](std::span<const int64_t> fields) {
    std::vector<std::string> names;
    for (const CorpusFiles& files : training_files(options)) {
      for (const int64_t field : fields) {
        const std::string& file = files.files[options.tsv ? 0 : field];
        if (std::ranges::find(names, file) == names.end()) names.push_back(file);
      }
    }
    return fmt::format("{}", fmt::join(names, " + "));
  };
  const auto read = [options](std::span<const int64_t> fields, const VocabularyText::Take& take) {
    for (const CorpusFiles& files : training_files(options)) {
      ParallelText text(files, kSides);
      while (text.next()) {
        if (text.fault() != LineFault::kNone) continue;
        for (const int64_t field : fields) take(text.fields()[field]);
      }
    }
  };
  return {name, read};
}

}  // namespace weft::data
