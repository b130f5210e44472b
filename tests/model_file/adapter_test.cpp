#include "weft/model_file/adapter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/model_file/small_language_model.h"
#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "weft/core/error.h"
#include "weft/model_file/any_adapter.h"
#include "weft/model_file/model_file.h"

namespace weft::model_file {
namespace {

using test::Scratch;
using testing::HasSubstr;

const std::string kQueries = "model.decoder.layers.0.self_attn.q_proj.weight";
const std::string kInner = "model.decoder.layers.1.fc1.weight";

// Random updates of two maps of the small model.
Adapter small_adapter(const LanguageModelSession& session) {
  models::LanguageModel model = session.model;
  const ModelParameters parameters = nn::parameters_of(model);
  Adapter out{.options = {.rank = 3, .alpha = 1.5, .base_checksum = base_checksum(parameters)},
              .updates = {}};
  for (const std::string& name : {kQueries, kInner}) {
    const auto weight = std::ranges::find(parameters, name, &nn::NamedParameter::name);
    const Shape shape = weight->parameter->shape;
    const int64_t rank = name == kInner ? 2 : 3;
    out.updates.push_back({name, test::random_tensor({rank, shape.cols()}, 1, DType::kF32),
                           test::random_tensor({shape.rows(), rank}, 2, DType::kF32)});
  }
  return out;
}

Tensor logits_of(const LanguageModelSession& session) {
  data::Tokens text;
  text.add(std::vector<int32_t>{4, 7, 2, 8, 0});
  return session.model.logits(text, {});
}

// A model in a file, and its adapter in another.
class AdapterFile : public testing::Test {
 protected:
  AdapterFile() {
    save(base_, session_, session_.parameters);
    write_adapter(path_, small_adapter(session_));
  }
  LanguageModelSession adapted(Precision precision) const {
    auto session = load_any_packed<LanguageModelSession>(base_, precision);
    attach_adapter(session, path_);
    return session;
  }
  // The message for an adapter that was changed.
  std::string refusal(const std::function<void(Adapter&)>& change) const {
    Adapter adapter = small_adapter(session_);
    change(adapter);
    const std::string path = folder_.path("changed");
    write_adapter(path, adapter);
    LanguageModelSession session = load_any<LanguageModelSession>(base_);
    return test::message_of<FormatError>([&] { attach_adapter(session, path); });
  }

  Scratch folder_;
  LanguageModelSession session_ = small_language_model();
  std::string base_ = folder_.path("base"), path_ = folder_.path("adapter");
};

TEST_F(AdapterFile, ComesBackAsItWas) {
  const Adapter adapter = read_adapter(path_);
  EXPECT_EQ(adapter.options.rank, 3);
  EXPECT_EQ(adapter.options.scale(), 0.5);
  ASSERT_EQ(adapter.updates.size(), 2U);
  EXPECT_EQ(adapter.updates[0].weight, kQueries);
  write_adapter(folder_.path("again"), adapter);
  EXPECT_EQ(test::read_bytes(folder_.path("again")), test::read_bytes(path_));
}

TEST_F(AdapterFile, ActsAsTheMergedModelInAnyPrecision) {
  LanguageModelSession merged = load_any<LanguageModelSession>(base_);
  attach_adapter(merged, path_);
  merge_adapter(merged);
  const Tensor expected = logits_of(merged);
  EXPECT_GT(test::distance(logits_of(session_), expected), 0.01);
  EXPECT_LE(test::distance(logits_of(adapted(Precision::kFloat32)), expected), 1e-5);
  EXPECT_LE(test::distance(logits_of(adapted(Precision::kBFloat16)), expected), 0.05);
  EXPECT_LE(test::distance(logits_of(adapted(Precision::kInt8)), expected), 0.05);
  EXPECT_TRUE(
      test::same_bits(logits_of(load_any<LanguageModelSession>(base_)), logits_of(session_)));
}

TEST_F(AdapterFile, NamesItsModelByAChecksumWhateverTheTypeOfMatrices) {
  const auto checksum = [](LanguageModelSession session) {
    return base_checksum(nn::parameters_of(session.model));
  };
  const std::string expected = checksum(session_);
  EXPECT_EQ(checksum(load_any_packed<LanguageModelSession>(base_, Precision::kInt8)), expected);
  EXPECT_NE(checksum(small_language_model("--norm-kind layer")), expected);
  LanguageModelSession other = small_language_model();
  for (const auto& [name, p] : nn::parameters_of(other.model)) {
    if (!p->is_matrix()) p->value.data<float>()[0] += 1;
  }
  EXPECT_NE(checksum(other), expected);
}

TEST_F(AdapterFile, OfAnotherModelIsRefused) {
  const struct {
    std::function<void(Adapter&)> change;
    const char* expected;
  } cases[] = {
      {[](Adapter& a) { a.options.base_checksum = "0123456789abcdef"; },
       "changed: base-checksum 0123456789abcdef; expected "},
      {[](Adapter& a) { a.updates[0].weight = "model.encoder.layers.0.self_attn.q_proj.weight"; },
       "changed: an update of 'model.encoder.layers.0.self_attn.q_proj.weight', which is no linear "
       "map of the model"},
      {[](Adapter& a) { a.updates[0].weight = "model.decoder.embed_tokens.weight"; },
       "changed: an update of 'model.decoder.embed_tokens.weight', which is no linear map"},
      {[](Adapter& a) {
         a.updates[0].up = Tensor::zeros({15, 3});
       },
       "is of a matrix [15, 16]; expected [16, 16]"},
      {[](Adapter& a) {
         a.updates[0].down = Tensor::zeros({3, 17});
       },
       "is of a matrix [16, 17]; expected [16, 16]"},
      {[](Adapter& a) {
         a.updates[0].up = Tensor::zeros({16, 2});
       },
       "q_proj.lora_b.weight' has 2 columns; expected 3, the rows of 'model.decoder.layers.0."
       "self_attn.q_proj.lora_a.weight'"},
      {[](Adapter& a) { a.updates.clear(); }, "changed: no updates; expected at least one"},
  };
  for (const auto& c : cases) EXPECT_THAT(refusal(c.change), HasSubstr(c.expected));
}

TEST_F(AdapterFile, WithOtherTensorsIsRefused) {
  const auto refusal_of = [&](const std::string& name, const Tensor& tensor) {
    AdapterOptions options;
    StoredMatrices tensors;
    tensors.add(name, tensor);
    write(folder_.path("odd"), {options::options_to_json(options), {}}, std::move(tensors));
    return test::message_of<FormatError>([&] { read_adapter(folder_.path("odd")); });
  };
  EXPECT_THAT(refusal_of("other", Tensor::zeros({2, 2})),
              HasSubstr("odd: tensor 'other' is not part of an adapter"));
  EXPECT_THAT(refusal_of("a.lora_a.weight", Tensor::zeros({2, 2})),
              HasSubstr("odd: no tensor 'a.lora_b.weight'"));
  EXPECT_THAT(refusal_of("a.lora_a.weight", Tensor::zeros({2, 2}, DType::kBF16)),
              HasSubstr("tensor 'a.lora_a.weight' is BF16 [2, 2]; expected a matrix of F32"));
  EXPECT_THAT(refusal_of("a.lora_a.weight", Tensor::zeros({4})),
              HasSubstr("expected a matrix of F32"));
}

TEST_F(AdapterFile, IsNoModelAndAModelIsNoAdapter) {
  EXPECT_THAT(test::message_of<FormatError>([&] { load<LanguageModelSession>(path_); }),
              HasSubstr("is a model of type 'adapter'; expected language-model; hint: it is for "
                        "weft generate --lora, beside its model"));
  EXPECT_THAT(test::message_of<FormatError>([&] { read_adapter(base_); }),
              HasSubstr("is a model of type 'language-model'; expected adapter"));
  auto session = adapted(Precision::kFloat32);
  EXPECT_THAT(test::message_of<OptionError>([&] { attach_adapter(session, path_); }),
              HasSubstr("has one already"));
}

}  // namespace
}  // namespace weft::model_file
