// Files of torch.save: tools/golden/torch_file.py made them.
#include "weft/formats/torch/torch_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "weft/core/error.h"
#include "weft/formats/safetensors.h"
#include "weft/formats/torch/tensor_pickle.h"

namespace weft::formats {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string golden(const std::string& name) {
  return test::source_path("tests/golden/torch/" + name);
}

TEST(TorchFile, HasTheTensorsThatWereSaved) {
  const SafetensorsFile expected(golden("tensors.safetensors"));
  for (const char* name : {"tensors.bin", "tensors.protocol4.bin"}) {
    SCOPED_TRACE(name);
    const TorchFile file(golden(name));
    EXPECT_EQ(file.names().size(), expected.names().size());
    for (const std::string& tensor : expected.names()) {
      SCOPED_TRACE(tensor);
      ASSERT_TRUE(file.has(tensor));
      EXPECT_EQ(file.dtype(tensor), expected.dtype(tensor));
      EXPECT_EQ(file.bytes(tensor), expected.bytes(tensor));
      if (tensor == "five") continue;
      EXPECT_EQ(file.shape(tensor), expected.shape(tensor));
      if (tensor == "ids" || tensor == "flags") continue;
      EXPECT_TRUE(test::same_bits(file.float32(tensor), expected.tensor(tensor).to(DType::kF32)));
      file.release(tensor);
    }
  }
}

TEST(TorchFile, NamesTheTensorThatIsNotThereOrOfAnotherKind) {
  const TorchFile file(golden("tensors.bin"));
  const auto message = [&](const char* name) {
    std::string out = test::message_of<FormatError>([&] { file.float32(name); });
    EXPECT_THAT(out, StartsWith(file.path()));
    return out;
  };
  EXPECT_THAT(message("matrx"), HasSubstr("no tensor 'matrx'; hint: did you mean matrix?"));
  EXPECT_THAT(message("ids"), HasSubstr("tensor 'ids' is I64; expected F32, F16 or BF16"));
  EXPECT_THAT(message("five"), HasSubstr("'five' has 5 dimensions; expected at most 4"));
}

std::string message_of_file(const std::string& bytes) {
  const test::Scratch scratch;
  const std::string path = scratch.file("model.bin", bytes);
  std::string out = test::message_of<FormatError>([&] { const TorchFile file(path); });
  EXPECT_THAT(out, StartsWith(path));
  return out.substr(path.size());
}

TEST(TorchFile, RefusesOtherFiles) {
  EXPECT_THAT(message_of_file(test::read_bytes(golden("legacy.bin"))),
              HasSubstr("no zip archive, as torch.save writes it from PyTorch 1.6 on"));
  EXPECT_THAT(message_of_file(""), HasSubstr("no zip archive"));
  EXPECT_THAT(message_of_file("version https://git-lfs.github.com/spec/v1\n"),
              HasSubstr("no zip archive"));
}

TEST(TorchFile, RefusesEveryFileThatWasCut) {
  const std::string whole = test::read_bytes(golden("tensors.bin"));
  for (size_t size = 4; size < whole.size(); size += 7) {
    EXPECT_THAT(message_of_file(whole.substr(0, size)), HasSubstr("damaged")) << size;
  }
}

// Each byte of the archive's records and of the pickle in turn.
TEST(TorchFile, ReadsOrRefusesEveryChangedByte) {
  const std::string whole = test::read_bytes(golden("tensors.bin"));
  const test::Scratch scratch;
  int refused = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ (i % 3 == 0 ? 0xFF : 1 << i % 8));
    const std::string path = scratch.file("model.bin", changed);
    try {
      const TorchFile file(path);
      for (const std::string& name : file.names()) {
        if (file.dtype(name) == "F32" && name != "five") file.float32(name);
      }
    } catch (const FormatError& error) {
      ++refused;
      EXPECT_THAT(error.what(), StartsWith(path));
    }
  }
  EXPECT_GT(refused, 500);
}

// What the pickle begins with: protocol 2.
const std::string kProtocol("\x80\x02", 2);

// A text of fewer than 256 bytes.
std::string text(const std::string& bytes) {
  return "X" + std::string(1, static_cast<char>(bytes.size())) + std::string(3, '\0') + bytes;
}

std::string refusal(const std::string& program) {
  return test::message_of<FormatError>([&] { parse_tensor_pickle("x", kProtocol + program); });
}

TEST(TensorPickle, RunsNothing) {
  EXPECT_THAT(refusal("cos\nsystem\n(" + text("ls") + "tR."),
              HasSubstr("x: the pickle asks for 'os.system'; expected a state_dict"));
  EXPECT_THAT(refusal("c__builtin__\neval\n."), HasSubstr("asks for '__builtin__.eval'"));
  EXPECT_THAT(refusal(std::string("\x8c\x02os\x8c\x06system\x93.", 13)), HasSubstr("'os.system'"));
  EXPECT_THAT(refusal("(ios\nsystem\n."), HasSubstr("instruction 105 of the pickle"));
  EXPECT_THAT(refusal("}\x81."), HasSubstr("instruction 129"));
}

TEST(TensorPickle, RefusesWhatIsNoStateDict) {
  EXPECT_THAT(refusal("N."), HasSubstr("no dictionary"));
  EXPECT_THAT(refusal("}(" + text("a") + "K\x01" + text("b") + "u."), HasSubstr("damaged"));
  const auto entry = [](const std::string& value) { return "}" + text("a") + value + "s."; };
  EXPECT_THAT(refusal(entry("K\x01")), HasSubstr("entry 'a' is no tensor"));
  EXPECT_THAT(refusal(entry("}")), HasSubstr("entry 'a' is no tensor"));
  EXPECT_THAT(refusal("}(a"), HasSubstr("damaged"));
  EXPECT_THAT(refusal("h\x05."), HasSubstr("damaged"));
  EXPECT_THAT(refusal("0."), HasSubstr("damaged"));
  EXPECT_THAT(refusal(""), HasSubstr("damaged"));
  EXPECT_THAT(refusal(std::string((1 << 23) + 1, 'N')), HasSubstr("expected at most 8388608"));
  EXPECT_THAT(parse_tensor_pickle("x", kProtocol + "}."), testing::IsEmpty());
}

// A list in itself, and tuples of tuples twice each: neither grows nor hangs.
TEST(TensorPickle, ReadsValuesThatAreUsedManyTimes) {
  std::string program =
      "]q\x02h\x02"
      "a0K\x01";
  for (int i = 0; i < 100000; ++i) {
    program += "q\x01h\x01\x86";
  }
  EXPECT_THAT(refusal(program + "."), HasSubstr("no dictionary"));
}

}  // namespace
}  // namespace weft::formats
