#include "weft/data/subwords/nodes/post_processor.h"

#include <map>
#include <optional>
#include <string>

namespace weft::data {
namespace {

using Kind = TemplatePart::Kind;

TemplatePart special_part(int32_t id, int32_t type = 0) { return {Kind::kSpecial, {id}, type}; }

// ["[CLS]", 101]
int32_t read_pair(JsonNode& node, std::string_view name) {
  const auto& value = node.value(name);
  if (!value.is_array() || value.size() != 2 || !is_id(value[1])) {
    node.refuse("field {} is no pair of a token and its id", quote(name));
  }
  return value[1].get<int32_t>();
}

using SpecialIds = std::map<std::string, std::vector<int32_t>, std::less<>>;

SpecialIds read_special_ids(JsonNode node) {
  SpecialIds out;
  const auto& all = node.value("special_tokens");
  if (!all.is_object()) node.refuse("special_tokens is no object");
  for (const auto& [name, value] : all.items()) {
    JsonNode token(value, node.where() + ".special_tokens");
    token.ignore("id");
    token.ignore("tokens");
    const auto& ids = token.value("ids");
    for (const auto& id : ids) {
      if (!is_id(id)) token.refuse("ids has what is no id");
      out[name].push_back(id.get<int32_t>());
    }
    token.finish();
  }
  return out;
}

std::vector<TemplatePart> read_template_parts(std::vector<JsonNode> nodes,
                                              const SpecialIds& special) {
  std::vector<TemplatePart> out;
  for (JsonNode& node : nodes) {
    const bool is_special = node.has("SpecialToken");
    JsonNode inner = node.node(is_special ? "SpecialToken" : "Sequence");
    node.finish();
    TemplatePart part;
    part.type = static_cast<int32_t>(inner.integer("type_id", 0));
    const std::string id = inner.text("id");
    inner.finish();
    if (is_special) {
      const auto found = special.find(id);
      if (found == special.end()) inner.refuse("{} is not in special_tokens", quote(id));
      part.kind = Kind::kSpecial;
      part.ids = found->second;
    } else if (id == "A" || id == "B") {
      part.kind = id == "A" ? Kind::kFirst : Kind::kSecond;
    } else {
      inner.refuse("sequence {} is not supported", quote(id));
    }
    out.push_back(std::move(part));
  }
  return out;
}

class PostProcessorReader {
 public:
  void read(JsonNode node) {
    const std::string type = node.type();
    if (type == "Sequence") {
      for (JsonNode& each : node.nodes("processors")) read(std::move(each));
    } else if (type == "ByteLevel") {
      out.trims_spans = node.flag("trim_offsets", true);
      out.keeps_first_space = node.flag("add_prefix_space", true);
      node.ignore("use_regex");
    } else {
      if (has_template_) node.refuse("a second template is not supported");
      has_template_ = true;
      read_template(node, type);
    }
    node.finish();
  }

  PostProcessor out;

 private:
  void read_template(JsonNode& node, const std::string& type) {
    if (type == "TemplateProcessing") {
      const SpecialIds special = read_special_ids(node);
      out.single = read_template_parts(node.nodes("single"), special);
      out.pair = read_template_parts(node.nodes("pair"), special);
      node.ignore("special_tokens");
      return;
    }
    if (type != "BertProcessing" && type != "RobertaProcessing") {
      node.refuse("the post-processor {} is not supported", quote(type));
    }
    const int32_t end = read_pair(node, "sep"), begin = read_pair(node, "cls");
    const int32_t second = type == "BertProcessing" ? 1 : 0;
    out.single = {special_part(begin), {Kind::kFirst}, special_part(end)};
    out.pair = out.single;
    if (type == "RobertaProcessing") {
      out.trims_spans = node.flag("trim_offsets", true);
      out.keeps_first_space = node.flag("add_prefix_space", true);
      out.pair.push_back(special_part(end));
    }
    out.pair.push_back({Kind::kSecond, {}, second});
    out.pair.push_back(special_part(end, second));
  }

  bool has_template_ = false;
};

}  // namespace

PostProcessor read_post_processor(JsonNode node) {
  PostProcessorReader reader;
  reader.read(std::move(node));
  return std::move(reader.out);
}

}  // namespace weft::data
