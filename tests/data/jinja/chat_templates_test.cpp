// Chat templates against Jinja2 in the sandbox of Transformers (tools/golden/chat_templates.py).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
#include "weft/core/hash.h"
#include "weft/data/jinja/jinja_template.h"

namespace weft::data::jinja {
namespace {

using Json = nlohmann::ordered_json;

const Json& golden() {
  static const Json file =
      Json::parse(test::read_bytes(test::source_path("tests/golden/chat_templates.json")));
  return file;
}

std::tm golden_time() {
  std::tm out{};
  out.tm_year = 2026 - 1900;
  out.tm_mon = 2;
  out.tm_mday = 4;
  out.tm_wday = 3;
  out.tm_yday = 62;
  out.tm_hour = 5;
  out.tm_min = 6;
  out.tm_sec = 7;
  return out;
}

// Nothing where the template is refused.
std::optional<std::string> text_of(const std::string& source, const Json& conversation) {
  Json user = {{"tools", nullptr}, {"documents", nullptr}};
  user.update(conversation);
  try {
    return Template(source, "template").render({user, golden().at("model")}, golden_time()).text();
  } catch (const FormatError&) {
    return std::nullopt;
  }
}

TEST(ChatTemplates, MakeTheTextsOfJinja2) {
  const Json& conversations = golden().at("conversations");
  for (const Json& one : golden().at("templates")) {
    for (size_t i = 0; i < conversations.size(); ++i) {
      SCOPED_TRACE(one.at("name").get<std::string>() + " " + std::to_string(i));
      const Json& expected = one.at("texts")[i];
      const auto text = text_of(one.at("template").get<std::string>(), conversations[i]);
      EXPECT_EQ(text ? Json(*text) : Json(), expected);
    }
  }
}

TEST(RealChatTemplates, MakeTheTextsOfJinja2) {
  const char* models = std::getenv("WEFT_MODELS");
  const std::filesystem::path folder =
      std::string(models == nullptr ? "" : models) + "/llama-cpp/templates";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no models in $WEFT_MODELS";
  const Json& conversations = golden().at("conversations");
  EXPECT_EQ(golden().at("real").size(), 70);
  for (const auto& [name, hashes] : golden().at("real").items()) {
    const std::string source = test::read_bytes(folder / name);
    for (size_t i = 0; i < conversations.size(); ++i) {
      SCOPED_TRACE(name + " " + std::to_string(i));
      Hash hash;
      const auto text = text_of(source, conversations[i]);
      for (const char c : text.value_or("")) hash.add(static_cast<uint8_t>(c));
      EXPECT_EQ(text ? Json(fmt::format("{:016x}", hash.value())) : Json(), hashes[i]);
    }
  }
}

}  // namespace
}  // namespace weft::data::jinja
