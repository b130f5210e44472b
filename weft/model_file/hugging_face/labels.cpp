#include "weft/model_file/hugging_face/labels.h"

#include <fmt/core.h>

#include <set>

#include "weft/core/log.h"
#include "weft/model_file/text_assets.h"

namespace weft::model_file {
namespace {

constexpr const char* kById = "id2label";

std::vector<std::string> label_names(Fields& config) {
  if (!config.has(kById)) return {"LABEL_0", "LABEL_1"};
  const Json& labels = config.take(kById);
  std::vector<std::string> out(labels.size());
  std::set<std::string> known;
  for (size_t id = 0; id < out.size(); ++id) {
    const auto found = labels.find(std::to_string(id));
    if (!labels.is_object() || found == labels.end() || !found->is_string()) {
      config.refuse("field '{}': expected the name of each id from 0 to {}, got {}", kById,
                    out.size() - 1, short_text(labels));
    }
    out[id] = found->get<std::string>();
    if (known.contains(out[id])) {
      const std::string name = fmt::format("{} ({})", out[id], id);
      log::warn("{}: label {} occurs twice; the second is {}", config.where(), quote(out[id]),
                quote(name));
      out[id] = name;
    }
    known.insert(out[id]);
  }
  return out;
}

}  // namespace

data::LabelSet take_labels(Fields& config) { return {label_names(config), config.where_of(kById)}; }

void add_labels(const data::LabelSet& labels, ImportedContents& out) {
  for (Asset& asset : assets_of(TextAssets{.labels = {labels}})) out.add(std::move(asset));
}

void write_labels(FolderWriter& out) {
  Json by_id = Json::object(), by_name = Json::object();
  const std::vector<data::LabelSet> labels = read_label_sets(out.contents, 1);
  for (int32_t id = 0; id < labels.front().size(); ++id) {
    const std::string& name = labels.front().name(id);
    by_id[std::to_string(id)] = name;
    by_name[name] = id;
  }
  out.config[kById] = by_id;
  out.config["label2id"] = by_name;
}

}  // namespace weft::model_file
