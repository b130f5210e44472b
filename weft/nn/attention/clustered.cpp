#include "weft/nn/attention/clustered.h"

#include <algorithm>
#include <cmath>

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/embedding.h"
#include "weft/kernels/gemm.h"
#include "weft/kernels/reduce.h"
#include "weft/nn/attention/config.h"
#include "weft/nn/attention/kv_cache.h"
#include "weft/nn/attention/qk_norm.h"
#include "weft/nn/attention/scored.h"
#include "weft/nn/norm.h"
#include "weft/ops/add.h"
#include "weft/ops/matmul.h"
#include "weft/ops/reshape.h"
#include "weft/ops/scale.h"
#include "weft/ops/select_rows.h"

namespace weft::nn {
namespace {

constexpr double kSmall = 1e-6, kMomentum = 0.99, kSelfScore = -1e4;

// Added to scores: kSelfScore at a distance of 0.
ops::PositionBias bias_against_self(DType dtype) {
  ops::PositionBias bias;
  bias.table = Tensor::zeros({3, 1}, dtype);
  backend_of(bias.table)(kernels::Fill{.y = bias.table.row_range(1, 2), .value = kSelfScore});
  return bias;
}

// Rows of [N*H, K], those of one sentence, head and cluster side by side.
struct Groups {
  ops::Selection selection;
  ops::RowsPtr rows;
  std::vector<int64_t> owners;  // b*H + h of each
};

Groups group(const ops::Rows& rows, const std::vector<int32_t>& clusters, int64_t heads) {
  const auto count = static_cast<int32_t>(heads);
  auto grouped = std::make_shared<ops::Rows>();
  std::vector<int64_t> owners;
  std::vector<int32_t> at;
  at.reserve(clusters.size());
  const Segments& sentences = rows.segments;
  for (int64_t b = 0; b < sentences.count(); ++b) {
    for (int32_t h = 0; h < count; ++h) {
      const auto begin = std::ssize(at);
      for (int32_t n = sentences.begin(b); n < sentences.end(b); ++n) at.push_back(n * count + h);
      std::stable_sort(at.begin() + begin, at.end(),
                       [&](int32_t i, int32_t j) { return clusters[i] < clusters[j]; });
      for (auto i = begin; i < std::ssize(at); ++i) {
        const int32_t row = at[i] / count;
        grouped->sentence.push_back(rows.sentence[row] * count + h);
        grouped->position.push_back(rows.position[row]);
        const bool is_last = i + 1 == std::ssize(at) || clusters[at[i]] != clusters[at[i + 1]];
        if (!is_last) continue;
        grouped->segments.append(i + 1 - grouped->segments.rows());
        owners.push_back(b * count + h);
      }
    }
  }
  return {ops::make_selection(std::move(at), std::ssize(clusters)), std::move(grouped),
          std::move(owners)};
}

// Adds a share of the weights of groups to those of sentences and heads, the last of `trace`.
void add_to_trace(const Groups& groups, const ops::AttentionTrace& weights, const ops::Rows& rows,
                  double share, std::span<Tensor> trace) {
  const int64_t heads = std::ssize(trace) / rows.sentences();
  for (size_t g = 0; g < weights.size(); ++g) {
    const Tensor& whole = trace[static_cast<size_t>(groups.owners[g])];  // [n, n]
    const int32_t first = rows.segments.begin(groups.owners[g] / heads);
    const Tensor units = Tensor::zeros({weights[g].rows(), whole.rows()}, whole.dtype());
    for (int64_t i = 0; i < units.rows(); ++i) {
      const int64_t member =
          (*groups.selection.at)[groups.rows->segments.offsets[g] + i] / heads - first;
      backend_of(units)(
          kernels::Fill{.y = units.row_range(i, i + 1).col_range(member, member + 1), .value = 1});
    }
    const Tensor tall = ops::matmul(units, weights[g], {.a = true}, nullptr);  // [n, m]
    backend_of(whole)(kernels::Accumulate{
        .alpha = share, .x = ops::matmul(tall, units, {}, nullptr), .y = whole});
  }
}

// Room in a trace for the weights of each sentence and head.
std::span<Tensor> open_trace(const ops::Rows& rows, int64_t heads, DType dtype,
                             ops::AttentionTrace& trace) {
  const size_t before = trace.size();
  for (int64_t b = 0; b < rows.sentences(); ++b) {
    const int64_t length = rows.segments.length(b);
    for (int64_t h = 0; h < heads; ++h) trace.push_back(Tensor::zeros({length, length}, dtype));
  }
  return std::span(trace).subspan(before);
}

// The new centroids [H*c, K] in place: a share of the mean direction of those that have rows, whose
// keys have a length of sqrt(K).
void move_centroids(const Tensor& centroids, const Tensor& sums, std::span<const int32_t> counts) {
  const double key_length = std::sqrt(static_cast<double>(centroids.cols()));
  for (int64_t m = 0; m < centroids.rows(); ++m) {
    if (counts[m] == 0) continue;
    const auto at = centroids.row_range(m, m + 1);
    const auto& backend = backend_of(at);
    backend(kernels::Scale{.alpha = kMomentum, .x = at, .y = at});
    backend(kernels::Accumulate{.alpha = (1 - kMomentum) / (counts[m] * key_length),
                                .x = sums.row_range(m, m + 1),
                                .y = at});
    const double length = std::sqrt(sum_of_squares(at));
    if (length > 0) backend(kernels::Scale{.alpha = 1 / length, .x = at, .y = at});
  }
}

}  // namespace

ClusteredAttention::ClusteredAttention(const Clustering& wanted) : how(wanted) {
  const int64_t kept = how.by_hash ? how.clusters / 2 : how.clusters;
  vectors = Parameter({1, how.rounds * how.heads * kept * how.key_size}, Init::kNormal);
  vectors.is_statistic = true;
}

std::vector<int32_t> ClusteredAttention::clusters_of(const Tensor& k, int64_t round) const {
  const int64_t kept = how.by_hash ? how.clusters / 2 : how.clusters, size = how.key_size;
  // In F32 where k is BF16.
  const DType dtype = sum_type(k.dtype());
  const Tensor keys = k.dtype() == dtype ? k : k.to(dtype), known = vectors.value;
  Tensor all = (known.dtype() == dtype ? known : known.to(dtype))
                   .reshape({how.rounds * how.heads * kept, size});
  if (!how.by_hash) all = norm_heads(all, size, kSmall, nullptr);
  const auto& backend = backend_of(keys);
  std::vector<int32_t> out(static_cast<size_t>(k.rows() * how.heads)), of_head(k.rows());
  for (int64_t h = 0; h < how.heads; ++h) {
    const int64_t begin = (round * how.heads + h) * kept;
    const Tensor likeness = Tensor::empty({k.rows(), how.clusters}, dtype);  // [N, c]
    const Tensor first = likeness.col_range(0, kept);
    // Dense, so that a row's product has the same bits at any number of rows.
    const Tensor own = keys.col_range(h * size, (h + 1) * size).clone();
    backend(kernels::Gemm{
        .a = own, .b = all.row_range(begin, begin + kept), .c = first, .transpose_b = true});
    if (how.by_hash)
      backend(kernels::Scale{.alpha = -1, .x = first, .y = likeness.col_range(kept, 2 * kept)});
    backend(kernels::RowArgmax{.x = likeness, .index = of_head.data()});
    for (int64_t n = 0; n < k.rows(); ++n) out[n * how.heads + h] = of_head[n];
  }
  return out;
}

void ClusteredAttention::tell_statistics(const Tensor& k, const std::vector<int32_t>& clusters,
                                         Context& context) const {
  if (how.by_hash || !context.training || context.statistics == nullptr) return;
  if (vectors.is_frozen) return;
  const int64_t count = how.heads * how.clusters;
  std::vector<int32_t> ids(clusters.size()), counts(static_cast<size_t>(count));
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto head = static_cast<int64_t>(i) % how.heads;
    ids[i] = static_cast<int32_t>(head * how.clusters) + clusters[i];
    ++counts[static_cast<size_t>(ids[i])];
  }
  const Tensor rows = ops::reshape(k, {std::ssize(ids), how.key_size}, nullptr);  // [N*H, K]
  const Tensor sums = Tensor::zeros({count, how.key_size}, sum_type(k.dtype()));  // [H*c, K]
  backend_of(k)(
      kernels::EmbeddingBackward{.ids = ids.data(), .scale = 1, .d_y = rows, .d_table = sums});
  context.statistics->push_back({{&vectors}, [sums, counts](std::span<const Tensor> running) {
                                   move_centroids(running[0].reshape(sums.shape()), sums, counts);
                                 }});
}

Tensor ClusteredAttention::among_rows(const Tensor& q, const Tensor& k, const SelfInput& in,
                                      Context& context) const {
  autograd::Tape* tape = context.tape;
  const int64_t heads = how.heads, count = q.rows() * heads;
  const auto tall = [&](const Tensor& x) {
    return ops::reshape(x, {count, x.cols() / heads}, tape);  // [N*H, K]
  };
  const Tensor queries = tall(q), keys = tall(k), values = tall(in.v);
  std::span<Tensor> trace;
  if (context.trace) trace = open_trace(*in.of.rows, heads, q.dtype(), *context.trace);
  Tensor sum;
  for (int64_t round = 0; round < how.rounds; ++round) {
    const std::vector<int32_t> clusters = clusters_of(k, round);
    tell_statistics(k, clusters, context);
    const Groups groups = group(*in.of.rows, clusters, heads);
    const auto grouped = [&](const Tensor& x) { return select_rows(x, groups.selection, tape); };
    ops::AttentionTrace weights;
    const ops::AttentionRule rule{.queries = groups.rows,
                                  .keys = groups.rows,
                                  .scale = in.options.scale,
                                  .causal = in.of.causal,
                                  .dropout = context.dropout(in.options.dropout, groups.rows),
                                  .trace = context.trace ? &weights : nullptr,
                                  .function = in.options.function,
                                  .bias = bias_against_self(q.dtype())};
    const Tensor seen =
        ops::attention(grouped(queries), grouped(keys), grouped(values), rule, tape);
    if (context.trace) {
      add_to_trace(groups, weights, *in.of.rows, 1.0 / static_cast<double>(how.rounds), trace);
    }
    const Tensor here = ops::select_rows(seen, ops::inverse(groups.selection), tape);
    sum = sum ? ops::add(sum, here, tape) : here;  // [N*H, Kv]
  }
  if (how.rounds > 1) sum = ops::scale(sum, 1.0 / static_cast<double>(how.rounds), tape);
  return ops::reshape(sum, {q.rows(), heads * sum.cols()}, tape);  // [N, H*Kv]
}

// Row (w, h) of the step reads row (r, h) of the cache where both are of one cluster.
Tensor ClusteredAttention::among_cached(const Tensor& q, const Tensor& k, const SelfInput& in,
                                        KvCache& cache) const {
  const auto heads = static_cast<int32_t>(how.heads);
  const int64_t steps = q.rows(), marks = how.rounds * heads;
  std::vector<int32_t> own(static_cast<size_t>(steps * marks));  // [W, R*H]
  for (int64_t round = 0; round < how.rounds; ++round) {
    const std::vector<int32_t> of_round = clusters_of(k, round);
    for (int64_t w = 0; w < steps; ++w) {
      std::copy_n(of_round.data() + w * heads, heads, own.data() + w * marks + round * heads);
    }
  }
  cache.write_self(k, in.v);
  cache.write_groups(own, marks);
  const auto tall = [&](const Tensor& x) {
    return x.reshape({x.rows() * heads, x.cols() / heads});
  };
  const KvRows kept{tall(cache.layer().self.keys), tall(cache.layer().self.values)};
  const Tensor queries = ops::reshape(q, {steps * heads, q.cols() / heads}, nullptr);
  const ops::PositionBias bias = bias_against_self(q.dtype());
  kernels::CachedAttention call = cached_rule(in.options);
  call.heads = 1;
  call.bias = bias.view();
  Tensor sum;
  for (int64_t round = 0; round < how.rounds; ++round) {
    SeenRows seen;
    std::vector<int32_t> rows;
    for (int64_t i = 0; i < steps * heads; ++i) {
      const int64_t mark = round * heads + i % heads;
      rows.clear();
      for (const int32_t r : cache.self().of(i / heads)) {
        const bool is_together = cache.groups_of(r)[mark] == own[i / heads * marks + mark];
        if (is_together) rows.push_back(r * heads + static_cast<int32_t>(i % heads));
      }
      seen.add(rows);
    }
    const Tensor here = cached_attention(queries, kept, seen, call);  // [W*H, Kv]
    sum = sum ? ops::add(sum, here, nullptr) : here;
  }
  if (how.rounds > 1) sum = ops::scale(sum, 1.0 / static_cast<double>(how.rounds), nullptr);
  return ops::reshape(sum, {steps, heads * sum.cols()}, nullptr);  // [W, H*Kv]
}

Tensor ClusteredAttention::operator()(const SelfInput& in, Context& context) const {
  const Tensor k = norm_heads(in.q, how.key_size, kSmall, context.tape);  // [N, H*K]
  if (context.cache != nullptr && in.of.causal) return among_cached(in.q, k, in, *context.cache);
  return among_rows(in.q, k, in, context);
}

void ClusteredOptions::check() const {
  check_given(kName, "--attention-clusters", clusters);
  if (clustering.is<HashOptions>() && clusters % 2 != 0) {
    fail<OptionError>("--attention-clusters",
                      "hashing has a bucket on both sides of each direction; expected an even "
                      "number, got {}",
                      clusters);
  }
}

ClusteredAttention ClusteredOptions::make(const AttentionSizes& sizes) const {
  const auto* hash = clustering.get_if<HashOptions>();
  return ClusteredAttention({.heads = sizes.heads,
                             .key_size = sizes.key_size,
                             .clusters = clusters,
                             .by_hash = hash != nullptr,
                             .rounds = hash == nullptr ? 1 : hash->rounds});
}

}  // namespace weft::nn
