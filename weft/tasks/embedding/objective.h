// The losses of embedders.
#ifndef WEFT_TASKS_EMBEDDING_OBJECTIVE_H_
#define WEFT_TASKS_EMBEDDING_OBJECTIVE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "weft/data/batch.h"
#include "weft/models/embedder.h"
#include "weft/nn/context.h"
#include "weft/ops/losses/cross_entropy.h"
#include "weft/options/fields.h"
#include "weft/options/one_of.h"

namespace weft::tasks {

// in-batch for texts, cosent for scores.
struct LossByData {
  static constexpr std::string_view kName = "auto";
  static constexpr std::string_view kHelp = "in-batch for --format texts, cosent for scores";
};
struct InBatchLoss {
  static constexpr std::string_view kName = "in-batch";
  static constexpr std::string_view kHelp =
      "the second text is found by the first among all others of the mini-batch, those of later "
      "columns included (InfoNCE; van den Oord et al. 2018, arXiv 1807.03748; Henderson et al. "
      "2017, arXiv 1705.00652)";
  bool symmetric = false;

  template <class V>
  void fields(V& v) {
    v("symmetric", symmetric,
      {.help = "the first text is found by the second as well: the mean of both losses"});
  }
};
struct TripletLoss {
  static constexpr std::string_view kName = "triplet";
  static constexpr std::string_view kHelp =
      "the second text is nearer to the first than texts of later columns, by a margin (Schroff "
      "et al. 2015, arXiv 1503.03832)";
  double margin = 0.2;

  template <class V>
  void fields(V& v) {
    v("triplet-margin", margin, {.help = "in cosines", .min = 0, .max = 2});
  }
};
struct CoSentLoss {
  static constexpr std::string_view kName = "cosent";
  static constexpr std::string_view kHelp =
      "cosines are in the order of the scores (ops/losses/cosent.h)";
};
struct CosineLoss {
  static constexpr std::string_view kName = "cosine";
  static constexpr std::string_view kHelp =
      "squared difference of cosine and score, which is -1 to 1 (Reimers and Gurevych 2019, arXiv "
      "1908.10084)";
};

struct EmbeddingObjective {
  options::OneOf<LossByData, InBatchLoss, TripletLoss, CoSentLoss, CosineLoss> loss = {};
  double similarity_scale = 20;
  std::vector<int64_t> matryoshka = {};

  template <class V>
  void fields(V& v) {
    options::group(v, "Objective");
    options::choice(v, "loss", loss, {.help = "of vectors of length one"});
    options::belongs_to<LossByData, InBatchLoss, CoSentLoss>(v, "loss", &loss.selection(), [&] {
      v("similarity-scale", similarity_scale,
        {.help = "factor of cosines, 1 / temperature", .min = 0.01, .max = 1000});
    });
    v("matryoshka", matryoshka,
      {.help = "the loss is the mean over vectors cut to these lengths and whole ones, so that the "
               "vectors may be cut later (Kusupati et al. 2022, arXiv 2205.13147)",
       .min = 1,
       .max = 65536});
  }

  // With `auto` decided.
  EmbeddingObjective of_data(bool has_scores) const;
  // Whether the loss of an example depends on the others of its mini-batch.
  bool compares_examples() const;
  // Throws OptionError for a loss that these data have nothing for.
  void check(bool has_scores, int64_t columns) const;
};

// Vectors [B * k, E] of the k texts of each example after each other, of a batch of
// data::TextGroups. Encodes `cached` texts at a time, and again in backward (GradCache; Gao et al.
// 2021, arXiv 2101.06983); 0: all at once, without encoding again.
Tensor embedding_vectors(const models::Embedder& model, const data::Batch& batch, int64_t cached,
                         const nn::Context& context);
// Of these vectors: the sum over examples times `weight`.
ops::Loss embedding_loss(const Tensor& x, const data::Batch& batch,
                         const EmbeddingObjective& objective, double weight, ops::Tape* tape);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_EMBEDDING_OBJECTIVE_H_
