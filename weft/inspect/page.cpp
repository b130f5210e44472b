#include "weft/inspect/page.h"

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "weft/core/error.h"
#include "weft/formats/base64.h"
#include "weft/formats/deflate.h"
#include "weft/inspect/matrix_json.h"
#include "weft/inspect/web_files.h"

namespace weft::inspect {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kFormatVersion = 1;

// Replaces the one occurrence of `from`.
void replace(std::string& text, std::string_view from, std::string_view to) {
  const size_t begin = text.find(from);
  if (begin == std::string::npos) fail<Error>("web page", "no {} in it", from);
  text.replace(begin, from.size(), to);
}

// The name between the quotes that follow `begin`.
std::string name_at(std::string_view text, size_t begin) {
  const size_t first = text.find('"', begin) + 1;
  return std::string(text.substr(first, text.find('"', first) - first));
}

// Puts the text of every <script src="..."> into the page.
void insert_scripts(std::string& html) {
  constexpr std::string_view kScript = "<script src=";
  for (size_t begin = html.find(kScript); begin != std::string::npos;
       begin = html.find(kScript, begin)) {
    const std::string name = name_at(html, begin);
    replace(html, fmt::format("<script src=\"{}\"></script>", name),
            fmt::format("<script>\n{}</script>", web_file(name)));
  }
}

Json json_of(const Ablation& ablation) {
  Json out = {{"loss", ablation.loss}, {"heads", Json::array()}};
  for (const HeadLoss& head : ablation.heads) {
    out["heads"].push_back({{"stack", head.stack},
                            {"role", name_of(head.role)},
                            {"layer", head.layer},
                            {"head", head.head},
                            {"loss", head.loss}});
  }
  return out;
}

Json json_of(const PositionMaps& positions) {
  Json out = {{"stack", positions.stack},
              {"kind", positions.kind},
              {"similarity", matrices_json(positions.similarity)}};
  if (positions.encodings) out["encodings"] = matrices_json({&positions.encodings, 1});
  return out;
}

// Of a file or a folder, whose path may end with a slash.
std::string name_of_path(const std::filesystem::path& path) {
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

}  // namespace

std::string to_json(std::span<const ModelInspection> models) {
  Json out = {{"format", "weft-inspection"}, {"version", kFormatVersion}};
  out["models"] = Json::array();
  for (const ModelInspection& model : models) {
    Json summary = Json::parse(model.summary.json());
    summary.erase("tensors");
    out["models"].push_back({{"name", name_of_path(model.summary.path)},
                             {"summary", std::move(summary)},
                             {"positions", Json::array()},
                             {"examples", to_json(model.examples)}});
    for (const PositionMaps& maps : model.positions) {
      out["models"].back()["positions"].push_back(json_of(maps));
    }
    if (model.ablation) out["models"].back()["ablation"] = json_of(*model.ablation);
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string page(const std::string& json) {
  std::string html(web_file("index.html"));
  replace(html, "<link rel=\"stylesheet\" href=\"style.css\">",
          fmt::format("<style>\n{}</style>", web_file("style.css")));
  insert_scripts(html);
  constexpr std::string_view kData = "<script id=\"data\" type=\"text/plain\">";
  replace(html, kData, std::string(kData) + formats::base64(formats::deflate(json)));
  return html;
}

}  // namespace weft::inspect
