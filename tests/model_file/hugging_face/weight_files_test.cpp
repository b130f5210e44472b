#include "weft/model_file/hugging_face/weight_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "weft/core/error.h"

namespace weft::model_file {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Tensor kOne = Tensor::full({2, 3}, 1), kTwo = Tensor::full({4}, 2);

// A folder with two shards.
class Shards : public testing::Test {
 protected:
  void SetUp() override {
    formats::save_safetensors(folder_.path("a.safetensors"), {{"one", kOne}});
    formats::save_safetensors(folder_.path("b.safetensors"), {{"two", kTwo}});
    index(R"({"one": "a.safetensors", "two": "b.safetensors"})");
  }
  void index(const std::string& map) const {
    folder_.file("model.safetensors.index.json",
                 R"({"metadata": {"total_size": 40}, "weight_map": )" + map + "}");
  }
  std::string message() const {
    return test::message_of<Error>([&] { const WeightFiles files(folder_.folder()); });
  }
  std::string message(const std::string& map) const {
    index(map);
    return message();
  }

  test::Scratch folder_;
};

TEST_F(Shards, AreReadAsOne) {
  const WeightFiles files(folder_.folder());
  EXPECT_THAT(files.names(), ElementsAre("one", "two"));
  EXPECT_EQ(files.shape("one"), (Shape{2, 3}));
  EXPECT_TRUE(test::same_bits(files.float32("two"), kTwo));
  EXPECT_EQ(files.path_of("two"), folder_.path("b.safetensors"));
  EXPECT_EQ(files.path_of("three"), folder_.path("model.safetensors.index.json"));
}

TEST_F(Shards, DoNotCountBesideOneFile) {
  formats::save_safetensors(folder_.path("model.safetensors"), {{"all", kTwo}});
  EXPECT_THAT(WeightFiles(folder_.folder()).names(), ElementsAre("all"));
}

std::string torch_bytes() {
  return test::read_bytes(test::source_path("tests/golden/torch/tensors.bin"));
}

TEST(TorchWeights, AreReadWhereNoOthersAreThere) {
  const test::Scratch folder;
  const std::string path = folder.file("pytorch_model.bin", torch_bytes());
  const formats::SafetensorsFile expected(
      test::source_path("tests/golden/torch/tensors.safetensors"));
  const WeightFiles files(folder.folder());
  EXPECT_EQ(files.names().size(), expected.names().size());
  EXPECT_EQ(files.path_of("matrix"), path);
  EXPECT_EQ(files.type_name("half"), "F16");
  EXPECT_EQ(std::get<DType>(files.type("bfloat")), DType::kBF16);
  for (const char* name : {"matrix", "middle", "transposed", "half", "bfloat"}) {
    EXPECT_EQ(files.shape(name), expected.shape(name));
    EXPECT_EQ(files.bytes(name), expected.bytes(name));
    EXPECT_TRUE(test::same_bits(files.float32(name), expected.tensor(name).to(DType::kF32)));
  }
  formats::save_safetensors(folder.path("model.safetensors"), {{"all", kTwo}});
  EXPECT_THAT(WeightFiles(folder.folder()).names(), ElementsAre("all"));
}

TEST(TorchWeights, AreShardsOfAnIndex) {
  const test::Scratch folder;
  folder.file("a.bin", torch_bytes());
  nlohmann::json map;
  for (const std::string& name : formats::TorchFile(folder.path("a.bin")).names()) {
    map[name] = "a.bin";
  }
  const auto write_index = [&] {
    folder.file("pytorch_model.bin.index.json", nlohmann::json{{"weight_map", map}}.dump());
  };
  write_index();
  EXPECT_EQ(WeightFiles(folder.folder()).shape("matrix"), (Shape{4, 6}));
  map.erase("vector");
  write_index();
  EXPECT_THAT(test::message_of<FormatError>([&] { const WeightFiles files(folder.folder()); }),
              HasSubstr("a.bin: tensor 'vector' is not listed by pytorch_model.bin.index.json"));
}

TEST(TorchWeights, AreNamedWhereNoneAreThere) {
  const test::Scratch folder;
  EXPECT_EQ(test::message_of<FileError>([&] { const WeightFiles files(folder.folder()); }),
            folder.path("model.safetensors") +
                ": no such file, and no pytorch_model.bin; expected the weights of the model");
}

TEST_F(Shards, AreFilesOfTheFolder) {
  for (const char* name :
       {"../a.safetensors", "/etc/passwd", "", ".", "..", "x\\\\y", "a.safetensors\\u0000"}) {
    EXPECT_THAT(message(std::string(R"({"one": ")") + name + "\"}"),
                HasSubstr("index.json: tensor 'one' is in "))
        << name;
  }
  EXPECT_THAT(message(R"({"one": 1})"), HasSubstr("tensor 'one' is in 1; expected the name of"));
  EXPECT_THAT(message(R"({"one": "c.safetensors"})"), HasSubstr("c.safetensors: cannot be opened"));
}

TEST_F(Shards, HaveTheTensorsOfTheIndex) {
  EXPECT_THAT(message(R"({"one": "a.safetensors", "two": "a.safetensors"})"),
              HasSubstr("index.json: tensor 'two' is not in 'a.safetensors'"));
  EXPECT_THAT(message(R"({"one": "a.safetensors", "one": "b.safetensors"})"),
              HasSubstr("field 'one' is given twice"));
  formats::save_safetensors(folder_.path("b.safetensors"), {{"two", kTwo}, {"more", kTwo}});
  EXPECT_THAT(message(R"({"one": "a.safetensors", "two": "b.safetensors"})"),
              HasSubstr("b.safetensors: tensor 'more' is not listed by model.safetensors.index"));
  formats::save_safetensors(folder_.path("b.safetensors"), {{"two", kTwo}, {"one", kOne}});
  EXPECT_THAT(message(), HasSubstr("b.safetensors: tensor 'one' is said to be in another file by"));
}

TEST_F(Shards, HaveAnIndexThatIsJson) {
  const auto index_error = [&](const char* text) {
    folder_.file("model.safetensors.index.json", text);
    return message();
  };
  EXPECT_THAT(index_error("{"), HasSubstr("index.json: not JSON"));
  EXPECT_THAT(index_error("{}"), HasSubstr("index.json: no field 'weight_map'"));
  EXPECT_THAT(index_error(R"({"weight_map": [1]})"), HasSubstr("'weight_map' is no object"));
}

TEST(WeightFiles, WidenHalfPrecision) {
  const test::Scratch folder;
  const Tensor x = Tensor::from(std::vector<float>{1, -2.5, 65504, 1.0F / 3}, {4});
  formats::save_float16_safetensors(folder.path("model.safetensors"), {{"x", x}});
  const WeightFiles files(folder.folder());
  EXPECT_THAT(files.float32("x").span<float>(), ElementsAre(1, -2.5, 65504, 0.333251953125F));
}

TEST(WeightFiles, AreFloatingPoint) {
  const test::Scratch folder;
  formats::save_safetensors(folder.path("model.safetensors"),
                            {{"ids", Tensor::zeros({2}, DType::kI32)}});
  const WeightFiles files(folder.folder());
  EXPECT_THAT(test::message_of<FormatError>([&] { files.float32("ids"); }),
              HasSubstr("model.safetensors: tensor 'ids' is I32; expected F32, F16 or BF16"));
}

}  // namespace
}  // namespace weft::model_file
