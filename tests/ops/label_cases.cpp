// What taggers and classifiers stand on, in the case table.
#include <fmt/core.h>

#include "tests/ops/op_cases.h"
#include "tests/support/tensors.h"
#include "weft/ops/activation.h"
#include "weft/ops/losses/binary_cross_entropy.h"
#include "weft/ops/losses/box_loss.h"
#include "weft/ops/losses/cosent.h"
#include "weft/ops/losses/crf.h"
#include "weft/ops/losses/crf_divergence.h"
#include "weft/ops/losses/regression.h"
#include "weft/ops/rows/attention_pool.h"
#include "weft/ops/rows/first_rows.h"
#include "weft/ops/rows/last_rows.h"
#include "weft/ops/rows/max_rows.h"
#include "weft/ops/rows/unit_rows.h"

namespace weft::ops::test {
namespace {

// The same labels as the tags O, B and I, so that those of `truth` are allowed.
AllowedTagsPtr bio() {
  const std::vector<std::string> labels{"O", "B-x", "I-x"};
  return std::make_shared<const data::AllowedTags>(
      data::allowed_tags(labels, data::TagScheme::kBio));
}

void add_crf(Cases& cases) {
  struct Sizes {
    const char* name;
    LayoutPtr rows;
    int64_t labels;
    AllowedTagsPtr allowed;
  };
  const Sizes all[] = {{"one label", lengths({3, 1}), 1, {}},
                       {"one row", lengths({1}), 4, {}},
                       {"ragged", lengths({4, 0, 1, 3}, 7), 3, {}},
                       {"with BIO", lengths({4, 0, 1, 3}), 3, bio()},
                       {"no sequence", lengths({}), 3, {}},
                       {"large", lengths({30, 4, 60, 7, 12, 1, 25, 80}), 37, {}}};
  for (const auto& [name, rows, labels, allowed] : all) {
    std::vector<int32_t> truth;
    for (int64_t n = 0; n < rows->count(); ++n) {
      truth.push_back(
          static_cast<int32_t>(n * 7 % std::min<int64_t>(labels, allowed ? 2 : labels)));
    }
    const CrfTargets targets{rows, make_ids(truth)};
    const bool is_large = labels > 10;
    cases.push_back({fmt::format("crf, {}", name),
                     {{rows->count(), labels}, {labels, labels}, {1, labels}, {1, labels}},
                     [targets, params = CrfParams{allowed, 0.3}](Inputs in, Tape* tape) {
                       return crf(in[0], {in[1], in[2], in[3]}, targets, params, tape).value;
                     },
                     false,
                     is_large,
                     is_large ? kLongSums : kRounding});
    // Of a teacher without gradient.
    const Tensor emissions = weft::test::random_tensor({rows->count(), labels}, 77);
    const Tensor pairs = weft::test::random_tensor({labels, labels}, 78);
    const Tensor ends = weft::test::random_tensor({1, labels}, 79);
    cases.push_back(
        {fmt::format("crf divergence, {}", name),
         {{rows->count(), labels}, {labels, labels}, {1, labels}, {1, labels}},
         [=, rows = rows, params = CrfDivergenceParams{allowed, 2, 0.3}](Inputs in, Tape* tape) {
           return crf_divergence({in[0], {in[1], in[2], in[3]}}, {emissions, {pairs, ends, ends}},
                                 rows, params, tape)
               .value;
         },
         false,
         is_large,
         is_large ? kLongSums : kRounding});
  }
}

void add_pooling(Cases& cases) {
  const LayoutPtr ragged = lengths({3, 0, 1, 4});
  const LayoutPtr many = lengths({40, 3, 17, 0, 1, 90, 33});
  for (const auto& [rows, cols] : {std::pair(ragged, int64_t{6}), std::pair(many, int64_t{132})}) {
    const bool is_large = cols > 100;
    const Shape shape{rows->count(), cols};
    const auto put = [&](const char* name, autograd::CheckedFunction run) {
      cases.push_back({fmt::format("{} {}", name, shape.text()),
                       {shape},
                       std::move(run),
                       false,
                       is_large,
                       is_large ? kLongSums : kRounding});
    };
    put("max_rows", [rows](Inputs in, Tape* tape) { return max_rows(in[0], rows, tape); });
    put("first_rows", [rows](Inputs in, Tape* tape) { return first_rows(in[0], rows, tape); });
    put("last_rows", [rows](Inputs in, Tape* tape) { return last_rows(in[0], rows, tape); });
    put("unit_rows", [](Inputs in, Tape* tape) { return unit_rows(in[0], tape); });
    for (const int64_t heads : {1, 3}) {
      OpCase pool = fused(fmt::format("attention_pool, {} heads {}", heads, shape.text()),
                          {shape, {1, cols}}, [rows, heads](Inputs in, Tape* tape) {
                            return attention_pool(in[0], in[1], rows, heads, tape);
                          });
      cases.push_back(is_large ? large(std::move(pool)) : std::move(pool));
    }
  }
}

RowWeights weights(int64_t count) {
  std::vector<float> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(0.5f * static_cast<float>(i % 4));
  return std::make_shared<const std::vector<float>>(std::move(out));
}

void add_binary_losses(Cases& cases) {
  for (const Shape shape : {Shape{1, 1}, Shape{5, 7}, Shape{0, 3}, Shape{65, 301}}) {
    std::vector<int32_t> ids, offsets{0};
    for (int64_t n = 0; n < shape.rows(); ++n) {
      for (int64_t c = n % 3; c < shape.cols(); c += 2 + n % 5)
        ids.push_back(static_cast<int32_t>(c));
      offsets.push_back(static_cast<int32_t>(ids.size()));
    }
    const bool is_large = shape.size() > 1000;
    for (const bool is_weighted : {false, true}) {
      const BinaryCrossEntropy params{0.3, is_weighted ? weights(shape.cols()) : nullptr,
                                      is_weighted ? weights(shape.rows()) : nullptr};
      cases.push_back({fmt::format("binary_cross_entropy {} {}", is_weighted, shape.text()),
                       {shape},
                       [labels = make_labels(ids, {offsets}), params](Inputs in, Tape* tape) {
                         return binary_cross_entropy(in[0], labels, params, tape).value;
                       },
                       false,
                       is_large,
                       is_large ? kLongSums : kRounding});
    }
  }
}

void add_regression_losses(Cases& cases) {
  for (const Shape shape : {Shape{1, 1}, Shape{5, 7}, Shape{0, 3}, Shape{65, 301}}) {
    const bool is_large = shape.size() > 1000;
    const Tensor target = weft::test::random_tensor(shape, 9);
    const auto put = [&](const char* name, auto loss) {
      cases.push_back(
          {fmt::format("{} {}", name, shape.text()),
           {shape},
           [target, loss](Inputs in, Tape* tape) { return loss(in[0], target, 0.3, tape).value; },
           false,
           is_large,
           is_large ? kLongSums : kRounding});
    };
    put("squared_error", squared_error);
    put("absolute_error", absolute_error);
    put("huber_error", [](const Tensor& x, const Tensor& y, double weight, Tape* tape) {
      return huber_error(x, y, 0.7, weight, tape);
    });
  }
}

void add_ranking_losses(Cases& cases) {
  for (const int64_t rows : {1, 2, 7}) {
    std::vector<float> targets;
    for (int64_t i = 0; i < rows; ++i) targets.push_back(static_cast<float>(i % 3));
    cases.push_back({fmt::format("cosent {}", rows), {{rows, 1}}, [targets](Inputs in, Tape* tape) {
                       return cosent(in[0], targets, {.scale = 3, .weight = 0.3}, tape).value;
                     }});
  }
}

// Boxes inside the picture, some of which meet their target and some of which do not.
void add_box_losses(Cases& cases) {
  for (const int64_t count : {0, 1, 9, 300}) {
    BoxTargets targets;
    for (int64_t n = 0; n < count; n += 2) {
      targets.rows.push_back(static_cast<int32_t>(count - 1 - n));
      for (const int64_t prime : {7, 11, 3, 5}) {
        targets.boxes.push_back(0.1f + 0.08f * static_cast<float>(n * prime % 10));
      }
    }
    const bool is_large = count > 100;
    cases.push_back(
        {fmt::format("box_loss of {}", count),
         {{count, 4}},
         [targets = std::make_shared<const BoxTargets>(targets)](Inputs in, Tape* tape) {
           const Tensor boxes = activate(Activation::kSigmoid, in[0], tape);
           return box_loss(boxes, targets, {.l1 = 0.7, .giou = 1.3}, tape).value;
         },
         false,
         is_large,
         is_large ? kLongSums : kRounding});
  }
}

}  // namespace

void add_label_cases(Cases& cases) {
  add_regression_losses(cases);
  add_ranking_losses(cases);
  add_crf(cases);
  add_binary_losses(cases);
  add_box_losses(cases);
  add_pooling(cases);
}

}  // namespace weft::ops::test
