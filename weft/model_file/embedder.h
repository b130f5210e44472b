// Embedders as files, with their tokeniser and the texts that they put before others.
#ifndef WEFT_MODEL_FILE_EMBEDDER_H_
#define WEFT_MODEL_FILE_EMBEDDER_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/data/text/tokeniser.h"
#include "weft/model_file/session.h"
#include "weft/models/embedder.h"

namespace weft::model_file {

// Texts that an embedder puts before others, as "query: ", by name.
struct Prompts {
  std::vector<std::string> names = {}, texts = {};
  std::string chosen = {};  // the name of the one that is used unless another is asked for

  // Null: none has this name.
  const std::string* find(std::string_view name) const;
  // Throws FormatError, naming `path`, unless each name is there once, with a text.
  void check(const std::string& path) const;

  template <class V>
  void fields(V& v) {
    v("prompt-names", names,
      {.help = "names of texts that are put before others", .omitted_if = ""});
    v("prompt-texts", texts, {.help = "these texts", .omitted_if = ""});
    v("default-prompt", chosen,
      {.help = "the name of the text that is used unless another is asked for", .omitted_if = ""});
  }
};

struct EmbedderSession {
  static constexpr std::string_view kKind = "embedder";

  models::Embedder model;
  Tensor parameters;             // [P], flat, in visiting order; empty if packed
  data::TokeniserPtr tokeniser;  // of as many tokens as the model has, or fewer
  int64_t max_length = 0;        // tokens of a text without special symbols, at most; 0: any
  Prompts prompts = {};
  std::string similarity = "cosine";  // by which its vectors are compared

  static EmbedderSession open(ContentsReader& file);
  Contents contents() const;
};

// "cosine", "dot", "euclidean", "manhattan"
inline constexpr std::string_view kSimilarities = "cosine|dot|euclidean|manhattan";

// Creates a model with initial weights, sized for the vocabulary. Throws OptionError if the options
// contradict each other.
EmbedderSession new_embedder(const models::EmbedderOptions& options, data::TokeniserPtr tokeniser,
                             uint64_t seed);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_EMBEDDER_H_
