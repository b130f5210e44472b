#include "weft/nn/attention/kinds/clustered.h"

#include <algorithm>
#include <cmath>

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/embedding.h"
#include "weft/kernels/gemm.h"
#include "weft/kernels/reduce.h"
#include "weft/nn/attention/config.h"
#include "weft/nn/attention/observed.h"
#include "weft/nn/attention/qk_norm.h"
#include "weft/nn/norm.h"
#include "weft/ops/add.h"
#include "weft/ops/matmul.h"
#include "weft/ops/reshape.h"
#include "weft/ops/rows/select_rows.h"
#include "weft/ops/scale.h"

namespace weft::nn {
namespace {

constexpr double kSmall = 1e-6, kMomentum = 0.99, kSelfScore = -1e4;

// Centroids, or hashes of two buckets each.
int64_t vectors_of_head(const Clustering& c) { return c.by_hash ? c.clusters / 2 : c.clusters; }

// Added to scores: kSelfScore at a distance of 0.
ops::PositionBias bias_against_self(int64_t heads, DType dtype) {
  ops::PositionBias bias;
  bias.table = Tensor::zeros({3, heads}, dtype);
  backend_of(bias.table)(kernels::Fill{.y = bias.table.row_range(1, 2), .value = kSelfScore});
  return bias;
}

// Rows of [N*H, K], those of one sequence, head and cluster side by side.
struct Groups {
  ops::Selection selection;
  ops::LayoutPtr rows;
  std::vector<int64_t> owners;  // b*H + h of each
};

Groups group(const ops::Layout& rows, const std::vector<int32_t>& clusters, int64_t heads) {
  const auto count = static_cast<int32_t>(heads);
  auto grouped = std::make_shared<ops::Layout>();
  std::vector<int64_t> owners;
  std::vector<int32_t> at;
  at.reserve(clusters.size());
  const Segments& sequences = rows.segments;
  for (int64_t b = 0; b < sequences.count(); ++b) {
    for (int32_t h = 0; h < count; ++h) {
      const auto begin = std::ssize(at);
      for (int32_t n = sequences.begin(b); n < sequences.end(b); ++n) at.push_back(n * count + h);
      std::stable_sort(at.begin() + begin, at.end(),
                       [&](int32_t i, int32_t j) { return clusters[i] < clusters[j]; });
      for (auto i = begin; i < std::ssize(at); ++i) {
        const int32_t row = at[i] / count;
        grouped->sequence.push_back(rows.sequence[row] * count + h);
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

// Probabilities [T, S] of each sequence and head, summed over rounds.
using Matrices = std::vector<Tensor>;

Matrices zero_matrices(const ops::Layout& rows, int64_t heads, DType dtype) {
  Matrices out;
  for (int64_t b = 0; b < rows.sequences(); ++b) {
    const int64_t length = rows.segments.length(b);
    for (int64_t h = 0; h < heads; ++h) out.push_back(Tensor::zeros({length, length}, dtype));
  }
  return out;
}

// Adds `share` of the probabilities among the rows of each group to those of its sequence and head.
void add_groups(const Groups& groups, const ObservedAttention& attention, const ops::Layout& rows,
                double share, const Matrices& sums) {
  const int64_t heads = std::ssize(sums) / rows.sequences();
  for (size_t g = 0; g < groups.owners.size(); ++g) {
    const Tensor p = attention.probabilities({static_cast<int64_t>(g), 0}, nullptr);  // [n, n]
    const Tensor& sum = sums[static_cast<size_t>(groups.owners[g])];
    const int32_t first = rows.segments.begin(groups.owners[g] / heads);
    const auto row_of = [&](int64_t i) {
      return (*groups.selection.from)[groups.rows->segments.offsets[g] + i] / heads - first;
    };
    for (int64_t i = 0; i < p.rows(); ++i) {
      for (int64_t j = 0; j < p.cols(); ++j) {
        const Tensor to =
            sum.row_range(row_of(i), row_of(i) + 1).col_range(row_of(j), row_of(j) + 1);
        backend_of(sum)(kernels::Accumulate{
            .alpha = share, .x = p.row_range(i, i + 1).col_range(j, j + 1), .y = to});
      }
    }
  }
}

ObservedFunction observed(const Matrices& matrices, int64_t examples, int64_t heads) {
  return {examples, heads, [&matrices, heads](const ops::SequenceHead& which) {
            return matrices[static_cast<size_t>(which.sequence * heads + which.head)];
          }};
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

ClusteredAttention::ClusteredAttention(const Clustering& wanted) : clustering(wanted) {
  const int64_t count = vectors_of_head(clustering);
  vectors = Parameter({1, wanted.rounds * wanted.heads * count * wanted.key_size}, Init::kNormal);
  vectors.is_buffer = true;
}

std::vector<int32_t> ClusteredAttention::clusters_of(const Tensor& k, int64_t round) const {
  const int64_t count = vectors_of_head(clustering), size = clustering.key_size;
  // In F32 where k is BF16.
  const DType dtype = sum_type(k.dtype());
  const Tensor keys = k.dtype() == dtype ? k : k.to(dtype), known = vectors.value;
  Tensor all = (known.dtype() == dtype ? known : known.to(dtype))
                   .reshape({clustering.rounds * clustering.heads * count, size});
  if (!clustering.by_hash) all = norm_heads(all, size, kSmall, nullptr);
  const auto& backend = backend_of(keys);
  std::vector<int32_t> out(static_cast<size_t>(k.rows() * clustering.heads)), of_head(k.rows());
  for (int64_t h = 0; h < clustering.heads; ++h) {
    const int64_t begin = (round * clustering.heads + h) * count;
    const Tensor similarity = Tensor::empty({k.rows(), clustering.clusters}, dtype);  // [N, c]
    const Tensor first = similarity.col_range(0, count);
    // Dense, so that a row's product has the same bits at any number of rows.
    const Tensor own = keys.col_range(h * size, (h + 1) * size).clone();
    backend(kernels::Gemm{
        .a = own, .b = all.row_range(begin, begin + count), .c = first, .transpose_b = true});
    if (clustering.by_hash)
      backend(kernels::Scale{.alpha = -1, .x = first, .y = similarity.col_range(count, 2 * count)});
    backend(kernels::RowArgmax{.x = similarity, .index = of_head.data()});
    for (int64_t n = 0; n < k.rows(); ++n) out[n * clustering.heads + h] = of_head[n];
  }
  return out;
}

void ClusteredAttention::record_statistics(const Tensor& k, const std::vector<int32_t>& clusters,
                                           const Context& context) const {
  if (clustering.by_hash || !context.training || context.statistics == nullptr) return;
  if (vectors.is_frozen) return;
  const int64_t count = clustering.heads * clustering.clusters;
  std::vector<int32_t> ids(clusters.size()), counts(static_cast<size_t>(count));
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto head = static_cast<int64_t>(i) % clustering.heads;
    ids[i] = static_cast<int32_t>(head * clustering.clusters) + clusters[i];
    ++counts[static_cast<size_t>(ids[i])];
  }
  const Tensor rows = ops::reshape(k, {std::ssize(ids), clustering.key_size}, nullptr);  // [N*H, K]
  const Tensor sums = Tensor::zeros({count, clustering.key_size}, sum_type(k.dtype()));  // [H*c, K]
  backend_of(k)(
      kernels::EmbeddingBackward{.ids = ids.data(), .scale = 1, .d_y = rows, .d_table = sums});
  context.statistics->push_back({{&vectors}, [sums, counts](std::span<const Tensor> running) {
                                   move_centroids(running[0].reshape(sums.shape()), sums, counts);
                                 }});
}

Tensor ClusteredAttention::forward(const SelfInput& in, const Context& context) const {
  autograd::Tape* tape = context.tape;
  const Tensor k = norm_heads(in.q, clustering.key_size, kSmall, tape);  // [N, H*K]
  const ops::Layout& rows = *in.self.rows;
  const int64_t heads = clustering.heads, count = in.q.rows() * heads;
  const double share = 1.0 / static_cast<double>(clustering.rounds);
  const auto tall = [&](const Tensor& x) {
    return ops::reshape(x, {count, x.cols() / heads}, tape);  // [N*H, K]
  };
  const Tensor queries = tall(in.q), keys = tall(k), values = tall(in.v);
  const AttentionKey key = key_of(context, AttentionRole::kSelf);
  const bool is_seen = is_observed(context, key);
  const Matrices matrices =
      is_seen ? zero_matrices(rows, heads, sum_type(in.q.dtype())) : Matrices();
  Tensor sum;
  for (int64_t round = 0; round < clustering.rounds; ++round) {
    const std::vector<int32_t> clusters = clusters_of(k, round);
    record_statistics(k, clusters, context);
    const Groups groups = group(rows, clusters, heads);
    const auto grouped = [&](const Tensor& x) { return select_rows(x, groups.selection, tape); };
    const Dropout dropout{in.config.dropout,
                          in.config.dropout_stream + static_cast<uint32_t>(round)};
    const ops::AttentionParams params{.queries = groups.rows,
                                      .keys = groups.rows,
                                      .scale = in.config.scale,
                                      .causal = in.self.causal,
                                      .dropout = context.dropout(dropout, groups.rows),
                                      .function = in.config.function,
                                      .bias = bias_against_self(1, in.q.dtype()),
                                      .soft_cap = in.config.soft_cap};
    const Tensor grouped_q = grouped(queries), grouped_k = grouped(keys);
    const Tensor attended = ops::attention(grouped_q, grouped_k, grouped(values), params, tape);
    if (is_seen) {
      add_groups(groups, ObservedPass(grouped_q, grouped_k, params), rows, share, matrices);
    }
    const Tensor y = ops::select_rows(attended, ops::inverse(groups.selection), tape);
    sum = sum ? ops::add(sum, y, tape) : y;  // [N*H, Kv]
  }
  if (is_seen) context.observer->see(key, observed(matrices, rows.sequences(), heads), tape);
  if (clustering.rounds > 1) sum = ops::scale(sum, share, tape);
  return ops::reshape(sum, {in.q.rows(), heads * sum.cols()}, tape);  // [N, H*Kv]
}

namespace {

// The cached rows that each row of a pass attends to in one head: those of its own cluster.
struct ClusterRows {
  std::vector<std::vector<int32_t>> rows;
  RowLists lists;  // the same

  ClusterRows(const KvCache& cache, size_t layer, int64_t id) {
    for (const std::span<const int32_t> cached : cache.self(layer)) {
      const int32_t cluster = cache.clusters_of(layer, cached.back())[id];
      std::vector<int32_t>& same = rows.emplace_back();
      std::ranges::copy_if(cached, std::back_inserter(same), [&](int32_t row) {
        return cache.clusters_of(layer, row)[id] == cluster;
      });
    }
    lists.assign(rows.begin(), rows.end());
  }
};

// Adds `share` of the probabilities of one head's attended rows to those of all cached rows.
void add_attended(const AttendedWeights& weights, const ClusterRows& attended, const RowLists& all,
                  double share, std::span<const Tensor> sums) {
  for (size_t n = 0; n < all.size(); ++n) {
    float* const to = sums[n].data<float>();
    for (size_t i = 0; i < attended.rows[n].size(); ++i) {
      const auto s = std::ranges::find(all[n], attended.rows[n][i]) - all[n].begin();
      to[s] += static_cast<float>(share) * weights.rows[n][i];
    }
  }
}

}  // namespace

// The clusters of a pass's rows in all rounds and heads, [N, R*H].
std::vector<int32_t> ClusteredAttention::all_clusters_of(const Tensor& k) const {
  const int64_t heads = clustering.heads, ids = clustering.rounds * heads;
  std::vector<int32_t> out(static_cast<size_t>(k.rows() * ids));
  for (int64_t round = 0; round < clustering.rounds; ++round) {
    const std::vector<int32_t> in_round = clusters_of(k, round);
    for (int64_t n = 0; n < k.rows(); ++n) {
      std::copy_n(in_round.data() + n * heads, heads, out.data() + n * ids + round * heads);
    }
  }
  return out;
}

Tensor ClusteredAttention::attend_to_cache(const SelfInput& in, KvCache& cache,
                                           const Context& context) const {
  const auto layer = static_cast<size_t>(context.scope.layer);
  const int64_t heads = clustering.heads, count = in.q.rows();
  const double share = 1.0 / static_cast<double>(clustering.rounds);
  const Tensor k = norm_heads(in.q, clustering.key_size, kSmall, nullptr);  // [N, H*K]
  cache.write_self(layer, k, in.v, heads);
  cache.write_clusters(layer, all_clusters_of(k), clustering.rounds * heads);
  const ops::PositionBias bias = bias_against_self(heads, in.q.dtype());
  kernels::CachedAttention call = cached_params(in.config);
  call.bias = bias.view();
  const AttentionKey key = key_of(context, AttentionRole::kSelf);
  const bool is_seen = is_observed(context, key);
  Matrices matrices;  // [1, S] of each head and row
  for (int64_t i = 0; is_seen && i < heads * count; ++i) {
    matrices.push_back(Tensor::zeros({1, std::ssize(cache.self(layer)[i % count])}));
  }
  Tensor sum;
  for (int64_t round = 0; round < clustering.rounds; ++round) {
    const Tensor y = Tensor::empty(in.v.shape(), in.v.dtype());  // [N, H*Kv]
    for (int64_t h = 0; h < heads; ++h) {
      const ClusterRows attended(cache, layer, round * heads + h);
      std::optional<AttendedWeights> weights;
      if (is_seen) call.weights = weights.emplace(attended.lists).rows;
      call.only_head = h;
      attend_to_rows(in.q, cache.layer(layer).self, attended.lists, y, call);
      if (!is_seen) continue;
      add_attended(*weights, attended, cache.self(layer), share,
                   std::span(matrices).subspan(h * count, count));
    }
    sum = sum ? ops::add(sum, y, nullptr) : y;
  }
  if (is_seen) {
    const auto probabilities = [&](const ops::SequenceHead& which) {
      return matrices[static_cast<size_t>(which.head * count + which.sequence)];
    };
    context.observer->see(key, ObservedFunction(count, heads, probabilities), nullptr);
  }
  return clustering.rounds > 1 ? ops::scale(sum, share, nullptr) : sum;  // [N, H*Kv]
}

Tensor ClusteredAttention::prefill(const SelfInput& in, KvCache& cache,
                                   const Context& context) const {
  return attend_to_cache(in, cache, context);
}

Tensor ClusteredAttention::step(const SelfInput& in, KvCache& cache, const Context& context) const {
  return attend_to_cache(in, cache, context);
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

ClusteredAttention ClusteredOptions::make(const AttentionDims& dims) const {
  const auto* hash = clustering.get_if<HashOptions>();
  return ClusteredAttention({.heads = dims.heads,
                             .key_size = dims.key_size,
                             .clusters = clusters,
                             .by_hash = hash != nullptr,
                             .rounds = hash == nullptr ? 1 : hash->rounds});
}

}  // namespace weft::nn
