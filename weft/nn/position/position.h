// Kinds of positions: how a token's place enters its embedding, or attention to it.
#ifndef WEFT_NN_POSITION_POSITION_H_
#define WEFT_NN_POSITION_POSITION_H_

#include <optional>
#include <variant>

#include "weft/nn/context.h"
#include "weft/nn/parameters.h"
#include "weft/ops/embedding.h"
#include "weft/ops/rotary.h"

namespace weft::nn {

// One batch side on its way into a stack: the table's rows of `ids`, scaled, at their positions.
struct TokenInput {
  const Parameter& table;  // [V, D]
  double scale = 1;        // sqrt(D) in the paper
  const ops::Ids& ids;     // [N]
  const ops::RowsPtr& rows;
  double dropout = 0;
};

// What every self-attention of a stack takes from the positions of its rows.
struct AttentionPosition {
  std::optional<ops::RotaryRule> rotary;  // on queries and keys
  ops::PositionBias bias;
};

// Tokens without their places: what kinds that act in attention alone begin with.
struct PlainEmbedding {
  Tensor embed(const TokenInput& in, Context& context) const;  // [N, D]
};

// Embeddings alone tell of places: attention takes nothing from them.
struct InEmbeddings {
  AttentionPosition in_attention(const ops::RowsPtr&, Context&) const { return {}; }
  template <class V>
  void fields(V&) {}
};

// No positions: a set of tokens, but for what a causal mask tells.
struct NoPosition : PlainEmbedding, InEmbeddings {};

// The simplest encoding: scale * i is added to feature i of position i, counted modulo D.
struct IndexPosition : InEmbeddings {
  double scale = 1;

  explicit IndexPosition(double by) : scale(by) {}
  Tensor embed(const TokenInput& in, Context& context) const;  // [N, D]
};

// The fixed sines and cosines of Vaswani et al. 2017, section 3.5.
struct SinusoidalPosition : InEmbeddings {
  Tensor embed(const TokenInput& in, Context& context) const;  // [N, D]
};

// A learned vector for each position up to a maximum (Gehring et al. 2017).
struct LearnedPosition {
  Parameter weight;  // [max, D]

  // Throws ShapeError for a sentence with more positions than the table.
  Tensor embed(const TokenInput& in, Context& context) const;  // [N, D]
  AttentionPosition in_attention(const ops::RowsPtr&, Context&) const { return {}; }
  template <class V>
  void fields(V& v) {
    v("weight", weight);
  }
};

// Queries and keys turned by their positions (Su et al. 2021, arXiv 2104.09864), with two axes by
// the rows' places in a grid. Throws ShapeError where they have none.
struct RotaryPosition : PlainEmbedding {
  int64_t axes = 1;
  double base = 10000;

  RotaryPosition(int64_t of_row, double slowest) : axes(of_row), base(slowest) {}
  AttentionPosition in_attention(const ops::RowsPtr& rows, Context& context) const;
  template <class V>
  void fields(V&) {}
};

// A learned number for each head and bucket of distances, added to scores (T5, Raffel et al. 2020,
// arXiv 1910.10683): half of the buckets one distance each, the rest in growing steps up to
// `max_distance`.
struct RelativePosition : PlainEmbedding {
  Parameter weight;  // [buckets, H]
  int64_t max_distance = 128;
  bool causal = false;  // keys do not come after their query: all buckets are for those before

  AttentionPosition in_attention(const ops::RowsPtr& rows, Context& context) const;
  template <class V>
  void fields(V& v) {
    v("weight", weight);
  }
};

// The bucket of a key at `distance` after its query, negative before.
int32_t relative_bucket(int64_t distance, int64_t buckets, int64_t max_distance, bool causal);

// -slope |distance| added to scores, the slopes of heads in a geometric row (Press et al. 2022,
// arXiv 2108.12409).
struct AlibiPosition : PlainEmbedding {
  std::shared_ptr<const std::vector<float>> slopes;  // [H]

  explicit AlibiPosition(int64_t heads);
  AttentionPosition in_attention(const ops::RowsPtr& rows, Context& context) const;
  template <class V>
  void fields(V&) {}
};

struct Position {
  std::variant<SinusoidalPosition, NoPosition, IndexPosition, LearnedPosition, RotaryPosition,
               RelativePosition, AlibiPosition>
      kind;

  Tensor embed(const TokenInput& in, Context& context) const {
    return std::visit([&](const auto& k) { return k.embed(in, context); }, kind);
  }
  AttentionPosition in_attention(const ops::RowsPtr& rows, Context& context) const {
    return std::visit([&](const auto& k) { return k.in_attention(rows, context); }, kind);
  }
  template <class V>
  void fields(V& v) {
    std::visit([&](auto& k) { k.fields(v); }, kind);
  }
};

struct PositionOptions {
  std::string name = "sinusoidal";  // or none, index, learned, rotary, rotary-2d, relative, alibi
  int64_t features = 0;             // D
  int64_t heads = 1;                // H
  int64_t max_positions = 512;      // learned
  double index_scale = 1;
  double rotary_base = 10000;
  int64_t buckets = 32;  // relative
  int64_t max_distance = 128;
  bool causal = false;  // of a decoder
};

// Throws OptionError for another name.
Position make_position(const PositionOptions& options);

}  // namespace weft::nn

#endif  // WEFT_NN_POSITION_POSITION_H_
