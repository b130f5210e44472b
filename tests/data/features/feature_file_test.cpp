#include "weft/data/features/feature_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstring>

#include "tests/support/scratch.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsNan;
using testing::ThrowsMessage;

// An .npy file as NumPy writes it.
template <class T>
std::string npy(const std::string& type, const std::string& shape, const std::vector<T>& values,
                const std::string& order = "False") {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  header.resize((10 + header.size()) / 64 * 64 + 64 - 10 - 1, ' ');
  header += '\n';
  std::string out = "\x93NUMPY\x01";
  out += '\0';
  out += static_cast<char>(header.size() & 0xFF);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  return out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

TEST(FeatureFile, ReadsCsv) {
  const FeatureSequence found = parse_features("1,-2.5\n+3e-1, ?\n\n,nan\r\n", "x.csv");
  EXPECT_EQ(found.width, 2);
  EXPECT_THAT(found.values, ElementsAre(1, -2.5f, 0.3f, IsNan(), IsNan(), IsNan()));
  EXPECT_THAT(parse_features("\xEF\xBB\xBFleft,right\n1,2\n", "x.csv").values, ElementsAre(1, 2));
}

TEST(FeatureFile, RefusesAPipe) {
  const test::Scratch folder;
  const std::string fifo = folder.path("fifo.npy");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THAT([&] { read_features(fifo); },
              ThrowsMessage<FileError>(fifo + ": is a pipe or a device; expected a regular file"));
}

TEST(FeatureFile, ReadsArraysOfNumpy) {
  const FeatureSequence floats =
      parse_features(npy<float>("<f4", "(2, 3)", {1, 2, 3, 4, 5, 6}), "x");
  EXPECT_EQ(floats.width, 3);
  EXPECT_EQ(floats.rows(), 2);
  EXPECT_THAT(floats.values, ElementsAre(1, 2, 3, 4, 5, 6));
  const FeatureSequence line = parse_features(npy<int16_t>("<i2", "(3,)", {-1, 0, 300}), "x");
  EXPECT_EQ(line.width, 1);
  EXPECT_THAT(line.values, ElementsAre(-1, 0, 300));
  EXPECT_THAT(parse_features(npy<double>("<f8", "(1, 2)", {0.5, std::nan("")}), "x").values,
              ElementsAre(0.5f, IsNan()));
}

TEST(FeatureFile, ReadsTimeSeriesOfSktime) {
  const test::Scratch folder;
  const std::string path =
      folder.file("x.ts",
                  "# a comment\n@problemName x\n@timeStamps false\n@classLabel true a b\n@data\n"
                  "1,2,3:4,5,?:a\n# another\n7:8:b\n");
  EXPECT_TRUE(is_ts(path));
  std::vector<TsExample> all;
  read_ts(path, [&](const TsExample& one) { all.push_back(one); });
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].label, "a");
  EXPECT_EQ(all[0].sequence.width, 2);
  EXPECT_THAT(all[0].sequence.values, ElementsAre(1, 4, 2, 5, 3, IsNan()));
  EXPECT_THAT(all[1].where, HasSubstr("x.ts:8"));
  EXPECT_FALSE(is_ts(folder.file("y.csv", "1,2\n")));
}

struct WrongFile {
  std::string bytes;
  const char* message;
};

TEST(FeatureFile, NamesWhatIsWrong) {
  const std::string good = npy<float>("<f4", "(2, 3)", {1, 2, 3, 4, 5, 6});
  for (const auto& [bytes, message] : std::vector<WrongFile>{
           {"", "x: no vector"},
           {"a,b\n", "x: no vector"},
           {"1,2\n3\n", "x:2: 1 numbers; expected 2"},
           {"1,2\n3,four\n", "x:2: expected a finite number, got 'four'"},
           {"1,2\n3,inf\n", "got 'inf'"},
           {"1,1e300\n", "got '1e300'"},
           {good.substr(0, 9), "is cut off"},
           {good.substr(0, 60), "a whole header"},
           {npy<float>(std::string(5000, 'f'), "(1, 1)", {1}), "of at most 4096 bytes"},
           {good.substr(0, good.size() - 1), "23 bytes of numbers; expected 2 x 3 of 4 bytes"},
           {good + "x", "25 bytes of numbers"},
           {npy<float>("<f4", "(99999999999999999999, 3)", {}), "a dimension of 9999"},
           {npy<float>("<f4", "(999999999999, 65536)", {}), "expected 999999999999 x 65536"},
           {npy<float>("<f4", "(2, 0)", {}), "vectors of 0 numbers"},
           {npy<float>("<f4", "(0, 2)", {}), "no vector"},
           {npy<float>("<f4", "(1, 1, 1)", {1}), "one or two dimensions"},
           {npy<float>("<f4", "()", {1}), "one or two dimensions"},
           {npy<float>("<f4", "(1, 2)", {1, 2}, "True"), "in C order"},
           {npy<float>(">f4", "(1, 2)", {1, 2}), "numbers of the type '>f4'"},
           {npy<float>("<f4", "(1, 1)", {INFINITY}), "an infinite number"}}) {
    EXPECT_THAT([&] { parse_features(bytes, "x"); }, ThrowsMessage<FormatError>(HasSubstr(message)))
        << message;
  }
}

TEST(FeatureFile, NamesWhatIsWrongInTimeSeries) {
  const test::Scratch folder;
  const std::string head = "@timestamps false\n@classlabel true a\n@data\n";
  for (const auto& [text, message] : std::vector<WrongFile>{
           {"@classLabel false\n@data\n1:a\n", "x.ts:2: no labels"},
           {"@timeStamps true\n", "x.ts:1: time stamps"},
           {"@classLabel true a\n", "x.ts: expected a line @data"},
           {head + "1,2\n", "x.ts:4: expected dimensions and a label"},
           {head + "1,2:3:a\n", "x.ts:4: dimension 2 has 1 values; expected 2"},
           {head + "1,x:3,4:a\n", "x.ts:4: expected a finite number, got 'x'"}}) {
    const std::string path = folder.file("x.ts", text);
    EXPECT_THAT([&] { read_ts(path, [](const TsExample&) {}); },
                ThrowsMessage<FormatError>(HasSubstr(message)))
        << message;
  }
}

}  // namespace
}  // namespace weft::data
