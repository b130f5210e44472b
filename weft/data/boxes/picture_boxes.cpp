#include "weft/data/boxes/picture_boxes.h"

#include <fmt/core.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "weft/core/error.h"

namespace weft::data {
namespace {

using Json = nlohmann::json;
constexpr auto kReplace = Json::error_handler_t::replace;

Json parse_object(std::string_view bytes, const std::string& where, const char* expected) {
  Json out;
  try {
    out = Json::parse(bytes);
  } catch (const Json::exception& error) {
    fail<FormatError>(where, "is no JSON: {}; expected {}", error.what(), expected);
  }
  if (!out.is_object()) fail<FormatError>(where, "expected {}, got {}", expected, out.type_name());
  return out;
}

// Null where there is none.
const Json* find(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? nullptr : &*found;
}

const Json& list_of(const Json& object, const char* key, const std::string& where) {
  const Json* list = find(object, key);
  if (list == nullptr || !list->is_array()) {
    fail<FormatError>(where, "expected a list \"{}\"", key);
  }
  return *list;
}

std::string text_of(const Json& object, const char* key, const std::string& where) {
  const Json* text = find(object, key);
  if (text == nullptr || !text->is_string() || text->get_ref<const std::string&>().empty()) {
    fail<FormatError>(where, "expected a text \"{}\"", key);
  }
  return text->get<std::string>();
}

int64_t number_of(const Json& object, const char* key, const std::string& where) {
  const Json* number = find(object, key);
  if (number == nullptr || !number->is_number_integer()) {
    fail<FormatError>(where, "expected a whole number \"{}\"", key);
  }
  return number->get<int64_t>();
}

Box box_of(const Json& object, const char* key, const std::string& where) {
  const Json* numbers = find(object, key);
  double box[4] = {};
  size_t count = 0;
  if (numbers != nullptr && numbers->is_array() && numbers->size() == 4) {
    for (const Json& number : *numbers) {
      if (!number.is_number()) break;
      box[count] = number.get<double>();
      if (!std::isfinite(box[count])) break;
      ++count;
    }
  }
  if (count < 4) fail<FormatError>(where, "expected \"{}\": [x, y, width, height]", key);
  return {box[0], box[1], box[2], box[3]};
}

// One corner of a VOC box.
double coordinate(const pugi::xml_node& box, const char* name, const std::string& where) {
  const char* text = box.child_value(name);
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || !std::isfinite(value)) {
    fail<FormatError>(where, "expected a number in <{}>, got {}", name, quote(text));
  }
  return value;
}

}  // namespace

PictureBoxes parse_json_line(std::string_view line, const std::string& where) {
  const char* const expected = R"({"image": path, "boxes": [{"label": name, "box": [...]}, ...]})";
  const Json object = parse_object(line, where, expected);
  PictureBoxes out{.where = where, .image = text_of(object, "image", where), .boxes = {}};
  for (const Json& box : list_of(object, "boxes", where)) {
    const std::string at = fmt::format("{}: box {}", where, out.boxes.size() + 1);
    out.boxes.push_back({text_of(box, "label", at), box_of(box, "box", at), at});
  }
  return out;
}

std::vector<PictureBoxes> parse_coco(std::string_view bytes, const std::string& name) {
  const Json all = parse_object(bytes, name, "lists of images, annotations and categories");
  std::vector<PictureBoxes> out;
  std::map<int64_t, size_t> pictures;
  std::map<int64_t, std::string> labels;
  for (const Json& category : list_of(all, "categories", name)) {
    const std::string where = fmt::format("{}: category", name);
    labels[number_of(category, "id", where)] = text_of(category, "name", where);
  }
  for (const Json& image : list_of(all, "images", name)) {
    const int64_t id = number_of(image, "id", fmt::format("{}: image", name));
    const std::string where = fmt::format("{}: image {}", name, id);
    if (!pictures.emplace(id, out.size()).second) fail<FormatError>(where, "stands there twice");
    out.push_back({.where = where, .image = text_of(image, "file_name", where), .boxes = {}});
  }
  int64_t number = 0;
  for (const Json& annotation : list_of(all, "annotations", name)) {
    ++number;
    const Json* id = find(annotation, "id");
    const std::string where = fmt::format(
        "{}: annotation {}", name,
        id != nullptr ? id->dump(-1, ' ', true, kReplace) : fmt::format("number {}", number));
    const int64_t picture = number_of(annotation, "image_id", where);
    const int64_t label = number_of(annotation, "category_id", where);
    const auto of = pictures.find(picture);
    if (of == pictures.end()) fail<FormatError>(where, "no image has the id {}", picture);
    if (!labels.contains(label)) fail<FormatError>(where, "no category has the id {}", label);
    const Json* crowd = find(annotation, "iscrowd");
    if (crowd != nullptr && crowd->is_number_integer() && crowd->get<int64_t>() != 0) {
      ++out[of->second].crowds;
      continue;
    }
    out[of->second].boxes.push_back({labels[label], box_of(annotation, "bbox", where), where});
  }
  return out;
}

PictureBoxes parse_voc(std::string_view bytes, const std::string& name) {
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_buffer(bytes.data(), bytes.size());
  if (!result) {
    fail<FormatError>(name, "is no XML: {} at byte {}; expected an <annotation>",
                      result.description(), result.offset);
  }
  const pugi::xml_node annotation = document.child("annotation");
  if (!annotation) fail<FormatError>(name, "expected an <annotation>");
  PictureBoxes out{.where = name, .image = annotation.child_value("filename"), .boxes = {}};
  if (out.image.empty()) fail<FormatError>(name, "expected a <filename>");
  for (const pugi::xml_node object : annotation.children("object")) {
    const std::string where = fmt::format("{}: object {}", name, out.boxes.size() + 1);
    const std::string label = object.child_value("name");
    if (label.empty()) fail<FormatError>(where, "expected a <name>");
    const pugi::xml_node box = object.child("bndbox");
    const double left = coordinate(box, "xmin", where) - 1,
                 top = coordinate(box, "ymin", where) - 1;
    out.boxes.push_back(
        {label,
         {left, top, coordinate(box, "xmax", where) - left, coordinate(box, "ymax", where) - top},
         where});
  }
  return out;
}

}  // namespace weft::data
