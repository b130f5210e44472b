#include "weft/tasks/embedding/objective.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "weft/autograd/recompute.h"
#include "weft/core/error.h"
#include "weft/data/sequences/sequence_numbers.h"
#include "weft/ops/activation.h"
#include "weft/ops/add.h"
#include "weft/ops/convert.h"
#include "weft/ops/losses/cosent.h"
#include "weft/ops/losses/regression.h"
#include "weft/ops/matmul.h"
#include "weft/ops/reshape.h"
#include "weft/ops/rows/unit_rows.h"
#include "weft/ops/scale.h"
#include "weft/ops/slice.h"
#include "weft/ops/sum.h"

namespace weft::tasks {
namespace {

using ops::Loss, ops::Tape;

constexpr float kHidden = -1e9F;  // the score of a text that is no other

// The loss of vectors that are cut to one length.
class VectorLoss {
 public:
  VectorLoss(const data::Batch& batch, const EmbeddingObjective& objective, double weight,
             Tape* tape)
      : batch_(batch), objective_(objective), weight_(weight), tape_(tape) {
    if (objective.loss.is<InBatchLoss>()) find_equal_texts();
  }

  // x [B * k, E] of length one, the k texts of each example after each other.
  Loss operator()(const Tensor& x) const {
    if (objective_.loss.is<CoSentLoss>()) return order(x);
    if (objective_.loss.is<CosineLoss>()) return difference(x);
    return objective_.loss.is<TripletLoss>() ? triplets(x) : in_batch(x);
  }

 private:
  int64_t examples() const { return batch_.size(); }  // B
  int64_t columns(const Tensor& x) const { return x.rows() / examples(); }

  // [B, E], the texts of a column.
  Tensor column(const Tensor& x, int64_t c) const {
    const Tensor rows = ops::reshape(x, {examples(), columns(x) * x.cols()}, tape_);  // [B, k * E]
    return ops::slice_cols(rows, c * x.cols(), (c + 1) * x.cols(), tape_);
  }
  // [B, 1]
  Tensor cosines(const Tensor& x, int64_t a, int64_t b) const {
    const Tensor products = ops::multiply(column(x, a), column(x, b), tape_);  // [B, E]
    return ops::matmul(products, Tensor::full({x.cols(), 1}, 1, x.dtype()), {}, tape_);
  }
  std::span<const float> scores() const {
    return std::get<data::Labels>(batch_.fields.back()).values;
  }

  Loss order(const Tensor& x) const {
    return ops::cosent(cosines(x, 0, 1), scores(),
                       {.scale = objective_.similarity_scale, .weight = weight_}, tape_);
  }
  Loss difference(const Tensor& x) const {
    const std::vector<float> expected(scores().begin(), scores().end());
    const Tensor target = Tensor::from(expected, {examples(), 1}).to(x.dtype());
    return ops::squared_error(cosines(x, 0, 1), target, weight_, tape_);
  }

  Loss triplets(const Tensor& x) const {
    const double margin = objective_.loss.get<TripletLoss>().margin;
    const Tensor near = ops::scale(cosines(x, 0, 1), -1, tape_);
    const Tensor limit = Tensor::full({examples(), 1}, margin, x.dtype());
    const auto negatives = static_cast<double>(columns(x) - 2);
    Loss out;
    for (int64_t c = 2; c < columns(x); ++c) {
      const Tensor excess = ops::add(ops::add(near, cosines(x, 0, c), tape_), limit, tape_);
      const Tensor total = ops::sum(ops::activate(ops::Activation::kRelu, excess, tape_), tape_);
      add(out, {.value = ops::scale(total, weight_ / negatives, tape_),
                .total = total.item() / negatives});
    }
    return out;
  }

  Loss in_batch(const Tensor& x) const {
    const Tensor first = column(x, 0);  // [B, E]
    std::vector<Tensor> others;
    for (int64_t c = 1; c < columns(x); ++c) others.push_back(column(x, c));
    const bool is_symmetric = objective_.loss.get<InBatchLoss>().symmetric;
    const double share = is_symmetric ? 0.5 : 1;
    Loss out = found(first, ops::stack_rows(others, tape_), 1, share);  // [(k-1) * B, E]
    if (is_symmetric) add(out, found(column(x, 1), first, 0, share));
    return out;
  }

  // Row i of `queries` finds row i of `texts`, which are those of the columns from `column` on.
  Loss found(const Tensor& queries, const Tensor& texts, int64_t column, double share) const {
    Tensor scores = ops::matmul(queries, texts, {.b = true}, tape_);  // [B, M]
    scores = ops::scale(scores, objective_.similarity_scale, tape_);
    if (const Tensor equals = equal_texts(column, texts.rows(), scores.dtype())) {
      scores = ops::add(scores, equals, tape_);
    }
    std::vector<int32_t> own(static_cast<size_t>(examples()));
    std::iota(own.begin(), own.end(), 0);
    Loss out = ops::cross_entropy(scores, std::make_shared<const std::vector<int32_t>>(own),
                                  {.weight = share * weight_}, tape_);
    out.total *= share;
    return out;
  }

  // Numbers the texts of all columns, one column after the other.
  void find_equal_texts() {
    data::SequenceNumbers numbers;
    for (const data::Field& field : batch_.fields) {
      const auto* const texts = std::get_if<data::Tokens>(&field);
      for (int64_t i = 0; texts != nullptr && i < texts->examples(); ++i) {
        text_numbers_.push_back(numbers.number_of((*texts)[i]));
      }
    }
  }
  // kHidden where one of `texts` texts, from `column` on, is the same as the one that is to be
  // found; empty: nowhere.
  Tensor equal_texts(int64_t column, int64_t texts, DType type) const {
    const auto numbers =
        std::span(text_numbers_)
            .subspan(static_cast<size_t>(column * examples()), static_cast<size_t>(texts));
    std::unordered_map<int64_t, std::vector<int64_t>> rows;
    for (size_t j = 0; j < numbers.size(); ++j) {
      rows[numbers[j]].push_back(static_cast<int64_t>(j));
    }
    Tensor out;
    for (int64_t i = 0; i < examples(); ++i) {
      for (const int64_t j : rows[numbers[static_cast<size_t>(i)]]) {
        if (i == j) continue;
        if (!out) out = Tensor::zeros({examples(), texts});
        out.data<float>()[i * texts + j] = kHidden;
      }
    }
    return out ? out.to(type) : out;
  }

  void add(Loss& sum, const Loss& other) const {
    sum.value = sum.value ? ops::add(sum.value, other.value, tape_) : other.value;
    sum.total += other.total;
  }

  const data::Batch& batch_;
  const EmbeddingObjective& objective_;
  double weight_;
  Tape* tape_;
  std::vector<int64_t> text_numbers_;  // [k * B] of in-batch loss: equal where texts are
};

// The texts of each example after each other, so that the number of a text in the update, by which
// dropout is drawn, does not depend on how examples are divided.
data::Tokens all_texts(const data::Batch& batch) {
  std::vector<const data::Tokens*> columns;
  for (const data::Field& field : batch.fields) {
    if (const auto* texts = std::get_if<data::Tokens>(&field)) columns.push_back(texts);
  }
  data::Tokens out;
  for (int64_t i = 0; i < batch.size(); ++i) {
    for (const data::Tokens* texts : columns) out.add((*texts)[i]);
  }
  out.segments.first = columns.front()->segments.first * static_cast<int32_t>(columns.size());
  return out;
}

// Encodes texts and saves only their tokens for backward, which encodes them again.
Tensor recomputed_vectors(const models::Embedder& model, data::Tokens texts,
                          const nn::Context& context) {
  nn::Context first = context;
  first.tape = nullptr;
  Tensor x = model(texts, first);
  if (context.tape == nullptr) return x;
  const auto run_again = [&model, texts = std::move(texts), first](Tape* tape) {
    nn::Context again = first;
    again.tape = tape;
    again.statistics = nullptr;  // the first run recorded them
    return model(texts, again);
  };
  autograd::record_recomputed(*context.tape, x, run_again);
  return x;
}

}  // namespace

EmbeddingObjective EmbeddingObjective::of_data(bool has_scores) const {
  EmbeddingObjective out = *this;
  if (!loss.is<LossByData>()) return out;
  out.loss.selection().select(has_scores ? CoSentLoss::kName : InBatchLoss::kName);
  return out;
}

bool EmbeddingObjective::compares_examples() const {
  return !loss.is<TripletLoss>() && !loss.is<CosineLoss>();
}

void EmbeddingObjective::check(bool has_scores, int64_t columns) const {
  const bool wants_scores = loss.is<CoSentLoss>() || loss.is<CosineLoss>();
  if (!loss.is<LossByData>() && wants_scores != has_scores) {
    fail<OptionError>("--loss", "{} is of --format {}; expected {}", loss.name(),
                      wants_scores ? "scores" : "texts",
                      has_scores ? "cosent or cosine" : "in-batch or triplet");
  }
  if (loss.is<TripletLoss>() && columns == 2) {
    fail<OptionError>("--loss", "triplet needs lines of three texts or more; got two");
  }
}

Tensor embedding_vectors(const models::Embedder& model, const data::Batch& batch, int64_t cached,
                         const nn::Context& context) {
  const data::Tokens texts = all_texts(batch);
  Tensor x;
  if (cached == 0 || texts.examples() <= cached) {
    x = model(texts, context);
  } else {
    std::vector<Tensor> parts;
    for (int64_t begin = 0; begin < texts.examples(); begin += cached) {
      const int64_t end = std::min(begin + cached, texts.examples());
      parts.push_back(recomputed_vectors(model, data::slice(texts, begin, end), context));
    }
    x = ops::stack_rows(parts, context.tape);
  }
  return ops::convert(x, sum_type(x.dtype()), context.tape);
}

ops::Loss embedding_loss(const Tensor& x, const data::Batch& batch,
                         const EmbeddingObjective& objective, double weight, ops::Tape* tape) {
  std::vector<int64_t> lengths = objective.matryoshka;
  if (std::ranges::find(lengths, x.cols()) == lengths.end()) lengths.push_back(x.cols());
  const double share = 1 / static_cast<double>(lengths.size());
  const VectorLoss loss(batch, objective, weight * share, tape);
  ops::Loss out;
  for (const int64_t length : lengths) {
    const Tensor cut =
        length == x.cols() ? x : ops::slice_cols(x, 0, length, tape);  // [B * k, length]
    const ops::Loss one = loss(ops::unit_rows(cut, tape));
    out.value = out.value ? ops::add(out.value, one.value, tape) : one.value;
    out.total += share * one.total;
  }
  return out;
}

}  // namespace weft::tasks
