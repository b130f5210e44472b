// Tokens as the input of a stack of layers: rows of a learned table, with positions.
#ifndef WEFT_MODELS_TOKEN_EMBEDDING_H_
#define WEFT_MODELS_TOKEN_EMBEDDING_H_

#include <optional>
#include <span>

#include "weft/nn/norm.h"
#include "weft/nn/position/position.h"

namespace weft::models {

struct TokenEmbeddingOptions {
  int64_t vocab = 0;  // V; 0: no table of its own
  nn::Vocabulary vocabulary = nn::Vocabulary::kSource;
  int64_t features = 0;              // D
  std::optional<double> scale = {};  // of the table's rows; sqrt(D) unless given
  nn::Position position = {};
  int64_t position_offset = 0;               // the position of the first token of an example
  int64_t token_types = 0;                   // as BERT has them for two texts; 0: none
  std::optional<nn::NormOptions> norm = {};  // of the sum; none: it is not normalised
  bool has_mask = false;                     // a vector stands for masked tokens
  double dropout = 0;
};

// Rows of tokens.
struct TokenRows {
  ops::Ids ids;                          // [N]
  ops::LayoutPtr rows;                   // N rows
  std::span<const int32_t> masked = {};  // rows that the mask vector is added to
  ops::Ids types = nullptr;              // [N]; null: all of type 0
};

// x = drop(norm(scale * table[id] + position + type)) + scale * mask.
struct TokenEmbedding {
  nn::Parameter table;  // [V, D]
  nn::Position position;
  nn::Parameter token_types;  // [types, D]
  nn::Norm norm;
  nn::Parameter mask;  // [1, D]
  nn::Dropout dropout;
  double scale = 1;
  int64_t position_offset = 0;

  TokenEmbedding() = default;
  // Shapes only. `dropouts` numbers the dropouts of the model that it is part of.
  TokenEmbedding(const TokenEmbeddingOptions& options, nn::RngStreams& dropouts);

  // [N, D]. Throws ShapeError for an id outside the table, and for a row beyond learned positions.
  Tensor operator()(const TokenRows& in, const nn::Context& context) const {
    return embed(table, in, context);
  }
  // The same by another table [V, D], to which this one is tied.
  Tensor embed(const nn::Parameter& tied, const TokenRows& in, const nn::Context& context) const;

  template <class V>
  void fields(V& v) {
    v("embed_tokens.weight", table);
    v("embed_positions", position);
    v("embed_token_types.weight", token_types);
    v("layernorm_embedding", norm);
    v("mask_embedding", mask);
  }
};

}  // namespace weft::models

#endif  // WEFT_MODELS_TOKEN_EMBEDDING_H_
