#include "weft/formats/safetensors_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/core/error.h"

namespace weft::formats {
namespace {

using testing::HasSubstr;

// A file with this JSON header and `data_bytes` bytes of data.
std::string file_of(const std::string& json, size_t data_bytes, int64_t length = -1) {
  if (length < 0) length = static_cast<int64_t>(json.size());
  std::string out;
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>(length >> (8 * i)));
  return out + json + std::string(data_bytes, '\1');
}

std::string header_error(const std::string& file) {
  try {
    parse_safetensors_header("f", file);
  } catch (const FormatError& e) {
    return e.what();
  }
  return "no error";
}

// The header entry of a tensor.
std::string tensor(const std::string& name, const std::string& rest) {
  return "\"" + name + "\":{" + rest + "}";
}

struct Case {
  std::string name;
  std::string json;
  size_t data_bytes;
  std::string error;
};

std::vector<Case> wrong_headers() {
  const std::string a = tensor("a", R"("dtype":"F32","shape":[2],"data_offsets":[0,8])");
  const auto one = [](const std::string& rest) { return "{" + tensor("a", rest) + "}"; };
  const auto aliased = [&](const std::string& list) {
    return R"({"__metadata__":{"weft.aliases":")" + list + "\"}," + a + "}";
  };
  return {
      {"an array", "[]", 0, "f: not a safetensors file: the header does not begin with {"},
      {"cut JSON", "{\"a\":", 0, "f: the header is not valid JSON"},
      {"text after it", "{} x", 0, "f: the header is not valid JSON"},
      {"bad UTF-8", "{\"\xff\":{}}", 0, "f: the header is not valid JSON"},
      {"nesting", one(R"("x":[[[[[[1]]]]]])"), 0, "f: the header is nested too deeply"},
      {"a name twice", "{" + a + "," + a + "}", 8, "f: duplicate key 'a' in the header"},
      {"a key twice", one(R"("dtype":"F32","dtype":"I32")"), 0, "duplicate key 'dtype'"},
      {"metadata no object", R"({"__metadata__":3})", 0, "f: the metadata is not a JSON object"},
      {"metadata no strings", R"({"__metadata__":{"k":3}})", 0,
       "f: 'k' in the metadata: expected a string, got number"},
      {"a number", R"({"a":3})", 0, "f: tensor 'a': expected an object, got number"},
      {"no type", one(R"("shape":[],"data_offsets":[0,0])"), 0, "f: tensor 'a' has no \"dtype\""},
      {"type no string", one(R"("dtype":4)"), 0, "f: tensor 'a' has no \"dtype\""},
      {"unknown type", one(R"("dtype":"F33","shape":[2],"data_offsets":[0,8])"), 8,
       "f: tensor 'a' has the unknown type 'F33'"},
      {"no shape", one(R"("dtype":"F32","data_offsets":[0,8])"), 8,
       "f: tensor 'a' has no list \"shape\""},
      {"shape no list", one(R"("dtype":"F32","shape":2,"data_offsets":[0,8])"), 8,
       "f: tensor 'a' has no list \"shape\""},
      {"negative", one(R"("dtype":"F32","shape":[-2],"data_offsets":[0,8])"), 8,
       "f: tensor 'a': \"shape\" contains '-2'; expected integers from 0 to 2^63 - 1"},
      {"fraction", one(R"("dtype":"F32","shape":[2.5],"data_offsets":[0,8])"), 8, "contains '2.5'"},
      {"2^63", one(R"("dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,8])"), 8,
       "contains '9223372036854775808'"},
      {"no offsets", one(R"("dtype":"F32","shape":[2])"), 8,
       "f: tensor 'a' has no list \"data_offsets\""},
      {"three offsets", one(R"("dtype":"F32","shape":[2],"data_offsets":[0,4,8])"), 8,
       "f: tensor 'a': expected 2 data_offsets, got 3"},
      {"backwards", one(R"("dtype":"F32","shape":[2],"data_offsets":[8,0])"), 8,
       "f: tensor 'a' begins at byte 8 and ends at 0"},
      {"too few bytes", one(R"("dtype":"F32","shape":[2,3],"data_offsets":[0,8])"), 8,
       "f: tensor 'a' has 8 bytes of data; expected 24 for F32 [2, 3]"},
      {"overflow", one(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0])"), 0,
       "f: tensor 'a' has too many elements"},
      {"overflow times zero",
       one(R"("dtype":"F32","shape":[4294967296,4294967296,0],"data_offsets":[0,0])"), 0,
       "f: tensor 'a' has too many elements"},
      {"beyond the end", one(R"("dtype":"F32","shape":[2],"data_offsets":[0,8])"), 7,
       "f: tensor 'a' ends at byte 8 of the data; expected at most 7"},
      {"a hole first", one(R"("dtype":"F32","shape":[2],"data_offsets":[4,12])"), 12,
       "f: tensor 'a' begins at byte 4 of the data, after a gap; expected 0"},
      {"overlap",
       "{" + a + "," + tensor("b", R"("dtype":"F32","shape":[2],"data_offsets":[4,12])") + "}", 12,
       "f: tensor 'b' begins at byte 4 of the data, inside another tensor; expected 8"},
      {"bytes after it", "{" + a + "}", 9,
       "f: 9 bytes of data; expected 8, where the last tensor ends"},
      {"data of nothing", "{}", 1, "f: 1 bytes of data; expected 0"},
      {"aliases no JSON", aliased("{"), 8, "f: the list of aliases is not valid JSON"},
      {"aliases no object", aliased("[]"), 8, "f: the list of aliases is not a JSON object"},
      {"alias of nothing", aliased(R"({\"b\":\"c\"})"), 8,
       "f: alias 'b' refers to 'c', which is not a tensor"},
      {"alias of itself", aliased(R"({\"a\":\"a\"})"), 8, "f: 'a' is both a tensor and an alias"},
  };
}

TEST(SafetensorsHeader, IsRefusedWithTheReason) {
  for (const Case& c : wrong_headers()) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(header_error(file_of(c.json, c.data_bytes)), HasSubstr(c.error));
  }
}

TEST(SafetensorsHeader, IsRefusedWhenItsLengthIsWrong) {
  EXPECT_EQ(header_error(""), "f: not a safetensors file: expected at least 8 bytes, got 0");
  EXPECT_EQ(header_error("1234567"), "f: not a safetensors file: expected at least 8 bytes, got 7");
  EXPECT_EQ(header_error("GGUF-123"),
            "f: a GGUF file; expected a safetensors file; hint: weft convert --from-gguf");
  const std::string cut = "f: not a safetensors file or truncated: ";
  EXPECT_EQ(header_error(file_of("{}", 0, 3)), cut + "a header of 3 bytes; expected at most 2");
  EXPECT_EQ(header_error(file_of("{}", 0, INT64_MAX)),
            cut + "a header of 9223372036854775807 bytes; expected at most 2");
  EXPECT_THAT(header_error(std::string(8, '\xff') + "{}"), HasSubstr(cut));
  EXPECT_THAT(header_error(file_of("{}", 0, 0)), HasSubstr("does not begin with {"));
  EXPECT_EQ(header_error(file_of("{}", 0)), "no error");
}

TEST(SafetensorsHeader, CannotBeWrittenWithDuplicateNames) {
  const auto error = [](const SafetensorsHeader& header) -> std::string {
    try {
      safetensors_header_text("f", header);
    } catch (const FormatError& e) {
      return e.what();
    }
    return "no error";
  };
  SafetensorsHeader header;
  header.entries = {{"a", "U8", {1}, 0, 1}};
  EXPECT_EQ(error(header), "no error");
  header.aliases = {{"b", "c"}};
  EXPECT_EQ(error(header), "f: alias 'b' refers to 'c', which is not a tensor");
  header.aliases = {{"a", "a"}};
  EXPECT_EQ(error(header), "f: 'a' is both a tensor and an alias");
  header.aliases = {};
  header.metadata = {{"weft.aliases", "{}"}};
  EXPECT_EQ(error(header), "f: metadata key 'weft.aliases' is reserved");
  header.metadata = {{"note", "\xff"}};
  EXPECT_THAT(error(header), HasSubstr("f: a name or the metadata is not valid UTF-8"));
  header.metadata = {};
  header.entries.push_back(header.entries[0]);
  EXPECT_EQ(error(header), "f: two tensors are named 'a'");
  header.entries = {{"__metadata__", "U8", {1}, 0, 1}};
  EXPECT_EQ(error(header), "f: tensor name '__metadata__' is reserved");
}

TEST(SafetensorsHeader, IsPaddedToSixtyFourBytes) {
  for (size_t length = 0; length < 70; ++length) {
    SafetensorsHeader header;
    header.entries = {{std::string(length, 'n'), "U8", {1}, 0, 1}};
    const std::string text = safetensors_header_text("f", header);
    EXPECT_EQ(text.size() % 64, 0u);
    const SafetensorsHeader again = parse_safetensors_header("f", text + "x");
    EXPECT_EQ(again.entries.at(0).name, header.entries[0].name);
    EXPECT_EQ(again.data_begin, text.size());
  }
}

// A valid file with every element of a header.
std::string whole_file() {
  SafetensorsHeader header;
  header.metadata = {{"options", "{\"a\":1}"}};
  header.aliases = {{"tied", "weight"}};
  header.entries = {{"weight", "F32", {2, 2}, 0, 16}, {"vocab", "U8", {3}, 16, 19}};
  return safetensors_header_text("f", header) + std::string(19, '\1');
}

// Whether the header is accepted. An accepted header must not point outside of the file.
bool is_accepted(const std::string& file) {
  try {
    const SafetensorsHeader header = parse_safetensors_header("f", file);
    for (const SafetensorsEntry& e : header.entries) {
      EXPECT_LE(e.begin, e.end);
      EXPECT_LE(header.data_begin + e.end, file.size());
    }
    return true;
  } catch (const FormatError&) {
    return false;
  }
}

TEST(SafetensorsHeader, IsRefusedWhenTheFileIsCutOffAnywhere) {
  const std::string whole = whole_file();
  EXPECT_TRUE(is_accepted(whole));
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(is_accepted(whole.substr(0, length))) << length;
  }
}

TEST(SafetensorsHeader, DamagedAnywhereIsRefusedOrStaysInsideTheFile) {
  const std::string whole = whole_file();
  int refused = 0;
  for (size_t position = 0; position < whole.size(); ++position) {
    for (const int flip : {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff}) {
      std::string bytes = whole;
      bytes[position] = static_cast<char>(bytes[position] ^ flip);
      refused += is_accepted(bytes) ? 0 : 1;
    }
    is_accepted(whole.substr(0, position) + whole.substr(position + 1));
    is_accepted(whole.substr(0, position) + "9" + whole.substr(position));
  }
  EXPECT_GT(refused, 1'000);
}

// Python's json writes a space behind a colon.
TEST(SafetensorsHeader, FindsTheChecksumWhateverTheSpaces) {
  const std::string digits = "0123456789abcdef";
  const std::string key = "\"weft.checksum\"";
  for (const std::string between : {":", ": ", " :\n\t"}) {
    const std::string text = "{\"a\": " + key + ", " + key + between + "\"xxh3:" + digits + "\"}";
    EXPECT_EQ(find_checksum(text), text.find(digits)) << between;
  }
  EXPECT_EQ(find_checksum("{\"a\": " + key + "}"), std::string::npos);
}

}  // namespace
}  // namespace weft::formats
