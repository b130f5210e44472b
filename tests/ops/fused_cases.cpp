#include <fmt/core.h>

#include <cmath>

#include "tests/ops/op_cases.h"
#include "weft/ops/activation.h"
#include "weft/ops/add.h"
#include "weft/ops/fused/attention.h"
#include "weft/ops/fused/embed.h"
#include "weft/ops/fused/linear.h"
#include "weft/ops/fused/linear_attention.h"
#include "weft/ops/fused/projection_loss.h"
#include "weft/ops/fused/residual_norm.h"
#include "weft/ops/fused/sinkhorn.h"
#include "weft/ops/scale.h"
#include "weft/ops/slice.h"

namespace weft::ops::test {
namespace {

LayoutPtr rows(const std::vector<int32_t>& offsets, int32_t first = 0) {
  return make_layout({offsets, first});
}

void add_residual_norm(Cases& cases) {
  const LayoutPtr ragged = lengths({3, 0, 1, 2}, 9);  // 6 rows
  for (const double p : {0.0, 0.3}) {
    const DropoutParams drop = make_dropout(p, {1, 2}, 5, ragged);
    const auto put = [&](const char* name, int64_t width, auto pick) {
      cases.push_back(fused(
          fmt::format("residual_norm {} [6, {}], dropout {}", name, width, p),
          {{6, width}, {6, width}, {1, width}, {1, width}}, [drop, pick](Inputs in, Tape* tape) {
            return pick(residual_norm(in[0], in[1], drop, {in[2], in[3]}, tape), tape);
          }));
    };
    for (const int64_t width : {2, 9, 33}) {
      put("both", width,
          [](const ResidualNorm& r, Tape* tape) { return concat_cols(r.sum, r.norm, tape); });
    }
    put("sum", 5, [](const ResidualNorm& r, Tape*) { return r.sum; });
    put("norm", 5, [](const ResidualNorm& r, Tape*) { return r.norm; });
    for (const bool is_rms : {false, true}) {
      cases.push_back(fused(
          fmt::format("residual_norm behind two products, {}dropout {}", is_rms ? "rms, " : "", p),
          {{6, 4}, {6, 4}, {1, 4}, {1, 4}, {4, 4}}, [drop, is_rms](Inputs in, Tape* tape) {
            const auto r = is_rms ? residual_rms_norm(in[0], in[1], drop, {in[2]}, tape)
                                  : residual_norm(in[0], in[1], drop, {in[2], in[3]}, tape);
            const LinearWeights weights{in[4], in[3]};
            const Tensor h = linear(r.norm, weights, Activation::kRelu, tape);
            return add(h, linear(r.norm, weights, Activation::kNone, tape), tape);
          }));
    }
    cases.push_back(fused(fmt::format("residual_norm of itself, dropout {}", p), {{6, 4}, {1, 4}},
                          [drop](Inputs in, Tape* tape) {
                            const auto r = residual_norm(in[0], in[0], drop, {in[1], in[1]}, tape);
                            return add(r.sum, r.norm, tape);
                          }));
    const DropoutParams wide = make_dropout(p, {1, 2}, 5, lengths({60, 0, 1, 36}));
    cases.push_back(
        large(fused(fmt::format("residual_norm [97, 132], dropout {}", p),
                    {{97, 132}, {97, 132}, {1, 132}, {1, 132}}, [wide](Inputs in, Tape* tape) {
                      const auto r = residual_norm(in[0], in[1], wide, {in[2], in[3]}, tape);
                      return concat_cols(r.sum, r.norm, tape);
                    })));
  }
  const DropoutParams one = make_dropout(0.5, {1, 2}, 5, rows({0, 1}));
  cases.push_back(fused("residual_norm of one row", {{1, 7}, {1, 7}, {1, 7}, {1, 7}},
                        [one](Inputs in, Tape* tape) {
                          return residual_norm(in[0], in[1], one, {in[2], in[3]}, tape).norm;
                        }));
}

void add_embed(Cases& cases) {
  const auto put = [&](const char* name, int64_t width, const LayoutPtr& where, double p,
                       bool sinusoidal) {
    std::vector<int32_t> ids;
    for (int32_t n = 0; n < where->count(); ++n) ids.push_back(n * n % 5);
    const Embed options{2.5, sinusoidal, where, make_dropout(p, {3, 4}, 17, where)};
    cases.push_back(fused(fmt::format("embed {} [{}, {}]{}, dropout {}", name, where->count(),
                                      width, sinusoidal ? ", sinusoidal" : "", p),
                          {{7, width}}, [options, ids = make_ids(ids)](Inputs in, Tape* tape) {
                            return embed(in[0], ids, options, tape);
                          }));
  };
  for (const double p : {0.0, 0.25}) {
    for (const bool sinusoidal : {false, true}) {
      put("ragged", 6, lengths({4, 0, 1, 3}, 2), p, sinusoidal);
      put("one row", 3, lengths({1}), p, sinusoidal);
      put("nothing", 4, lengths({0, 0}), p, sinusoidal);
    }
  }
  put("long", 136, lengths({70, 0, 1, 30}), 0.25, true);
  cases.back() = large(std::move(cases.back()));
}

// One attention case: which sequences, how wide, what of the rule.
struct AttentionCase {
  const char* name;
  std::vector<int32_t> queries, keys;  // lengths of the sequences
  int64_t heads = 1, key_size = 1, value_size = 1;
  bool causal = false;
  double dropout = 0;
  double scale = 0;  // 0: 1 / sqrt(key_size)
};

AttentionParams params_of(const AttentionCase& c) {
  AttentionParams params;
  params.queries = lengths(c.queries, 4);
  params.keys = lengths(c.keys, 4);
  params.heads = c.heads;
  params.scale = c.scale != 0 ? c.scale : 1 / std::sqrt(static_cast<double>(c.key_size));
  params.causal = c.causal;
  if (c.dropout > 0) params.dropout = make_dropout(c.dropout, {8, 9}, 100, params.queries);
  return params;
}

void add_attention(Cases& cases) {
  const std::vector<int32_t> ragged{3, 0, 1, 4}, other{2, 3, 1, 5};
  const AttentionCase all[] = {
      {"one row", {1}, {1}, 1, 1, 1},
      {"one head", {5}, {5}, 1, 3, 3},
      {"self", ragged, ragged, 2, 3, 3},
      {"causal", ragged, ragged, 2, 3, 3, true},
      {"causal, values narrower", ragged, ragged, 3, 4, 2, true},
      {"cross, values wider", ragged, other, 2, 2, 5},
      {"cross, a source without keys", {2, 1, 3}, {3, 0, 1}, 2, 3, 3},
      {"causal, fewer keys than queries", {4}, {2}, 1, 2, 2, true},
      {"causal, more keys than queries", {2}, {4}, 1, 2, 2, true},
      {"with dropout", ragged, other, 2, 3, 4, false, 0.4},
      {"causal with dropout", ragged, ragged, 3, 2, 2, true, 0.4},
      {"with a scale of its own", ragged, ragged, 2, 3, 3, false, 0, 1.7},
      {"nothing", {0, 0}, {0, 0}, 2, 3, 3},
      {"long", {70, 0, 1, 133}, {70, 0, 1, 133}, 3, 17, 9},
      {"long causal", {70, 0, 1, 133}, {70, 0, 1, 133}, 2, 16, 16, true},
      {"long cross with dropout", {70, 5, 1, 40}, {33, 0, 1, 129}, 2, 8, 24, false, 0.3},
      {"long causal with dropout", {3, 140}, {3, 140}, 2, 12, 12, true, 0.1},
  };
  for (const AttentionCase& c : all) {
    const AttentionParams params = params_of(c);
    const int64_t n = params.queries->count(), m = params.keys->count();
    OpCase put = fused(
        fmt::format("attention, {}", c.name),
        {{n, c.heads * c.key_size}, {m, c.heads * c.key_size}, {m, c.heads * c.value_size}},
        [params](Inputs in, Tape* tape) { return attention(in[0], in[1], in[2], params, tape); });
    cases.push_back(n > 50 ? large(std::move(put)) : std::move(put));
  }
}

// The position of row i of a sequence of n rows, where it is not i.
using Place = int32_t (*)(int32_t i, int32_t n);

int32_t gapped(int32_t i, int32_t /*n*/) { return 3 * i + 1; }
int32_t late(int32_t i, int32_t /*n*/) { return 2 * i + 60; }
int32_t shuffled(int32_t i, int32_t n) { return 101 * i % n; }  // n is no multiple of the prime
// Runs of 25, each shuffled, the last ones first and with gaps between: a tile of keys holds other
// positions than its first and last say, and is out of reach of some queries alone.
int32_t in_runs(int32_t i, int32_t n) { return ((n - 1) / 25 - i / 25) * 40 + i % 25 * 7 % 25; }

LayoutPtr placed(const LayoutPtr& rows, Place place) {
  if (place == nullptr) return rows;
  auto out = std::make_shared<Layout>(*rows);
  for (int64_t b = 0; b < out->sequences(); ++b) {
    const int32_t begin = out->segments.begin(b), n = out->segments.length(b);
    for (int32_t i = 0; i < n; ++i) out->position[begin + i] = place(i, n);
  }
  return out;
}

// Where the rows of both sides stand; null: at their indices.
struct Places {
  const char* name = "";
  Place queries = nullptr, keys = nullptr;
};

// Attention by every part of a rule that goes beyond plain softmax over whole sequences.
struct GeneralCase {
  AttentionCase of;
  AttentionPattern pattern = {};
  ScoreFunction function = ScoreFunction::kSoftmax;
  int64_t key_heads = 0;
  int64_t table_rows = 0;  // of the bias; 0: none
  bool slopes = false;
  Places places = {};
  double soft_cap = 0;
};

void put_general(Cases& cases, const GeneralCase& c) {
  AttentionParams params = params_of(c.of);
  params.queries = placed(params.queries, c.places.queries);
  params.keys = placed(params.keys, c.places.keys);
  params.pattern = c.pattern;
  params.function = c.function;
  params.key_heads = c.key_heads;
  params.soft_cap = c.soft_cap;
  if (c.slopes) params.bias.slopes = std::make_shared<std::vector<float>>(c.of.heads, 0.3f);
  const int64_t n = params.queries->count(), m = params.keys->count();
  const int64_t groups = c.key_heads == 0 ? c.of.heads : c.key_heads;
  std::vector<Shape> shapes = {
      {n, c.of.heads * c.of.key_size}, {m, groups * c.of.key_size}, {m, groups * c.of.value_size}};
  if (c.table_rows > 0) shapes.push_back({c.table_rows, c.of.heads});
  OpCase put =
      fused(fmt::format("general attention {}, {}{}", cases.size(), c.of.name, c.places.name),
            shapes, [params](Inputs in, Tape* tape) {
              AttentionParams with_table = params;
              if (in.size() > 3) with_table.bias.table = in[3];
              return attention(in[0], in[1], in[2], with_table, tape);
            });
  cases.push_back(n > 50 ? large(std::move(put)) : std::move(put));
}

void add_general_attention(Cases& cases) {
  const std::vector<int32_t> ragged{3, 0, 1, 6}, other{2, 3, 1, 5}, long_ones{70, 0, 1, 133};
  std::vector<GeneralCase> all = {
      {{"window", ragged, ragged, 2, 3, 3}, {.window = 1}},
      {{"causal window", ragged, ragged, 2, 3, 3, true}, {.window = 2}},
      {{"window of none but itself", ragged, ragged, 2, 3, 3}, {.window = 0}},
      {{"window in cross-attention", ragged, other, 2, 3, 3}, {.window = 1}},
      {{"blocks", ragged, ragged, 2, 3, 3}, {.window = 1, .block = 2}},
      {{"blocks with global tokens", ragged, ragged, 2, 3, 3},
       {.window = 0, .block = 2, .global = 1}},
      {{"causal blocks with global tokens", ragged, ragged, 1, 3, 3, true},
       {.window = 0, .block = 2, .global = 2}},
      {{"window of a grid", {6, 6}, {6, 6}, 2, 3, 3}, {.window = 1, .block = 3, .is_grid = true}},
      {{"window of a grid behind a class token", {10}, {10}, 2, 3, 3},
       {.window = 1, .block = 3, .global = 1, .is_grid = true}},
      {{"two heads of keys for four", ragged, other, 4, 3, 2}, {}, ScoreFunction::kSoftmax, 2},
      {{"one head of keys, causal, with dropout", ragged, ragged, 3, 2, 2, true, 0.4},
       {},
       ScoreFunction::kSoftmax,
       1},
      {{"slopes", ragged, ragged, 2, 3, 3}, {}, ScoreFunction::kSoftmax, 0, 0, true},
      {{"bias table", ragged, ragged, 2, 3, 3}, {}, ScoreFunction::kSoftmax, 0, 5},
      {{"bias table in cross-attention, causal", ragged, other, 2, 3, 3, true},
       {.window = 2},
       ScoreFunction::kSoftmax,
       1,
       3,
       true},
      {{"long window", long_ones, long_ones, 2, 16, 9}, {.window = 20}},
      {{"long causal window", long_ones, long_ones, 2, 16, 16, true}, {.window = 7}},
      {{"long blocks with global tokens", {70, 300}, {70, 300}, 2, 16, 16},
       {.window = 1, .block = 16, .global = 3}},
      {{"long window of a grid", {145, 145}, {145, 145}, 2, 16, 16},
       {.window = 2, .block = 12, .global = 1, .is_grid = true}},
      {{"a long head of keys, so that its heads of queries are shared out", {513}, {513}, 8, 3, 2},
       {.window = 3},
       ScoreFunction::kSoftmax,
       1},
      {{"long window with dropout", {3, 200}, {3, 200}, 2, 8, 8, false, 0.3}, {.window = 30}},
      {{"long bias table", long_ones, long_ones, 4, 8, 8, true},
       {},
       ScoreFunction::kSoftmax,
       2,
       33,
       true},
  };
  const std::pair<const char*, ScoreFunction> functions[] = {
      {"softmax", ScoreFunction::kSoftmax},     {"relu", ScoreFunction::kRelu},
      {"relu2", ScoreFunction::kSquaredRelu},   {"sigmoid", ScoreFunction::kSigmoid},
      {"sparsemax", ScoreFunction::kSparsemax}, {"entmax15", ScoreFunction::kEntmax15}};
  for (const auto& [name, function] : functions) {
    all.push_back({{name, ragged, ragged, 2, 3, 3, false, 0, 2}, {.window = 2}, function});
    all.push_back({{name, {5}, {5}, 1, 3, 3, true, 0.3, 2}, {}, function, 1, 3});
    all.push_back({{name, long_ones, {33, 4, 2, 140}, 2, 16, 16, false, 0, 1}, {}, function, 1});
  }
  for (const double dropout : {0.0, 0.3}) {
    all.push_back({.of = {"soft cap", ragged, other, 2, 3, 3, false, dropout, 1.5},
                   .table_rows = 5,
                   .soft_cap = 0.8});
    all.push_back({.of = {"long causal soft cap", long_ones, long_ones, 2, 16, 9, true, dropout, 1},
                   .pattern = {.window = 20},
                   .key_heads = 1,
                   .soft_cap = 2});
  }
  for (const GeneralCase& c : all) put_general(cases, c);
}

// Rules that read positions where these are not indices; the long sequences have three tiles of
// keys. A query that sees no key, as some where one side alone is placed, has the output 0.
void add_placed_attention(Cases& cases) {
  const std::vector<int32_t> ragged{3, 0, 1, 6}, long_ones{7, 0, 1, 300}, fewer{3, 0, 1, 90};
  const AttentionPattern sparse{.window = 1, .block = 16, .global = 3};
  const auto softmax = ScoreFunction::kSoftmax;
  const GeneralCase rules[] = {
      {{"causal", ragged, ragged, 2, 3, 3, true}, {.window = 4}, softmax, 0, 0, true},
      {{"blocks and a table", ragged, ragged, 2, 3, 3},
       {.window = 0, .block = 4, .global = 2},
       softmax,
       1,
       5},
      {{"long causal", long_ones, long_ones, 2, 8, 5, true}},
      {{"long window", long_ones, long_ones, 2, 8, 5}, {.window = 20}},
      {{"long causal window with dropout", long_ones, long_ones, 2, 8, 5, true, 0.2},
       {.window = 30}},
      {{"long blocks", long_ones, long_ones, 2, 8, 5}, sparse},
      {{"long causal blocks", long_ones, long_ones, 2, 8, 5, true}, sparse, softmax, 1},
      {{"long slopes", fewer, long_ones, 2, 8, 5}, {}, softmax, 0, 0, true},
      {{"long causal table", fewer, long_ones, 4, 8, 8, true}, {.window = 60}, softmax, 2, 33},
  };
  const Places everywhere[] = {{", gapped", gapped, gapped},
                               {", shuffled", shuffled, shuffled},
                               {", in runs", in_runs, in_runs},
                               {", keys alone late", nullptr, late},
                               {", queries alone gapped", gapped, nullptr}};
  for (const Places& places : everywhere) {
    for (GeneralCase c : rules) {
      c.places = places;
      put_general(cases, c);
    }
  }
}

void add_linear_attention(Cases& cases) {
  const std::vector<int32_t> ragged{3, 0, 1, 6}, other{2, 3, 1, 5}, long_ones{70, 0, 1, 133};
  const AttentionCase all[] = {
      {"self", ragged, ragged, 2, 3, 3},
      {"causal", ragged, ragged, 2, 3, 2, true},
      {"cross, values wider", ragged, other, 1, 2, 5},
      {"a source without keys", {2, 1, 3}, {3, 0, 1}, 2, 3, 3},
      {"causal, fewer keys than queries", {4}, {2}, 1, 2, 2, true},
      {"causal, more keys than queries", {2}, {4}, 1, 2, 2, true},
      {"nothing", {0, 0}, {0, 0}, 2, 3, 3},
      {"long", long_ones, long_ones, 3, 17, 9},
      {"long causal", long_ones, long_ones, 2, 16, 16, true},
      {"long causal, fewer keys", {150, 3}, {60, 100}, 2, 16, 15, true},
      {"long cross", long_ones, {33, 4, 2, 140}, 2, 8, 24},
  };
  for (const AttentionCase& c : all) {
    for (const bool by_weight : {true, false}) {
      const LinearAttentionParams params{lengths(c.queries), lengths(c.keys), c.heads, c.causal,
                                         by_weight};
      const int64_t n = params.queries->count(), m = params.keys->count();
      OpCase put = fused(
          fmt::format("linear attention {}, {}", by_weight ? "by weight" : "by number", c.name),
          {{n, c.heads * c.key_size}, {m, c.heads * c.key_size}, {m, c.heads * c.value_size}},
          [params](Inputs in, Tape* tape) {
            const auto positive = [&](const Tensor& x) {
              return params.by_weight ? activate(Activation::kEluPlusOne, x, tape) : x;
            };
            return linear_attention(positive(in[0]), positive(in[1]), in[2], params, tape);
          });
      cases.push_back(n > 50 ? large(std::move(put)) : std::move(put));
    }
  }
}

void add_tied_attention(Cases& cases) {
  const std::vector<int32_t> ragged{3, 0, 1, 4};
  const AttentionParams params = params_of({"", ragged, ragged, 2, 3, 3, true, 0.2});
  cases.push_back(fused("attention of one tensor", {{8, 6}}, [params](Inputs in, Tape* tape) {
    return attention(in[0], in[0], in[0], params, tape);
  }));
  cases.push_back(fused(
      "attention with keys as values", {{8, 6}, {8, 6}},
      [params](Inputs in, Tape* tape) { return attention(in[0], in[1], in[1], params, tape); }));
  cases.push_back(fused(
      "attention on parts of one product", {{8, 4}, {18, 4}}, [params](Inputs in, Tape* tape) {
        const Tensor qkv = linear(in[0], {in[1], Tensor()}, Activation::kNone, tape);
        const auto part = [&](int64_t i) { return qkv.col_range(6 * i, 6 * i + 6); };
        const std::vector<Tensor> parts = tape != nullptr
                                              ? tape->split(qkv, {6, 6, 6})
                                              : std::vector<Tensor>{part(0), part(1), part(2)};
        return attention(parts[0], parts[1], parts[2], params, tape);
      }));
}

void add_projection_loss(Cases& cases) {
  struct Size {
    int64_t n, d, v;
  };
  for (const Size s :
       {Size{1, 2, 1}, Size{1, 3, 5}, Size{6, 3, 7}, Size{515, 1, 3}, Size{1100, 33, 130}}) {
    std::vector<int32_t> targets;
    for (int64_t n = 0; n < s.n; ++n) targets.push_back(static_cast<int32_t>(3 * n % s.v));
    for (const double smoothing : {0.0, 0.1}) {
      for (const bool has_bias : {false, true}) {
        std::vector<Shape> inputs{{s.n, s.d}, {s.v, s.d}};
        if (has_bias) inputs.push_back({1, s.v});
        const auto run = [smoothing, weight = 1.0 / static_cast<double>(s.n),
                          ids = make_ids(targets)](Inputs in, Tape* tape) {
          const Tensor bias = in.size() > 2 ? in[2] : Tensor();
          return projection_loss(in[0], {in[1], bias}, ids, {smoothing, weight}, tape).value;
        };
        OpCase c = fused(fmt::format("projection_loss [{}, {}] to {}, smoothing {}{}", s.n, s.d,
                                     s.v, smoothing, has_bias ? ", bias" : ""),
                         std::move(inputs), run);
        cases.push_back(s.n > 1000 ? large(std::move(c)) : std::move(c));
      }
    }
  }
  for (const Size s : {Size{6, 3, 7}, Size{1100, 33, 130}}) {
    OpCase c = fused(fmt::format("projection_loss [{}, {}] to {}, capped", s.n, s.d, s.v),
                     {{s.n, s.d}, {s.v, s.d}, {1, s.v}},
                     [ids = make_ids(std::vector<int32_t>(s.n, 2)),
                      weight = 1.0 / static_cast<double>(s.n)](Inputs in, Tape* tape) {
                       const OutputLayer layer{{in[1], in[2]}, 1.5};
                       return projection_loss(in[0], layer, ids, {0.1, weight}, tape).value;
                     });
    cases.push_back(s.n > 1000 ? large(std::move(c)) : std::move(c));
  }
  cases.push_back(
      fused("projection_loss onto its own input, scaled", {{4, 3}},
            [ids = make_ids({3, 0, 1, 1})](Inputs in, Tape* tape) {
              return scale(projection_loss(in[0], {in[0], Tensor()}, ids, {0.1, 0.5}, tape).value,
                           -2, tape);
            }));
}

void add_sinkhorn(Cases& cases) {
  struct Size {
    int64_t matrices, size, steps;
  };
  for (const Size s :
       {Size{1, 1, 1}, Size{1, 5, 1}, Size{3, 4, 3}, Size{1, 17, 5}, Size{5, 66, 4}}) {
    OpCase c = fused(fmt::format("sinkhorn of {} of {}, {} steps", s.matrices, s.size, s.steps),
                     {{s.matrices * s.size, s.size}}, [steps = s.steps](Inputs in, Tape* tape) {
                       return sinkhorn(in[0], steps, tape);
                     });
    cases.push_back(s.size > 50 ? large(std::move(c)) : std::move(c));
  }
}

}  // namespace

void add_fused_cases(Cases& cases) {
  add_residual_norm(cases);
  add_embed(cases);
  add_attention(cases);
  add_general_attention(cases);
  add_placed_attention(cases);
  add_linear_attention(cases);
  add_tied_attention(cases);
  add_projection_loss(cases);
  add_sinkhorn(cases);
}

}  // namespace weft::ops::test
