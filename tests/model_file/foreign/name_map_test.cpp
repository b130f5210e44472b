#include "weft/model_file/foreign/name_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/errors.h"
#include "tests/support/tensors.h"
#include "weft/model_file/foreign/tensors_in_files.h"
#include "weft/tensor/quantise.h"

namespace weft::model_file {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class NamedTensorMap final : public ForeignTensors {
 public:
  std::vector<std::string> names() const override {
    std::vector<std::string> out;
    for (const auto& [name, unused] : tensors) out.push_back(name);
    return out;
  }
  bool has(const std::string& name) const override { return tensors.contains(name); }
  const std::string& path_of(const std::string&) const override { return path_; }
  Shape shape(const std::string& name) const override { return tensors.at(name).shape(); }
  kernels::PackedType type(const std::string&) const override { return DType::kF32; }
  std::string_view type_name(const std::string&) const override { return "F16"; }
  int64_t bytes(const std::string& name) const override { return 2 * tensors.at(name).size(); }
  Tensor float32(const std::string& name) const override { return tensors.at(name); }
  std::string_view blocks(const std::string&) const override { return {}; }
  void release(const std::string&) const override {}

  std::map<std::string, Tensor> tensors;

 private:
  std::string path_ = "file";
};

// Two layers, each with a [2, 3], b [1, 3] and c [2, 3], and a table [3, 2].
class NameMaps : public testing::Test {
 protected:
  NameMaps() {
    for (const char* layer : {"layers.0.", "layers.1."}) {
      add(std::string(layer) + "a", {2, 3});
      add(std::string(layer) + "b", {1, 3});
      add(std::string(layer) + "c", {2, 3});
    }
    add("table", {3, 2});
    nn::bind(parameters_);
    for (const auto& [name, p] : parameters_) {
      for (int64_t i = 0; i < p->value.size(); ++i) p->value.data<float>()[i] = next_++;
    }
  }

  // The tensors of the parameters in the other system.
  NamedTensorMap exported(const NameMap& map) const {
    NamedTensorMap out;
    for (const auto& [name, tensor] : foreign_tensors_of(map, parameters_)) {
      out.tensors[name] = tensor;
    }
    return out;
  }
  std::vector<float> values() const {
    std::vector<float> out;
    for (const auto& [name, p] : parameters_) {
      const auto span = p->value.span<float>();
      out.insert(out.end(), span.begin(), span.end());
    }
    return out;
  }
  std::string message(const NameMap& map, const NamedTensorMap& tensors) const {
    return test::message_of<FormatError>([&] { read_parameters(map, tensors, parameters_); });
  }
  void expect_to_come_back(const NameMap& map) const {
    const std::vector<float> before = values();
    const NamedTensorMap there = exported(map);
    read_parameters(map, there, parameters_);  // into new memory
    EXPECT_EQ(values(), before);
  }

  std::vector<nn::NamedParameter> parameters_;

 private:
  void add(const std::string& name, const Shape& shape) {
    owned_.push_back(std::make_unique<nn::Parameter>(shape, nn::Init::kZeros));
    parameters_.push_back({name, owned_.back().get()});
  }

  std::vector<std::unique_ptr<nn::Parameter>> owned_;
  float next_ = 0;
};

const NameMapping kTable{.theirs = "wte", .ours = {"table"}};

TEST_F(NameMaps, RenameLayerByLayer) {
  const NameMap map{.mappings = {kTable, {.theirs = "h.*.attn_*", .ours = {"layers.*.*"}}}};
  const NamedTensorMap there = exported(map);
  EXPECT_THAT(there.names(), ElementsAre("h.0.attn_a", "h.0.attn_b", "h.0.attn_c", "h.1.attn_a",
                                         "h.1.attn_b", "h.1.attn_c", "wte"));
  EXPECT_EQ(there.shape("h.1.attn_a"), (Shape{2, 3}));
  EXPECT_EQ(there.shape("h.1.attn_b"), Shape{3});
  expect_to_come_back(map);
}

TEST_F(NameMaps, StackAndTranspose) {
  const NameMap map{
      .mappings = {kTable,
                   {.theirs = "h.*.w", .ours = {"layers.*.a", "layers.*.c"}, .is_transposed = true},
                   {.theirs = "h.*.b", .ours = {"layers.*.b"}}}};
  const NamedTensorMap there = exported(map);
  EXPECT_EQ(there.shape("h.0.w"), (Shape{3, 4}));
  // a is 0 1 2 / 3 4 5 and c 9 10 11 / 12 13 14.
  EXPECT_THAT(there.float32("h.0.w").span<float>(),
              ElementsAre(0, 3, 9, 12, 1, 4, 10, 13, 2, 5, 11, 14));
  expect_to_come_back(map);
}

TEST_F(NameMaps, ShareTheBytesOfATensorAmongItsParameters) {
  const NameMap map{.mappings = {kTable,
                                 {.theirs = "h.*", .ours = {"layers.*.b", "layers.*.a"}},
                                 {.theirs = "c.*", .ours = {"layers.*.c"}}}};
  NamedTensorMap there;
  for (const char* name : {"h.0", "h.1"}) there.tensors[name] = Tensor::zeros({3, 3});
  for (const char* name : {"c.0", "c.1"}) there.tensors[name] = Tensor::zeros({2, 3});
  there.tensors["wte"] = Tensor::zeros({5, 2});  // of rows that the model does not have
  std::vector<int64_t> bytes;
  for (const TensorInFile& one : tensors_in_files(map, there, parameters_)) {
    EXPECT_EQ(one.name, parameters_[bytes.size()].name);
    EXPECT_EQ(one.type, "F16");
    bytes.push_back(one.bytes);
  }
  EXPECT_THAT(bytes, ElementsAre(12, 6, 12, 12, 6, 12, 20));
}

TEST_F(NameMaps, StackAsTheyAre) {
  const NameMap map{.mappings = {kTable,
                                 {.theirs = "h.*.w", .ours = {"layers.*.c", "layers.*.a"}},
                                 {.theirs = "h.*.b", .ours = {"layers.*.b"}}}};
  EXPECT_THAT(exported(map).float32("h.0.w").span<float>(),
              ElementsAre(9, 10, 11, 12, 13, 14, 0, 1, 2, 3, 4, 5));
  expect_to_come_back(map);
}

TEST_F(NameMaps, PermuteRowsAndColumns) {
  const auto reversed = [](int64_t i, int64_t size) { return size - 1 - i; };
  const NameMap map{.mappings = {{.theirs = "table", .ours = {"table"}, .rows = reversed},
                                 {.theirs = "*", .ours = {"*"}, .cols = reversed}}};
  const NamedTensorMap there = exported(map);
  EXPECT_THAT(there.float32("layers.0.a").span<float>(), ElementsAre(2, 1, 0, 5, 4, 3));
  EXPECT_THAT(there.float32("layers.0.b").span<float>(), ElementsAre(8, 7, 6));
  EXPECT_THAT(there.float32("table").span<float>(), ElementsAre(34, 35, 32, 33, 30, 31));
  expect_to_come_back(map);
}

TEST_F(NameMaps, ReshapeAndCrop) {
  const NameMapping rest{.theirs = "*", .ours = {"*"}};
  const NameMap map{
      .mappings = {{.theirs = "layers.0.a", .ours = {"layers.0.a"}, .shape = {2, 3, 1, 1}}, rest}};
  EXPECT_EQ(exported(map).shape("layers.0.a"), (Shape{2, 3, 1, 1}));
  expect_to_come_back(map);
  const NameMap cropped{
      .mappings = {{.theirs = "table", .ours = {"table"}, .shape = {1, 2, 2}, .is_cropped = true},
                   rest}};
  const NamedTensorMap there = exported(cropped);
  EXPECT_THAT(there.float32("table").span<float>(), ElementsAre(30, 31, 32, 33));
  EXPECT_EQ(message(cropped, there),
            "file: tensor 'table' has the wrong shape; expected [1, 2, 2], got [1, 2, 2]");
}

TEST_F(NameMaps, AddANumber) {
  const NameMapping rest{.theirs = "*", .ours = {"*"}};
  const NameMap map{
      .mappings = {{.theirs = "layers.*.b", .ours = {"layers.*.b"}, .added = 1}, rest}};
  const NamedTensorMap there = exported(map);
  EXPECT_THAT(there.float32("layers.0.b").span<float>(), ElementsAre(5, 6, 7));  // 6 7 8 here
  EXPECT_THAT(there.float32("layers.0.a").span<float>(), ElementsAre(0, 1, 2, 3, 4, 5));
  expect_to_come_back(map);
  const NameMap transposed{
      .mappings = {
          {.theirs = "layers.*.a", .ours = {"layers.*.a"}, .is_transposed = true, .added = 1},
          rest}};
  EXPECT_THAT(exported(transposed).float32("layers.0.a").span<float>(),
              ElementsAre(-1, 2, 0, 3, 1, 4));
  expect_to_come_back(transposed);
}

TEST_F(NameMaps, NameTheTensorThatDoesNotFit) {
  const NameMap map{.mappings = {kTable, {.theirs = "h.*.*", .ours = {"layers.*.*"}}},
                    .extras = {{.theirs = "lm_head", .same_as = "wte"}, {"h.*.mask"}}};
  const NamedTensorMap good = exported(map);
  const auto after = [&](const auto& change) {
    NamedTensorMap changed = good;
    change(changed.tensors);
    return message(map, changed);
  };
  using Tensors = std::map<std::string, Tensor>;
  EXPECT_EQ(after([](Tensors& all) { all.erase("h.1.a"); }),
            "file: no tensor 'h.1.a'; expected one of shape [2, 3]");
  EXPECT_EQ(after([](Tensors& all) {
              all["h.1.a"] = Tensor::zeros({3, 2});
            }),
            "file: tensor 'h.1.a' has the wrong shape; expected [2, 3], got [3, 2]");
  EXPECT_EQ(after([](Tensors& all) {
              all["h.2.a"] = Tensor::zeros({2, 3});
            }),
            "file: tensor 'h.2.a' is not part of the model");
  EXPECT_EQ(after([](Tensors& all) {
              all["lm_head"] = Tensor::zeros({3, 2});
            }),
            "file: tensor 'lm_head' differs from 'wte', to which it is tied");
  NamedTensorMap redundant = good;
  redundant.tensors["lm_head"] = good.tensors.at("wte");
  redundant.tensors["h.0.mask"] = Tensor::zeros({7});
  read_parameters(map, redundant, parameters_);
}

TEST_F(NameMaps, ListTheirTensors) {
  NameMap map{.mappings = {kTable, {.theirs = "h.*.w", .ours = {"layers.*.c", "layers.*.a"}}}};
  EXPECT_FALSE(covers(map, parameters_));
  map.mappings.push_back({.theirs = "h.*.b", .ours = {"layers.*.b"}});
  EXPECT_TRUE(covers(map, parameters_));
  const std::vector<MappedTensor> tensors = mapped_tensors(map, parameters_);
  ASSERT_EQ(tensors.size(), 5U);
  const MappedTensor& first = tensors.front();
  EXPECT_EQ(first.theirs, "h.0.w");
  EXPECT_EQ(first.shape, (Shape{4, 3}));
  ASSERT_EQ(first.parts.size(), 2U);
  EXPECT_EQ(first.parts[0].name, "layers.0.c");
  EXPECT_EQ(first.parts[1].parameter, parameters_.front().parameter);
  EXPECT_EQ(first.mapping, &map.mappings[1]);
}

TEST_F(NameMaps, HaveARuleForEachParameter) {
  const NameMap map{.mappings = {{.theirs = "h.*.*", .ours = {"layers.*.*"}}}};
  EXPECT_THAT(test::message_of<FormatError>([&] { foreign_tensors_of(map, parameters_); }),
              HasSubstr("'table'"));
}

// A tensor in Q8_0.
class TensorInBlocks final : public ForeignTensors {
 public:
  explicit TensorInBlocks(const Tensor& values)
      : shape_(values.shape()), blocks_(quantise_blocks(kernels::BlockType::kQ8_0, values)) {}
  std::vector<std::string> names() const override { return {"t"}; }
  bool has(const std::string& name) const override { return name == "t"; }
  const std::string& path_of(const std::string&) const override { return path_; }
  Shape shape(const std::string&) const override { return shape_; }
  std::string_view type_name(const std::string&) const override { return "Q8_0"; }
  int64_t bytes(const std::string& name) const override { return std::ssize(blocks(name)); }
  kernels::PackedType type(const std::string&) const override { return kernels::BlockType::kQ8_0; }
  Tensor float32(const std::string&) const override {
    return PackedWeight(kernels::BlockType::kQ8_0, shape_, blocks_).to_float32();
  }
  std::string_view blocks(const std::string&) const override { return blocks_; }
  void release(const std::string&) const override { ++released; }

  mutable int released = 0;

 private:
  Shape shape_;
  std::string blocks_, path_ = "file";
};

constexpr kernels::PackedType kQ8 = kernels::BlockType::kQ8_0;

// The packed parameters have the values that read_parameters() gives.
void expect_packed(const NameMapping& mapping, const TensorInBlocks& tensors, Precision precision,
                   kernels::PackedType type) {
  nn::Parameter a({4, 64}, nn::Init::kZeros), b({2, 64}, nn::Init::kZeros);
  const std::vector<nn::NamedParameter> parameters = {{"a", &a}, {"b", &b}};
  read_parameters({{mapping}}, tensors, parameters);
  const PackedWeight expected_a(a.value, type), expected_b(b.value, type);
  a.value = b.value = {};
  tensors.released = 0;
  pack_parameters({{mapping}}, tensors, parameters, {precision, true});
  EXPECT_EQ(tensors.released, 1);
  for (const auto& [p, expected] : {std::pair(&a, &expected_a), std::pair(&b, &expected_b)}) {
    EXPECT_EQ(p->packed.type(), type);
    EXPECT_FALSE(p->value);
    EXPECT_TRUE(test::same_bits(p->packed.to_float32(), expected->to_float32()));
  }
}

TEST(NameMap, KnowsTheTensorsOfAModel) {
  nn::Parameter a({4, 64}, nn::Init::kZeros), b({2, 64}, nn::Init::kZeros);
  const std::vector<nn::NamedParameter> parameters = {{"layers.0.a", &a}, {"layers.1.b", &b}};
  const NameMap map{.mappings = {{.theirs = "blk.*.ab", .ours = {"layers.*.a", "layers.*.b"}},
                                 {.theirs = "c", .ours = {"c"}}}};
  EXPECT_TRUE(has_tensor(map, parameters, "blk.0.ab"));
  EXPECT_TRUE(has_tensor(map, parameters, "blk.1.ab"));
  EXPECT_FALSE(has_tensor(map, parameters, "blk.2.ab"));
  EXPECT_FALSE(has_tensor(map, parameters, "c"));
}

TEST(PackedParameters, KeepTheBlocksOfStackedAndPermutedRows) {
  const Tensor values = test::random_tensor({6, 64}, 3, DType::kF32);
  const TensorInBlocks tensors(values), transposed(test::random_tensor({64, 6}, 3, DType::kF32));
  const Permutation backwards = [](int64_t i, int64_t size) { return size - 1 - i; };
  const std::vector<std::string> both = {"a", "b"};
  expect_packed({.theirs = "t", .ours = both}, tensors, Precision::kStored, kQ8);
  expect_packed({.theirs = "t", .ours = both, .rows = backwards}, tensors, Precision::kStored, kQ8);
  expect_packed({.theirs = "t", .ours = both, .rows = backwards}, tensors, Precision::kBFloat16,
                DType::kBF16);
  // Whose blocks are no longer along rows.
  expect_packed({.theirs = "t", .ours = both, .cols = backwards}, tensors, Precision::kStored,
                DType::kF32);
  expect_packed({.theirs = "t", .ours = both, .added = 1}, tensors, Precision::kStored,
                DType::kF32);
  expect_packed({.theirs = "t", .ours = both, .is_transposed = true}, transposed,
                Precision::kStored, DType::kF32);
}

TEST(StoredParameters, KeepTheBlocks) {
  const TensorInBlocks tensors(test::random_tensor({6, 64}, 3, DType::kF32));
  nn::Parameter a({4, 64}, nn::Init::kZeros), b({2, 64}, nn::Init::kZeros);
  const std::vector<nn::NamedParameter> parameters = {{"b", &b}, {"a", &a}};
  const NameMapping stacked{.theirs = "t", .ours = {"a", "b"}};
  const StoredMatrices kept = stored_parameters({{stacked}}, tensors, parameters);
  ASSERT_EQ(kept.tensors.size(), 2u);
  EXPECT_EQ(kept.tensors[0].first, "b");  // in the order of the parameters
  EXPECT_EQ(kept.tensors[0].second.shape(), (Shape{2, 68}));
  EXPECT_EQ(kept.metadata.at("weft.blocks.a"), "Q8_0 64");
  std::string bytes;
  for (const size_t i : {1, 0}) {
    const auto span = kept.tensors[i].second.span<uint8_t>();
    bytes.append(span.begin(), span.end());
  }
  EXPECT_EQ(bytes, tensors.blocks("t"));
  NameMapping scaled = stacked;
  scaled.added = 1;
  const StoredMatrices floats = stored_parameters({{scaled}}, tensors, parameters);
  EXPECT_TRUE(floats.metadata.empty());
  EXPECT_EQ(floats.tensors[1].second.shape(), a.shape);
}

}  // namespace
}  // namespace weft::model_file
