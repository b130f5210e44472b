// Kinds of positions: added to embeddings, or part of attention.
#ifndef WEFT_NN_POSITION_KINDS_H_
#define WEFT_NN_POSITION_KINDS_H_

#include <optional>

#include "weft/nn/context.h"
#include "weft/nn/parameters.h"
#include "weft/nn/position/rotary_scaling.h"
#include "weft/ops/embedding.h"
#include "weft/ops/rotary.h"
#include "weft/options/fields.h"

namespace weft::nn {

// The input of a stack: the table's rows of `ids`, scaled, at their positions.
struct TokenInput {
  const Parameter& table;  // [V, D]
  double scale = 1;        // sqrt(D) in the paper
  const ops::Ids& ids;     // [N]
  const ops::LayoutPtr& rows;
  Dropout dropout = {};
};

// What every self-attention of a stack takes from the positions of its rows.
struct AttentionPosition {
  std::optional<ops::RotaryParams> rotary;  // on queries and keys
  ops::PositionBias bias;
  std::optional<ops::RotaryParams> local_rotary = {};  // of local layers, where it is another

  const std::optional<ops::RotaryParams>& rotary_of(bool is_local) const {
    return is_local && local_rotary ? local_rotary : rotary;
  }
};

// Kinds that act in embeddings have encodings() [N, D] of rows, which are added to them.

// The embeddings of tokens alone, for kinds that act in attention.
struct PlainEmbedding {
  Tensor embed(const TokenInput& in, const Context& context) const;  // [N, D]
};

// Positions in embeddings alone.
struct InEmbeddings {
  AttentionPosition in_attention(const ops::LayoutPtr&, const Context&) const { return {}; }
  template <class V>
  void fields(V&) {}
};

// No positions: a set of tokens, except for the causal mask.
struct NoPosition : PlainEmbedding, InEmbeddings {};

// The simplest encoding: scale * i is added to feature i of position i, counted modulo D.
struct IndexPosition : InEmbeddings {
  double scale = 1;

  explicit IndexPosition(double factor) : scale(factor) {}
  Tensor encodings(const ops::Layout& rows, Shape shape, DType type, autograd::Tape* tape) const;
  Tensor embed(const TokenInput& in, const Context& context) const;  // [N, D]
};

// The fixed sines and cosines of Vaswani et al. 2017, section 3.5.
struct SinusoidalPosition : InEmbeddings {
  Tensor encodings(const ops::Layout& rows, Shape shape, DType type, autograd::Tape* tape) const;
  Tensor embed(const TokenInput& in, const Context& context) const;  // [N, D]
};

// The same by the rows' coordinates in a grid (He et al. 2022, arXiv 2111.06377): the first D / 2
// features encode the row, the others the column. Throws ShapeError where they have none.
struct Sinusoidal2dPosition : InEmbeddings {
  Tensor encodings(const ops::Layout& rows, Shape shape, DType type, autograd::Tape* tape) const;
  Tensor embed(const TokenInput& in, const Context& context) const;  // [N, D]
};

// A learned vector for each position up to a maximum (Gehring et al. 2017).
struct LearnedPosition {
  Parameter weight;  // [max, D]

  // Throws ShapeError as embed() does.
  Tensor encodings(const ops::Layout& rows, Shape shape, DType type, autograd::Tape* tape) const;
  // Throws ShapeError for a sequence with more positions than the table.
  Tensor embed(const TokenInput& in, const Context& context) const;  // [N, D]
  AttentionPosition in_attention(const ops::LayoutPtr&, const Context&) const { return {}; }
  template <class V>
  void fields(V& v) {
    v("weight", weight);
  }
};

// Queries and keys rotated by their positions (Su et al. 2021, arXiv 2104.09864), with two axes by
// the rows' coordinates in a grid. Throws ShapeError where they have none.
struct RotaryPosition : PlainEmbedding {
  int64_t axes = 1;
  ops::RotaryFrequenciesPtr frequencies;
  ops::RotaryFrequenciesPtr local_frequencies = nullptr;  // of local layers; null: the same

  RotaryPosition(int64_t of_row, ops::RotaryFrequencies of_pairs)
      : axes(of_row),
        frequencies(std::make_shared<const ops::RotaryFrequencies>(std::move(of_pairs))) {}
  AttentionPosition in_attention(const ops::LayoutPtr& rows, const Context& context) const;
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

  AttentionPosition in_attention(const ops::LayoutPtr& rows, const Context& context) const;
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
  AttentionPosition in_attention(const ops::LayoutPtr& rows, const Context& context) const;
  template <class V>
  void fields(V&) {}
};

// The options of each kind; make(sizes) is the module.
struct PositionDims {
  int64_t features = 0;         // D
  int64_t heads = 1;            // H
  int64_t head_size = 0;        // K; 0: D / H
  int64_t max_positions = 512;  // of a table
  bool causal = false;          // of a decoder

  // Pairs of features of a head that rotary positions rotate by one of `axes` coordinates.
  int64_t pairs(int64_t axes) const {
    return (head_size != 0 ? head_size : features / heads) / (2 * axes);
  }
};

enum class PositionPlace { kEmbeddings, kScores, kRotation };  // where a kind acts

struct NoPositionOptions {
  static constexpr std::string_view kName = "none";
  static constexpr auto kPlace = PositionPlace::kEmbeddings;
  NoPosition make(const PositionDims&) const { return {}; }
};

struct IndexPositionOptions {
  static constexpr std::string_view kName = "index";
  static constexpr std::string_view kHelp = "the position's number, added";
  static constexpr auto kPlace = PositionPlace::kEmbeddings;
  double scale = 1;

  IndexPosition make(const PositionDims&) const { return IndexPosition(scale); }
  template <class V>
  void fields(V& v) {
    v("position-scale", scale,
      {.help = "factor on the number that index positions add", .min = -1e6, .max = 1e6});
  }
};

struct SinusoidalPositionOptions {
  static constexpr std::string_view kName = "sinusoidal";
  static constexpr std::string_view kHelp = "sines and cosines, added to embeddings (the paper)";
  static constexpr auto kPlace = PositionPlace::kEmbeddings;
  SinusoidalPosition make(const PositionDims&) const { return {}; }
};

// By row and column.
struct Sinusoidal2dPositionOptions {
  static constexpr std::string_view kName = "sinusoidal-2d";
  static constexpr std::string_view kHelp = "the same by the row and the column in a picture";
  static constexpr auto kPlace = PositionPlace::kEmbeddings;
  static constexpr bool kNeedsGrid = true;
  Sinusoidal2dPosition make(const PositionDims&) const { return {}; }
};

struct LearnedPositionOptions {
  static constexpr std::string_view kName = "learned";
  static constexpr std::string_view kHelp = "a learned table, added to them";
  static constexpr auto kPlace = PositionPlace::kEmbeddings;
  static constexpr bool kHasTables = true;
  LearnedPosition make(const PositionDims& dims) const {
    return {embedding_table(dims.max_positions, dims.features)};
  }
};

struct RotaryPositionOptions {
  static constexpr std::string_view kName = "rotary";
  static constexpr std::string_view kHelp = "queries and keys rotated (Su et al. 2021)";
  static constexpr auto kPlace = PositionPlace::kRotation;
  double base = 10000;
  RotaryScalings scaling = {};
  double local_base = 0, local_factor = 1;

  RotaryPosition make(const PositionDims& dims) const { return with_axes(1, dims); }
  // Throws OptionError.
  void check() const;
  template <class V>
  void fields(V& v) {
    v("rotary-base", base,
      {.help = "about the ratio of the fastest to the slowest rotation of rotary positions",
       .min = 1,
       .max = 1e12});
    options::choice(v, "rotary-scaling", scaling,
                    {.help = "change of the rotations for more positions than in training",
                     .omitted_if = "none"});
    v("rotary-local-base", local_base,
      {.help = "the base of the local layers of --attention local, which --rotary-scaling then "
               "leaves alone; 0: they rotate as the full ones do",
       .min = 0,
       .max = 1e12,
       .omitted_if = "0"});
    v("rotary-local-factor", local_factor,
      {.help = "positions of local layers are divided by this, with --rotary-local-base",
       .min = 1,
       .max = 1e6,
       .omitted_if = "1"});
  }

 protected:
  RotaryPosition with_axes(int64_t axes, const PositionDims& dims) const;
};

// By row and column.
struct Rotary2dPositionOptions : RotaryPositionOptions {
  static constexpr std::string_view kName = "rotary-2d";
  static constexpr std::string_view kHelp = "the same by the row and the column in a picture";
  static constexpr bool kNeedsGrid = true;
  RotaryPosition make(const PositionDims& dims) const { return with_axes(2, dims); }
};

struct RelativePositionOptions {
  static constexpr std::string_view kName = "relative";
  static constexpr std::string_view kHelp =
      "a learned number for each distance, added to attention scores (Raffel et al. 2020)";
  static constexpr auto kPlace = PositionPlace::kScores;
  int64_t buckets = 32;
  int64_t max_distance = 128;

  RelativePosition make(const PositionDims& dims) const;
  // Throws OptionError.
  void check() const;
  template <class V>
  void fields(V& v) {
    v("relative-buckets", buckets,
      {.help = "buckets of distances of relative positions", .min = 4, .max = 65536});
    v("relative-max-distance", max_distance,
      {.help = "distance that the growing buckets of relative positions reach",
       .min = 4,
       .max = 65536});
  }
};

struct AlibiPositionOptions {
  static constexpr std::string_view kName = "alibi";
  static constexpr std::string_view kHelp =
      "a slope of each head times the distance, added to them (Press et al. 2022)";
  static constexpr auto kPlace = PositionPlace::kScores;
  AlibiPosition make(const PositionDims& dims) const { return AlibiPosition(dims.heads); }
};

}  // namespace weft::nn

#endif  // WEFT_NN_POSITION_KINDS_H_
