#include "weft/formats/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"

namespace weft::formats {
namespace {

using test::read_bytes;
using test::same_bits;
using test::Scratch;
using test::values;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kForeign = test::source_path("tests/golden/foreign.safetensors");

NamedTensors some_tensors() {
  return {{"bytes", Tensor::from<uint8_t>(std::vector<uint8_t>{1, 2, 3}, {3})},
          {"weight", test::random_tensor({3, 5}, 1, DType::kF32)},
          {"brain", test::random_tensor({2, 3}, 2, DType::kBF16)},
          {"int8", Tensor::from<int8_t>(std::vector<int8_t>{-1, 5}, {1, 2})},
          {"a.bias", test::random_tensor({5}, 3, DType::kF32)},
          {"ids", Tensor::from<int32_t>(std::vector<int32_t>{7, -7}, {2})},
          {"double", test::random_tensor({2, 1}, 4, DType::kF64)},
          {"scalar", Tensor::full({}, 2.5)},
          {"none", Tensor::zeros({0, 4})}};
}

// The bytes of a valid file.
std::string small_file(const Scratch& scratch) {
  save_safetensors(scratch.path("s"),
                   {{"weight", Tensor::full({2, 2}, 1)},
                    {"vocab", Tensor::from<uint8_t>(std::vector<uint8_t>{1, 2, 3}, {3})}},
                   {{"options", "{\"a\":1}"}}, {{"tied", "weight"}});
  return read_bytes(scratch.path("s"));
}

TEST(Safetensors, RoundTrip) {
  const Scratch scratch;
  const NamedTensors tensors = some_tensors();
  const std::map<std::string, std::string> metadata = {{"weft.options", "{\"x\": \"é\\n\"}"},
                                                       {"empty", ""}};
  save_safetensors(scratch.path("m"), tensors, metadata, {{"tied", "weight"}});
  const SafetensorsFile file(scratch.path("m"));
  EXPECT_EQ(file.metadata(), metadata);
  EXPECT_EQ(file.entries().size(), tensors.size());
  for (const auto& [name, tensor] : tensors) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(file.has(name));
    EXPECT_TRUE(same_bits(file.tensor(name), tensor));
  }
  EXPECT_TRUE(same_bits(file.tensor("tied"), tensors[1].second));
  EXPECT_EQ(file.tensor("tied").bytes(), file.tensor("weight").bytes());
  EXPECT_FALSE(file.has("other"));
}

TEST(Safetensors, AreStoredWidestFirstInTheGivenOrder) {
  const Scratch scratch;
  save_safetensors(scratch.path("m"), some_tensors());
  const SafetensorsFile file(scratch.path("m"));
  EXPECT_THAT(file.names(), ElementsAre("double", "weight", "a.bias", "scalar", "none", "ids",
                                        "brain", "int8", "bytes"));
  for (const auto& e : file.entries()) {
    const Tensor t = file.tensor(e.name);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(t.bytes()) % size_of(t.dtype()), 0u) << e.name;
  }
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file.tensor("double").bytes()) % 64, 0u);
}

TEST(Safetensors, HaveTheSameBytesEveryTime) {
  const Scratch scratch;
  for (const char* name : {"a", "b"}) {
    save_safetensors(scratch.path(name), some_tensors(), {{"k", "v"}}, {{"z", "ids"}});
  }
  EXPECT_EQ(read_bytes(scratch.path("a")), read_bytes(scratch.path("b")));
}

TEST(Safetensors, StoreStridedViewsDensely) {
  const Scratch scratch;
  const Tensor x = test::random_tensor({4, 6}, 1, DType::kF32);
  save_safetensors(scratch.path("m"), {{"x", x.col_range(1, 3)}});
  const SafetensorsFile file(scratch.path("m"));
  EXPECT_TRUE(same_bits(file.tensor("x"), x.col_range(1, 3).clone()));
}

TEST(Safetensors, OutliveTheirFile) {
  const Scratch scratch;
  Tensor weight;
  {
    save_safetensors(scratch.path("m"), {{"w", Tensor::full({100, 100}, 3)}});
    const SafetensorsFile file(scratch.path("m"));
    weight = file.tensor("w");
    file.release("w");
  }
  save_safetensors(scratch.path("m"), {{"w", Tensor::full({1}, 4)}});
  EXPECT_THAT(values(weight), testing::Each(3));
}

TEST(Safetensors, OfTheReferenceLibraryAreRead) {
  const SafetensorsFile file(kForeign);
  EXPECT_EQ(file.metadata().at("note"), "quotes \" and ünïcode 你好");
  EXPECT_THAT(values(file.tensor("layer.weight")), ElementsAre(-1, -0.75, -0.5, -0.25, 0, 0.25));
  EXPECT_EQ(file.tensor("layer.weight").shape(), (Shape{2, 3}));
  EXPECT_THAT(values(file.tensor("layer.bias").to(DType::kF32)), ElementsAre(1.5, -2, 0.0078125));
  EXPECT_THAT(values(file.tensor("double")), ElementsAre(1e300, -1e-300));
  EXPECT_THAT(file.tensor("ids").span<int32_t>(), ElementsAre(0, -1, 2147483647));
  EXPECT_THAT(file.tensor("small").span<int8_t>(), ElementsAre(-128, 127, 0));
  EXPECT_THAT(file.tensor("bytes").span<uint8_t>(), ElementsAre(0, 255, 7, 9, 11));
  EXPECT_EQ(file.tensor("cube").shape(), (Shape{2, 3, 2, 2}));
  EXPECT_EQ(file.tensor("cube").span<float>()[23], 23);
  EXPECT_EQ(file.tensor("scalar").item(), 2.5);
  EXPECT_EQ(file.tensor("nothing").shape(), (Shape{0, 4}));
  EXPECT_EQ(file.tensor("half").dtype(), DType::kF32);
  EXPECT_THAT(values(file.tensor("half")), ElementsAre(1, 2));
  EXPECT_EQ(file.shape("half"), Shape{2});
}

TEST(Safetensors, AreWrittenInHalfPrecision) {
  const test::Scratch scratch;
  const Tensor x = test::random_tensor({3, 5}, 1, DType::kF32);
  save_float16_safetensors(scratch.path("m"), {{"x", x}}, {{"format", "pt"}});
  const SafetensorsFile file(scratch.path("m"));
  EXPECT_EQ(file.entries().front().dtype, "F16");
  EXPECT_EQ(file.entries().front().end, 30);
  EXPECT_LT(test::distance(file.tensor("x"), x), 1.0 / 2048);
}

TEST(Safetensors, ReportUnsupportedTensors) {
  const SafetensorsFile file(kForeign);
  const auto error = [&](const std::string& name) {
    return test::message_of<Error>([&] { file.tensor(name); });
  };
  EXPECT_EQ(error("long"), kForeign +
                               ": tensor 'long' is of type I64; expected F32, F16, BF16, I32, "
                               "I8, U8 or F64");
  EXPECT_EQ(error("five"), kForeign + ": tensor 'five' has 5 dimensions; expected at most 4");
  EXPECT_EQ(error("layer.weigth"),
            kForeign + ": no tensor 'layer.weigth'; hint: did you mean layer.weight?");
  EXPECT_THAT(test::message_of<Error>([&] { file.release("x"); }), HasSubstr(": no tensor 'x'"));
}

TEST(Safetensors, AtMisalignedAddressesAreCopied) {
  const Scratch scratch;
  std::string header = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  while (header.size() % 4 != 1) header += ' ';
  const float numbers[] = {1.5F, -3};
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size());
  bytes += header + std::string(reinterpret_cast<const char*>(numbers), 8);
  const SafetensorsFile file(scratch.file("odd", bytes));
  const Tensor a = file.tensor("a");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a.bytes()) % 4, 0u);
  EXPECT_THAT(values(a), ElementsAre(1.5, -3));
}

TEST(Safetensors, ThatCannotBeReadAreReported) {
  const Scratch scratch;
  const auto error = [](const std::string& path) {
    return test::message_of<Error>([&] { SafetensorsFile file(path); });
  };
  const std::string missing = scratch.path("missing");
  EXPECT_EQ(error(missing), missing + ": cannot be opened: No such file or directory");
  EXPECT_EQ(error(scratch.folder()),
            scratch.folder() + ": is a directory; expected a regular file");
  const std::string empty = scratch.file("empty", "");
  EXPECT_EQ(error(empty), empty + ": not a safetensors file: expected at least 8 bytes, got 0");
}

TEST(Safetensors, ThatCannotBeSavedKeepTheOldFile) {
  const Scratch scratch;
  const std::string path = scratch.file("m", "old");
  const Tensor x = Tensor::zeros({1});
  EXPECT_EQ(test::message_of<Error>([&] {
              save_safetensors(path, {{"x", x}, {"x", x}});
            }),
            path + ": two tensors are named 'x'");
  EXPECT_EQ(test::message_of<Error>([&] {
              save_safetensors(path, {{"x", Tensor()}});
            }),
            path + ": tensor 'x' is empty");
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_THAT(scratch.names(), ElementsAre("m"));
}

TEST(Safetensors, WithAChecksumDetectEveryChangedByte) {
  const Scratch scratch;
  const Tensor strided = test::random_tensor({4, 6}, 1, DType::kF32).col_range(1, 3);
  NamedTensors tensors = some_tensors();
  tensors.emplace_back("strided", strided);
  const std::map<std::string, std::string> metadata = {{"note", "\"weft.checksum\":\"xxh3:"}};
  save_safetensors(scratch.path("m"), tensors, metadata, {{"tied", "weight"}}, WithChecksum::kYes);
  const SafetensorsFile file(scratch.path("m"));
  ASSERT_TRUE(file.has_checksum());
  file.check();
  EXPECT_EQ(file.metadata(), metadata);
  const std::string whole = read_bytes(scratch.path("m"));
  const size_t key = whole.find("\"weft.checksum\"");
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const char bits : {'\x01', '\x80'}) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ bits);
      const std::string path = scratch.file("changed", changed);
      bool is_found = false;
      try {
        const SafetensorsFile damaged(path);
        if (damaged.has_checksum()) damaged.check();
        is_found = !damaged.has_checksum() && i > key && i < key + 14;
      } catch (const FormatError& error) {
        is_found = std::string(error.what()).starts_with(path + ": ");
      }
      EXPECT_TRUE(is_found) << i;
    }
  }
}

TEST(Safetensors, ReportInvalidChecksums) {
  const Scratch scratch;
  EXPECT_THAT(test::message_of<Error>([&] {
                save_safetensors(scratch.path("m"), {}, {{"weft.checksum", "xxh3:0"}});
              }),
              HasSubstr("'weft.checksum' is reserved"));
  save_safetensors(scratch.path("m"), some_tensors(), {}, {}, WithChecksum::kYes);
  std::string bytes = read_bytes(scratch.path("m"));
  bytes.back() ^= 1;
  const std::string path = scratch.file("damaged", bytes);
  EXPECT_THAT(test::message_of<Error>([&] { SafetensorsFile(path).check(); }),
              testing::MatchesRegex(".*: checksum mismatch; expected [0-9a-f]+, got [0-9a-f]+; "
                                    "hint: the file is damaged, use another copy"));
  bytes.replace(bytes.find("xxh3:"), 5, "md05:");
  EXPECT_THAT(test::message_of<Error>([&] { SafetensorsFile file(scratch.file("m", bytes)); }),
              HasSubstr("; expected xxh3: and 16 hexadecimal digits"));
}

TEST(Safetensors, DamagedFilesAreRefusedByName) {
  const Scratch scratch;
  const std::string whole = small_file(scratch);
  for (size_t length = 0; length < whole.size(); length += 19) {
    const std::string path = scratch.file("cut", whole.substr(0, length));
    EXPECT_THAT(test::message_of<Error>([&] { SafetensorsFile file(path); }),
                HasSubstr(path + ": "));
  }
}

}  // namespace
}  // namespace weft::formats
