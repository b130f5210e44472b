// GGUF files against the Python package of llama.cpp (tools/golden/gguf_file.py).
#include "weft/formats/gguf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
#include "weft/formats/gguf_quantise.h"
#include "weft/formats/gguf_writer.h"

namespace weft::formats {
namespace {

using testing::HasSubstr;

const std::string& gguf_bytes() {
  static const std::string bytes =
      test::read_bytes(test::source_path("tests/golden/gguf/types.gguf"));
  return bytes;
}

std::string gguf_error(std::string_view bytes) {
  return test::message_of<FormatError>([&] { parse_gguf("m.gguf", bytes); });
}

const GgufTensor& tensor_of(const GgufContents& contents, std::string_view name) {
  return *std::ranges::find(contents.tensors, name, &GgufTensor::name);
}

// The file with the bytes of `from`, which is in it once, replaced by others.
std::string replaced(std::string_view from, std::string_view to) {
  std::string out = gguf_bytes();
  return out.replace(out.find(from), to.size(), to);
}

TEST(Gguf, HasMetadataOfEveryType) {
  const auto metadata = parse_gguf("m.gguf", gguf_bytes()).metadata;
  EXPECT_EQ(metadata.at("general.architecture"), "test");
  EXPECT_EQ(metadata.at("test.uint8"), 200);
  EXPECT_EQ(metadata.at("test.int8"), -100);
  EXPECT_EQ(metadata.at("test.uint16"), 60000);
  EXPECT_EQ(metadata.at("test.int16"), -30000);
  EXPECT_EQ(metadata.at("test.uint32"), 4000000000u);
  EXPECT_EQ(metadata.at("test.int32"), -2000000000);
  EXPECT_EQ(metadata.at("test.uint64"), (uint64_t{1} << 63) + 1);
  EXPECT_EQ(metadata.at("test.int64"), -(int64_t{1} << 62));
  EXPECT_EQ(metadata.at("test.float32"), 0.1f);
  EXPECT_EQ(metadata.at("test.float64"), 0.1);
  EXPECT_EQ(metadata.at("test.bool"), true);
  EXPECT_EQ(metadata.at("test.string"), "naïve");
  EXPECT_EQ(metadata.at("test.strings"), (std::vector<std::string>{"a", "", "ö"}));
  EXPECT_EQ(metadata.at("test.integers"), (std::vector<int>{1, -2, 3}));
  EXPECT_EQ(metadata.at("test.floats"), (std::vector<double>{0.5, -1.5}));
}

TEST(Gguf, DequantisesEveryTypeAsLlamaCppDoes) {
  const GgufContents contents = parse_gguf("m.gguf", gguf_bytes());
  ASSERT_EQ(contents.tensors.size(), 22u);
  for (const char* name :
       {"f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "q4_k", "q5_k", "q6_k"}) {
    SCOPED_TRACE(name);
    const GgufTensor& tensor = tensor_of(contents, name);
    EXPECT_EQ(tensor.shape, (std::vector<int64_t>{2, 256}));
    EXPECT_STRCASEEQ(std::string(layout_of(tensor.type).name).c_str(), name);
    std::vector<float> numbers(512), expected(512);
    dequantise(tensor.type, tensor.data, numbers);
    const GgufTensor& golden = tensor_of(contents, std::string(name) + ".float32");
    std::memcpy(expected.data(), golden.data.data(), golden.data.size());
    EXPECT_THAT(numbers, testing::Pointwise(testing::FloatNear(1e-6), expected));
    EXPECT_GT(std::ranges::max(numbers), 0.1);
  }
}

TEST(Gguf, QuantisesAsLlamaCppDoes) {
  const std::string bytes = test::read_bytes(test::source_path("tests/golden/gguf/written.gguf"));
  const GgufContents contents = parse_gguf("m.gguf", bytes);
  const Tensor numbers = Tensor::empty(Shape{2, 256});
  const std::string_view data = tensor_of(contents, "numbers").data;
  std::memcpy(numbers.bytes(), data.data(), data.size());
  for (const char* name : {"f16", "bf16", "q8_0", "q4_0"}) {
    const GgufTensor& tensor = tensor_of(contents, name);
    EXPECT_EQ(quantise(tensor.type, numbers), tensor.data) << name;
  }
  EXPECT_THAT(test::message_of<OptionError>([&] { quantise(GgufType::kQ6_K, numbers); }),
              HasSubstr("Q6_K is not written"));
}

// The numbers that a block that begins with these, followed by zeros, stands for once it is read.
std::vector<float> rounded_block(GgufType type, std::initializer_list<float> first) {
  const Tensor numbers = Tensor::zeros({1, 32});
  std::ranges::copy(first, numbers.data<float>());
  std::vector<float> out(32);
  dequantise(type, quantise(type, numbers), out);
  return out;
}

TEST(Gguf, QuantisesEveryNumber) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  for (const GgufType type : {GgufType::kQ8_0, GgufType::kQ4_0}) {
    SCOPED_TRACE(layout_of(type).name);
    EXPECT_THAT(rounded_block(type, {kNaN, 1}), testing::Each(testing::IsNan()));
    EXPECT_THAT(rounded_block(type, {1, -kNaN}), testing::Each(testing::IsNan()));
    const float infinity = std::numeric_limits<float>::infinity();
    EXPECT_THAT(rounded_block(type, {infinity}), testing::Each(testing::IsNan()));
    // Scales below the numbers of 16 bits.
    for (const float tiny : {1e-44f, 1e-40f}) {
      EXPECT_THAT(rounded_block(type, {tiny, -tiny}), testing::Each(0)) << tiny;
    }
    // Integers of a scale that 16 bits do not hold.
    const std::vector<float> large = rounded_block(type, {kLargest, -kLargest});
    EXPECT_EQ(large[0], infinity);
    EXPECT_EQ(large[1], -infinity);
  }
  EXPECT_THAT(rounded_block(GgufType::kBF16, {kNaN}), testing::Contains(testing::IsNan()));
}

TEST(Gguf, IsReadAsItWasWritten) {
  const test::Scratch folder;
  const nlohmann::ordered_json metadata = {
      {"a.bool", true},    {"a.string", "naïve"},   {"a.number", 4000000000u},
      {"a.negative", -3},  {"a.float", 0.5},        {"a.strings", {"", "b"}},
      {"a.flags", {true}}, {"a.integers", {1, -2}}, {"a.floats", {0.25, 2.0}}};
  const Tensor odd = Tensor::empty(Shape{3}), matrix = Tensor::empty(Shape{2, 32});
  for (int64_t i = 0; i < 3; ++i) odd.data<float>()[i] = static_cast<float>(i) - 1;
  for (int64_t i = 0; i < 64; ++i) matrix.data<float>()[i] = static_cast<float>(i) / 4;
  const GgufTensorToWrite tensors[] = {{"odd", odd}, {"matrix", matrix, GgufType::kF16}};
  save_gguf(folder.path("m.gguf"), metadata, tensors);
  const std::string bytes = test::read_bytes(folder.path("m.gguf"));
  const GgufContents read = parse_gguf("m.gguf", bytes);
  EXPECT_EQ(read.metadata, metadata);
  EXPECT_EQ(tensor_of(read, "matrix").shape, (std::vector<int64_t>{2, 32}));
  EXPECT_EQ(tensor_of(read, "matrix").type, GgufType::kF16);
  std::vector<float> values(3), halves(64);
  dequantise(GgufType::kF32, tensor_of(read, "odd").data, values);
  dequantise(GgufType::kF16, tensor_of(read, "matrix").data, halves);
  EXPECT_THAT(values, testing::ElementsAre(-1, 0, 1));
  EXPECT_THAT(halves, testing::ElementsAreArray(matrix.span<float>()));
  EXPECT_THROW(gguf_header({{"a", nullptr}}, {}), FormatError);
}

TEST(Gguf, RefusesListsOfSeveralTypes) {
  using Json = nlohmann::ordered_json;
  for (const Json& list : {Json{1, "b"}, Json{"b", 1}, Json{0.5, 1}, Json{1, 0.5}, Json{true, 1},
                           Json{1, true}, Json{-1, 4000000000u}, Json{"b", nullptr}}) {
    EXPECT_EQ(test::message_of<FormatError>([&] {
                gguf_header({{"a.list", list}}, {});
              }).substr(0, 15),
              "gguf: 'a.list' ")
        << list;
  }
  const Json lists = Json::array({Json::array({1})});
  EXPECT_THAT(test::message_of<FormatError>([&] {
                gguf_header({{"a.list", lists}}, {});
              }),
              HasSubstr("'a.list' is a list of lists or of several types; expected one type"));
}

TEST(Gguf, EndsInAnErrorWhereverItIsCutOff) {
  const std::string& bytes = gguf_bytes();
  for (size_t size = 0; size < bytes.size(); size += size < 3000 ? 1 : 997) {
    EXPECT_THROW(parse_gguf("m.gguf", std::string_view(bytes).substr(0, size)), FormatError)
        << size;
  }
}

// Whatever a byte of the head is, the file is parsed or refused.
TEST(Gguf, SurvivesDamagedBytes) {
  std::string bytes = gguf_bytes();
  for (size_t i = 0; i < 3000; ++i) {
    for (const char damage : {'\0', '\xFF', '\x7F'}) {
      const char kept = std::exchange(bytes[i], damage);
      try {
        for (const GgufTensor& tensor : parse_gguf("m.gguf", bytes).tensors) {
          std::vector<float> numbers(static_cast<size_t>(tensor.elements()));
          dequantise(tensor.type, tensor.data, numbers);
        }
      } catch (const FormatError&) {
      }
      bytes[i] = kept;
    }
  }
}

TEST(Gguf, NamesWhatIsWrong) {
  using std::literals::operator""sv;
  EXPECT_EQ(gguf_error("GGML"), "m.gguf: is no GGUF file");
  EXPECT_THAT(gguf_error(replaced("GGUF\3"sv, "GGUF\1"sv)), HasSubstr("has the version 1"));
  EXPECT_THAT(gguf_error(replaced("test.uint16"sv, "test.uint32"sv)),
              HasSubstr("duplicate key 'test.uint32'"));
  EXPECT_THAT(gguf_error(replaced("test.bool\7\0\0\0\1"sv, "test.bool\7\0\0\0\2"sv)),
              HasSubstr("'test.bool' is the boolean 2"));
  EXPECT_THAT(gguf_error(replaced("test.bool\7"sv, "test.bool\x3F"sv)),
              HasSubstr("'test.bool' has the unknown type 63"));
  EXPECT_THAT(gguf_error(replaced("test.strings\x09\0\0\0\x08"sv, "test.strings\x09\0\0\0\x09"sv)),
              HasSubstr("'test.strings' is a list of lists"));
  const std::string_view head = "q6_k\2\0\0\0\0\1\0\0\0\0\0\0\2\0\0\0\0\0\0\0\x0E"sv;
  EXPECT_THAT(gguf_error(replaced(head, "q6_k\5"sv)), HasSubstr("'q6_k' has 5 dimensions"));
  EXPECT_THAT(gguf_error(replaced(head, "q6_k\2\0\0\0\1\1"sv)),
              HasSubstr("'q6_k' has rows of 257 elements; expected whole blocks of 256"));
  EXPECT_THAT(gguf_error(replaced(head, "q6_k\2\0\0\0\0\1\0\0\0\0\0\0\0"sv)),
              HasSubstr("'q6_k' has a dimension of 0"));
  EXPECT_THAT(gguf_error(replaced(head, "q6_k\2\0\0\0\0\1\0\0\0\0\0\0\2\0\0\0\0\0\0\0\x0F"sv)),
              HasSubstr("'q6_k' has elements of type 15; expected F32, F16, BF16, Q8_0, "));
  EXPECT_THAT(gguf_error(replaced(head, "q6_k\2\0\0\0\0\1\0\0\0\0\0\0\0\1"sv)),
              HasSubstr("'q6_k' "));
}

}  // namespace
}  // namespace weft::formats
