#include "weft/inspect/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/inspect/read_matrices.h"

namespace weft::inspect {
namespace {

using testing::HasSubstr;
using testing::Not;

ModelInspection inspection(std::string token) {
  ModelInspection out;
  out.summary.path = "folder/model.safetensors";
  out.summary.options = "{}";
  Example example{.name = "line 1", .input = token};
  example.axes = {{"source", TokenAxis{{token, "</s>"}}}};
  example.attentions = {{.stack = "encoder", .heads = {Tensor::full({2, 2}, 0.5)}}};
  example.predictions = {{.text = token,
                          .log_probability = -1,
                          .score = -0.5,
                          .tokens = {{.token = token, .probability = 0.25}}}};
  example.beam = {{.token = token, .parent = -1, .log_probability = -1, .is_end = true}};
  out.examples = {example};
  return out;
}

// The JSON inside a page.
nlohmann::json data_of(const std::string& page) {
  const std::string begin = "<script id=\"data\" type=\"text/plain\">";
  const size_t first = page.find(begin) + begin.size();
  const std::string packed = test::decode_base64(page.substr(first, page.find('<', first) - first));
  std::string out(1 << 20, '\0');
  uLongf size = out.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                       reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
            Z_OK);
  out.resize(size);
  return nlohmann::json::parse(out);
}

TEST(InspectionJson, HasWhatWasInspected) {
  const ModelInspection model = inspection("cats");
  const auto json = nlohmann::ordered_json::parse(to_json({&model, 1}));
  EXPECT_EQ(json["version"], 1);
  const auto& example = json["models"][0]["examples"][0];
  EXPECT_EQ(json["models"][0]["name"], "model.safetensors");
  EXPECT_EQ(example["axes"][0]["tokens"][0], "cats");
  EXPECT_EQ(example["attentions"][0]["role"], "self");
  for (const double value : test::read_matrices(example["attentions"][0]["heads"])) {
    EXPECT_NEAR(value, 0.5, 1e-4);
  }
  EXPECT_EQ(example["predictions"][0]["tokens"][0]["probability"], 0.25);
  EXPECT_EQ(example["beam"][0]["end"], true);
}

TEST(InspectionPage, HoldsTheDataAndRequestsNothing) {
  const ModelInspection model = inspection("cats");
  const std::string json = to_json({&model, 1});
  const std::string html = page(json);
  EXPECT_EQ(data_of(html), nlohmann::json::parse(json));
  EXPECT_THAT(html, Not(HasSubstr("src=\"")));
  EXPECT_THAT(html, Not(HasSubstr("<link")));
  EXPECT_THAT(html, HasSubstr("class AttentionView"));
}

// Text of a model stays data, however it looks.
TEST(InspectionPage, TextIsNeverMarkup) {
  for (const std::string& token :
       {std::string("</script><script>alert(1)</script>"), std::string("\"'><img src=x>"),
        std::string("\u202Eabc"), std::string(10'000, 'x'), std::string("\xff\xfe")}) {
    const ModelInspection model = inspection(token);
    const std::string html = page(to_json({&model, 1}));
    EXPECT_THAT(html, Not(HasSubstr("alert(1)")));
    EXPECT_THAT(html, Not(HasSubstr("<img")));
    const std::string shown = data_of(html)["models"][0]["examples"][0]["input"];
    EXPECT_EQ(shown, token == "\xff\xfe" ? "\uFFFD\uFFFD" : token);
  }
}

}  // namespace
}  // namespace weft::inspect
