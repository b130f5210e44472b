#include "weft/model_file/peft/matrices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tensors.h"

namespace weft::model_file {
namespace {

Tensor random_floats(Shape shape, uint64_t stream) {
  return test::random_tensor(shape, stream, DType::kF32);
}

// W = B A of an update.
Tensor product(const Tensor& up, const Tensor& down) {
  Tensor out = Tensor::zeros({up.rows(), down.cols()});
  for (int64_t i = 0; i < out.rows(); ++i) {
    for (int64_t k = 0; k < down.rows(); ++k) {
      for (int64_t j = 0; j < out.cols(); ++j) {
        out.data<float>()[i * out.cols() + j] +=
            up.data<float>()[i * up.cols() + k] * down.data<float>()[k * down.cols() + j];
      }
    }
  }
  return out;
}

// Weights q [4, 3] and k [2, 3], which a mapping stacks into one tensor.
class PeftMatricesTest : public testing::Test {
 protected:
  PeftMatricesTest() {
    for (const auto& [name, p] : parameters_) p->value = random_floats(p->shape, stream_++);
  }

  AdapterMatrices update(const std::string& weight, int64_t rank) {
    const int64_t rows = weight == "q" ? q_.shape.rows() : k_.shape.rows();
    return {weight, random_floats({rank, 3}, stream_++), random_floats({rows, rank}, stream_++)};
  }
  MappedTensor mapped() const { return mapped_tensors(map_, parameters_).front(); }

  // B A, moved as the weights are, is the product of the matrices there.
  void expect_same_product(const std::vector<AdapterMatrices>& updates,
                           const PeftMatrices& matrices) {
    std::vector<Tensor> products = {Tensor::zeros(q_.shape), Tensor::zeros(k_.shape)};
    for (const AdapterMatrices& one : updates) {
      products[one.weight == "q" ? 0 : 1] = product(one.up, one.down);
    }
    q_.value = products[0];
    k_.value = products[1];
    const Tensor there = foreign_tensors_of(map_, parameters_).front().second;
    Tensor expected = product(matrices.up, matrices.down);
    if (map_.mappings.front().is_transposed) {
      Tensor transposed = Tensor::empty({expected.cols(), expected.rows()});
      for (int64_t i = 0; i < expected.size(); ++i) {
        const int64_t row = i / expected.cols(), col = i % expected.cols();
        transposed.data<float>()[col * expected.rows() + row] = expected.data<float>()[i];
      }
      expected = transposed;
    }
    EXPECT_LT(test::distance(there, expected), 1e-6);
  }
  void expect_same(const std::vector<AdapterMatrices>& x, const std::vector<AdapterMatrices>& y) {
    ASSERT_EQ(x.size(), y.size());
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(x[i].weight, y[i].weight);
      EXPECT_TRUE(test::same_bits(x[i].down, y[i].down)) << i;
      EXPECT_TRUE(test::same_bits(x[i].up, y[i].up)) << i;
    }
  }

  uint64_t stream_ = 1;
  nn::Parameter q_{{4, 3}, nn::Init::kZeros}, k_{{2, 3}, nn::Init::kZeros};
  ModelParameters parameters_ = {{"q", &q_}, {"k", &k_}};
  NameMap map_{.mappings = {{.theirs = "both",
                             .ours = {"q", "k"},
                             .is_transposed = true,
                             .rows = [](int64_t i, int64_t size) { return size - 1 - i; },
                             .cols = [](int64_t i, int64_t size) { return (i + 1) % size; }}}};
};

TEST_F(PeftMatricesTest, OfOneWeightArePermuted) {
  map_.mappings.front() = {.theirs = "one",
                           .ours = {"q"},
                           .rows = map_.mappings.front().rows,
                           .cols = map_.mappings.front().cols};
  parameters_.pop_back();
  std::vector<AdapterMatrices> updates = {update("q", 2)};
  const AdapterMatrices* parts[] = {updates.data()};
  const PeftMatrices matrices = matrices_of(mapped(), parts);
  EXPECT_EQ(matrices.down.shape(), (Shape{2, 3}));
  expect_same_product(updates, matrices);
  expect_same(updates_of(mapped(), matrices), updates);
}

TEST_F(PeftMatricesTest, OfSeveralWeightsAreBlocks) {
  const std::vector<AdapterMatrices> updates = {update("q", 2), update("k", 3)};
  const AdapterMatrices* parts[] = {&updates[0], &updates[1]};
  const PeftMatrices matrices = matrices_of(mapped(), parts);
  EXPECT_EQ(matrices.down.shape(), (Shape{5, 3}));
  EXPECT_EQ(matrices.up.shape(), (Shape{6, 5}));
  expect_same_product(updates, matrices);
  expect_same(updates_of(mapped(), matrices), updates);
}

TEST_F(PeftMatricesTest, OfSomeWeightsLeaveOutTheOthers) {
  const std::vector<AdapterMatrices> updates = {update("k", 2)};
  const AdapterMatrices* parts[] = {nullptr, updates.data()};
  const PeftMatrices matrices = matrices_of(mapped(), parts);
  EXPECT_EQ(matrices.up.shape(), (Shape{6, 2}));
  expect_same_product(updates, matrices);
  expect_same(updates_of(mapped(), matrices), updates);
}

TEST_F(PeftMatricesTest, OfSeveralWeightsShareTheFirst) {
  const PeftMatrices matrices{random_floats({2, 3}, 8), random_floats({6, 2}, 9)};
  const std::vector<AdapterMatrices> updates = updates_of(mapped(), matrices);
  ASSERT_EQ(updates.size(), 2U);
  expect_same_product(updates, matrices);
  const AdapterMatrices* parts[] = {&updates[0], &updates[1]};
  const PeftMatrices again = matrices_of(mapped(), parts);
  EXPECT_TRUE(test::same_bits(again.down, matrices.down));
  EXPECT_TRUE(test::same_bits(again.up, matrices.up));
}

TEST_F(PeftMatricesTest, OfUntrainedUpdatesAreKept) {
  const PeftMatrices matrices{random_floats({2, 3}, 8), Tensor::zeros({6, 2})};
  const std::vector<AdapterMatrices> updates = updates_of(mapped(), matrices);
  ASSERT_EQ(updates.size(), 2U);
  EXPECT_EQ(updates[1].up.shape(), (Shape{2, 2}));
}

}  // namespace
}  // namespace weft::model_file
