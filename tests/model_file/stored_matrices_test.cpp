#include "weft/model_file/stored_matrices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model_file/small_language_model.h"
#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"

namespace weft::model_file {
namespace {

using kernels::BlockType;
using kernels::PackedType;
using testing::HasSubstr;

// Each type is read as it was written.
TEST(StoredMatrices, ComeBackAsTheyWere) {
  const test::Scratch folder;
  const Tensor values = test::random_tensor({20, 70}, 4, DType::kF32);
  const PackedType types[] = {DType::kF32, DType::kBF16, DType::kI8, BlockType::kQ8_0,
                              BlockType::kQ4_0};
  StoredMatrices written;
  for (const PackedType type : types) written.add(std::string(name_of(type)), values, type);
  formats::save_safetensors(folder.path("file"), written.tensors, written.metadata);
  const formats::SafetensorsFile file(folder.path("file"));
  const MatrixReader reader(file);
  EXPECT_EQ(file.metadata().at("weft.blocks.Q4_0"), "Q4_0 70");
  EXPECT_TRUE(reader.is_part("I8.scales"));
  for (const PackedType type : types) {
    const std::string name(name_of(type));
    const PackedWeight expected(values, type);
    EXPECT_EQ(reader.type(name), type);
    EXPECT_EQ(reader.shape(name), values.shape());
    EXPECT_FALSE(reader.is_part(name));
    EXPECT_TRUE(test::same_bits(reader.float32(name), expected.to_float32()));
    EXPECT_TRUE(test::same_bits(reader.packed(name, type).to_float32(), expected.to_float32()));
    EXPECT_EQ(reader.packed(name, type).type(), type);
    EXPECT_TRUE(
        test::same_bits(reader.packed(name, DType::kF32).to_float32(), expected.to_float32()));
  }
}

TEST(StoredMatrices, AreRefusedWhereTheyContradictTheMetadata) {
  const test::Scratch folder;
  const Tensor bytes = Tensor::zeros({3, 34}, DType::kU8);
  const std::pair<const char*, const char*> cases[] = {
      {"Q8_0", "is 'Q8_0'; expected a type of blocks and the number of columns"},
      {"Q9_0 32", "is 'Q9_0 32'; expected a type of blocks"},
      {"Q8_0 x", "is 'Q8_0 x'; expected"},
      {"Q8_0 0", "is 'Q8_0 0'; expected"},
      {"Q8_0 -32", "is 'Q8_0 -32'; expected"},
      {"Q8_0 32 ", "is 'Q8_0 32 '; expected"},
      {"Q8_0 9223372036854775807", "expected a type"},
      {"Q8_0 33", "tensor 'w' has the wrong shape; expected U8 [rows, 68], got U8 [3, 34]"},
      {"Q4_0 32", "tensor 'w' has the wrong shape; expected U8 [rows, 18], got U8 [3, 34]"}};
  for (const auto& [text, message] : cases) {
    formats::save_safetensors(folder.path("file"), {{"w", bytes}}, {{"weft.blocks.w", text}});
    const formats::SafetensorsFile file(folder.path("file"));
    EXPECT_THAT(test::message_of<FormatError>([&] { MatrixReader(file).type("w"); }),
                testing::AllOf(testing::StartsWith(file.path()), HasSubstr(message)))
        << text;
  }
  formats::save_safetensors(folder.path("file"), {{"w", Tensor::zeros({3, 34})}},
                            {{"weft.blocks.w", "Q8_0 32"}});
  const formats::SafetensorsFile file(folder.path("file"));
  EXPECT_THAT(test::message_of<FormatError>([&] { MatrixReader(file).float32("w"); }),
              HasSubstr("expected U8 [rows, 34], got F32 [3, 34]"));
}

PackedType type_in(const LanguageModelSession& session, const std::string& name) {
  auto model = session.model;
  for (const auto& [known, p] : nn::parameters_of(model)) {
    if (known == name) return p->packed.type();
  }
  return DType::kU8;
}

TEST(LanguageModelsInBlocks, AreRoundedInAFileAsInMemory) {
  const test::Scratch folder;
  const LanguageModelSession session = small_language_model();
  save(folder.path("model"), session, session.parameters);
  data::Tokens text;
  text.add(std::vector<int32_t>{4, 7, 2, 8});
  for (const Precision precision : {Precision::kInt8, Precision::kInt4}) {
    save_rounded(folder.path("small"), session, precision);
    const auto stored = load_packed<LanguageModelSession>(folder.path("small"), Precision::kStored);
    EXPECT_EQ(type_in(stored, "model.decoder.embed_tokens.weight"), PackedType(BlockType::kQ8_0));
    EXPECT_EQ(type_in(stored, "lm_head.weight"), PackedType(BlockType::kQ8_0));
    EXPECT_EQ(type_in(stored, "model.decoder.layers.0.self_attn.q_proj.weight"),
              PackedType(precision == Precision::kInt4 ? BlockType::kQ4_0 : BlockType::kQ8_0));
    const auto direct = load_packed<LanguageModelSession>(folder.path("model"), precision);
    const Tensor logits = stored.model.logits(text, {});
    EXPECT_TRUE(test::same_bits(logits, direct.model.logits(text, {})));
    // As float32, for training, the rounded numbers are kept.
    const auto floats = load<LanguageModelSession>(folder.path("small"));
    save_rounded(folder.path("again"), floats, Precision::kFloat32);
    const auto packed = load_packed<LanguageModelSession>(folder.path("again"), Precision::kStored);
    EXPECT_TRUE(test::same_bits(packed.model.logits(text, {}), floats.model.logits(text, {})));
    EXPECT_EQ(ModelFile(folder.path("small")).tensors().size(),
              ModelFile(folder.path("model")).tensors().size());
  }
}

}  // namespace
}  // namespace weft::model_file
