// Attention among rows of one cluster (Routing Transformer, Roy et al. 2020, arXiv 2003.05997) or
// one bucket of hashes (Reformer, Kitaev et al. 2020, arXiv 2001.04451).
#ifndef WEFT_NN_ATTENTION_KINDS_CLUSTERED_H_
#define WEFT_NN_ATTENTION_KINDS_CLUSTERED_H_

#include "weft/nn/attention/kind.h"
#include "weft/nn/attention/self_input.h"
#include "weft/nn/parameters.h"

namespace weft::nn {

struct Clustering {
  int64_t heads = 1;
  int64_t key_size = 64;
  int64_t clusters = 8;  // c
  bool by_hash = false;  // else by centroids
  int64_t rounds = 1;    // R, of hashing
};

// In each head, a row attends to the rows of its own cluster. Queries are keys too:
// k = q / |q| sqrt(K), a row's cluster being
//   by centroids, the m for which cos(k, mu_m) is greatest. The mu are no parameters of the loss:
//     after an update mu = 0.99 mu + 0.01 mean(k / |k| of m), divided by its length (spherical
//     k-means); one without rows is unchanged. The paper's clusters are of equal size instead.
//   by hash, the greatest of (k . r_1 ... k . r_c/2, -k . r_1 ... -k . r_c/2) for fixed random
//     vectors r (Andoni et al. 2015); rounds have vectors of their own, and their mean is taken.
// As queries are most similar to themselves, a row attends to itself only where it is alone. What a
// row attends to depends on no later row, so that decoding keeps the clusters of cached rows.
struct ClusteredAttention {
  static constexpr bool kHasQueries = true, kHasKeys = false;
  int64_t dropout_streams(int64_t) const { return clustering.rounds; }

  Clustering clustering;
  Parameter vectors;  // [1, R*H*m*K], of m = c centroids or c/2 hashes: for each round, head and
                      // one of these the K numbers of mu or r

  explicit ClusteredAttention(const Clustering& wanted);
  Tensor forward(const SelfInput& in, const Context& context) const;                  // [N, H*Kv]
  Tensor prefill(const SelfInput& in, KvCache& cache, const Context& context) const;  // [N, H*Kv]
  Tensor step(const SelfInput& in, KvCache& cache, const Context& context) const;     // [W, H*Kv]
  template <class V>
  void fields(V& v) {
    v(clustering.by_hash ? "rotations" : "centroids", vectors);
  }

  // The cluster of each row and head of keys [N, H*K] in a round, [N*H].
  std::vector<int32_t> clusters_of(const Tensor& k, int64_t round) const;

 private:
  std::vector<int32_t> all_clusters_of(const Tensor& k) const;
  Tensor attend_to_cache(const SelfInput& in, KvCache& cache, const Context& context) const;
  void record_statistics(const Tensor& k, const std::vector<int32_t>& clusters,
                         const Context& context) const;
};

// How rows get their clusters.
struct CentroidOptions {
  static constexpr std::string_view kName = "centroids";
  static constexpr std::string_view kHelp =
      "the nearest of centroids that follow the rows (Roy et al. 2020, arXiv 2003.05997)";
};
struct HashOptions {
  static constexpr std::string_view kName = "hash";
  static constexpr std::string_view kHelp =
      "a hash by random directions (Kitaev et al. 2020, arXiv 2001.04451)";

  int64_t rounds = 1;

  template <class V>
  void fields(V& v) {
    v("attention-rounds", rounds,
      {.help = "hashes whose attention is averaged in clustered attention by hash",
       .min = 1,
       .max = 64});
  }
};

struct ClusteredOptions {
  static constexpr std::string_view kName = "clustered";
  static constexpr std::string_view kHelp = "those of its own of --attention-clusters clusters";
  static constexpr AttentionLimits kLimits = {
      .elementwise =
          "hides a row from itself, unless it is alone, by a score far below all others; expected "
          "softmax, sparsemax or entmax15, which compare scores",
      .key_heads = "has keys that are the queries; expected 0",
      .qk_norm = "norms its keys in any case",
      .score_bias =
          "groups rows, whose distances are then lost; expected none, index, sinusoidal or learned",
      .rotary =
          "groups rows by what they are, not by where they stand; expected none, index, sinusoidal "
          "or learned",
      .pruning = "has clusters of every head in each layer; expected another kind"};

  int64_t clusters = 0;
  options::OneOf<CentroidOptions, HashOptions> clustering = {};

  template <class V>
  void fields(V& v) {
    v("attention-clusters", clusters,
      {.help = "clusters or buckets of each head in clustered attention; required for it",
       .min = 0,
       .max = 1048576});
    options::choice(v, "attention-clustering", clustering,
                    {.help = "what decides a row's cluster"});
  }
  // Throws OptionError.
  void check() const;
  ClusteredAttention make(const AttentionDims& dims) const;
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_KINDS_CLUSTERED_H_
