#include "weft/model_file/hugging_face/marian/tokenisers.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "weft/core/error.h"
#include "weft/core/files/atomic_file.h"
#include "weft/data/text/mapped_tokeniser.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/data/text/sentencepiece.h"
#include "weft/data/text/text_file.h"
#include "weft/model_file/hugging_face/paths.h"

namespace weft::model_file {
namespace {

// SentencePiece's space, U+2581, which does not occur in word or character vocabularies.
constexpr std::string_view kPieceSpace = "\xE2\x96\x81";
// Tokeniser files of other models in Transformers.
constexpr const char* kOtherTokenisers[] = {"tokenizer.json", "sentencepiece.bpe.model",
                                            "spiece.model",   "tokenizer.model",
                                            "spm.model",      "merges.txt",
                                            "vocab.txt",      "vocab.spm"};

data::Vocabulary read_vocabulary_json(const std::string& path, int64_t size) {
  std::vector<std::string> tokens;
  try {
    const auto json = nlohmann::json::parse(data::read_bytes(path, Pipes::kRefused));
    // Not `size`, which is untrusted input.
    tokens.resize(std::min(json.size(), static_cast<size_t>(size)));
    for (const auto& [token, id] : json.items()) {
      const auto index = id.get<int64_t>();
      if (index < 0 || index >= std::ssize(tokens) || !tokens[static_cast<size_t>(index)].empty()) {
        fail<FormatError>(path,
                          "id {} of \"{}\"; expected each of 0 to {} once, the size "
                          "in config.json",
                          index, token, size - 1);
      }
      tokens[static_cast<size_t>(index)] = token;
    }
  } catch (const nlohmann::json::exception& error) {
    fail<FormatError>(path, "not a JSON vocabulary: {}", error.what());
  }
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].empty()) fail<FormatError>(path, "no token has the id {}", i);
  }
  if (std::ssize(tokens) < size) {
    fail<FormatError>(path, "{} tokens; expected {}, as in config.json", tokens.size(), size);
  }
  return data::Vocabulary(std::move(tokens), path);
}

// Unsupported tokeniser files in the folder: "; tokenizer.json is not supported".
std::string other_tokenisers(const std::string& folder) {
  std::string out;
  for (const char* name : kOtherTokenisers) {
    if (file_exists(path_in(folder, name))) out += fmt::format("; {} is not supported", name);
  }
  return out;
}

// Throws if the vocabulary contains SentencePiece pieces.
void check_words(const data::Vocabulary& vocabulary, const std::string& folder,
                 const std::string& subwords_path) {
  int32_t id = 0;
  while (id < vocabulary.size() && !vocabulary.token(id).starts_with(kPieceSpace)) ++id;
  if (id == vocabulary.size()) return;
  fail<FormatError>(subwords_path,
                    "no such file, and the vocabulary contains SentencePiece pieces, such as {}{}; "
                    "expected source.spm and target.spm",
                    quote(vocabulary.token(id)), other_tokenisers(folder));
}

bool has_same_tokens(const data::Tokeniser& subwords, const data::Vocabulary& vocabulary) {
  if (subwords.size() != vocabulary.size()) return false;
  for (int32_t id = 0; id < subwords.size(); ++id) {
    if (subwords.piece(id) != vocabulary.token(id)) return false;
  }
  return true;
}

// A SentencePiece tokeniser if the folder has its model, else a word tokeniser.
data::TokeniserPtr read_tokeniser(const std::string& folder, const char* subwords_name,
                                  data::Vocabulary vocabulary) {
  const std::string path = path_in(folder, subwords_name);
  if (!file_exists(path)) {
    check_words(vocabulary, folder, path);
    return data::make_plain_tokeniser(std::move(vocabulary));
  }
  auto subwords = data::load_sentencepiece(data::read_bytes(path, Pipes::kRefused), path);
  if (has_same_tokens(*subwords, vocabulary)) return subwords;
  return std::make_shared<data::MappedTokeniser>(std::move(subwords), std::move(vocabulary));
}

std::string vocabulary_json(const data::Tokeniser& tokeniser) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (int32_t id = 0; id < tokeniser.size(); ++id) out[std::string(tokeniser.piece(id))] = id;
  return out.dump(1) + "\n";
}

// The serialised SentencePiece model; empty for other tokenisers.
std::string subword_model(const data::Tokeniser& tokeniser) {
  if (const auto* mapped = dynamic_cast<const data::MappedTokeniser*>(&tokeniser)) {
    return mapped->subwords().serialise();
  }
  return tokeniser.kind() == "sentencepiece" ? tokeniser.serialise() : std::string();
}

}  // namespace

MarianTokenisers read_marian_tokenisers(const std::string& folder, int64_t source_size,
                                        int64_t target_size) {
  const std::string joint = path_in(folder, "vocab.json");
  const std::string apart = path_in(folder, "target_vocab.json");
  const bool is_joint = !file_exists(apart);
  if (!file_exists(joint)) {
    fail<FileError>(joint, "no such file{}; expected it, source.spm and target.spm",
                    other_tokenisers(folder));
  }
  MarianTokenisers out{.is_joint = is_joint};
  out.source = read_tokeniser(folder, "source.spm", read_vocabulary_json(joint, source_size));
  out.target = read_tokeniser(folder, "target.spm",
                              read_vocabulary_json(is_joint ? joint : apart, target_size));
  if (is_joint && out.source->serialise() == out.target->serialise()) out.target = out.source;
  return out;
}

void write_marian_tokenisers(const std::string& folder, const MarianTokenisers& tokenisers,
                             int32_t begin_id, int32_t end_id) {
  const data::Tokeniser &source = *tokenisers.source, &target = *tokenisers.target;
  const auto write = [&](const char* name, const std::string& content) {
    if (!content.empty()) write_file(path_in(folder, name), content);
  };
  write("vocab.json", vocabulary_json(source));
  if (!tokenisers.is_joint) write("target_vocab.json", vocabulary_json(target));
  write("source.spm", subword_model(source));
  write("target.spm", subword_model(target));
  const nlohmann::ordered_json config = {{"tokenizer_class", "MarianTokenizer"},
                                         {"separate_vocabs", !tokenisers.is_joint},
                                         {"eos_token", target.piece(end_id)},
                                         {"unk_token", target.piece(target.unknown_id())},
                                         {"pad_token", target.piece(begin_id)}};
  write("tokenizer_config.json", config.dump(1) + "\n");
}

}  // namespace weft::model_file
