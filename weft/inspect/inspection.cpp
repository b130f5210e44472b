#include "weft/inspect/inspection.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "weft/core/error.h"
#include "weft/core/text/counted.h"
#include "weft/formats/base64.h"
#include "weft/inspect/matrix_json.h"
#include "weft/predict/not_finite.h"

namespace weft::inspect {
namespace {

using Json = nlohmann::ordered_json;

template <class T, class F>
Json list_of(const std::vector<T>& items, F&& json_of_one) {
  Json out = Json::array();
  for (const T& item : items) out.push_back(json_of_one(item));
  return out;
}

// To 6 digits, which is more than can be seen, and shorter.
double rounded(double x) { return std::strtod(fmt::format("{:.6g}", x).c_str(), nullptr); }

std::string picture_address(const std::string& png) {
  return "data:image/png;base64," + formats::base64(png);
}

Json json_of_kind(const TokenAxis& axis) { return {{"kind", "tokens"}, {"tokens", axis.tokens}}; }

Json json_of_kind(const PatchAxis& axis) {
  return {{"kind", "patches"},
          {"picture", picture_address(axis.png)},
          {"rows", axis.rows},
          {"columns", axis.columns},
          {"patches", axis.patches}};
}

Json json_of_kind(const BoxAxis& axis) {
  const auto json_of_box = [](const FoundBox& found) -> Json {
    return {{"label", found.label},
            {"probability", rounded(found.probability)},
            {"box",
             {rounded(found.box.x), rounded(found.box.y), rounded(found.box.width),
              rounded(found.box.height)}}};
  };
  return {{"kind", "boxes"},
          {"picture", picture_address(axis.png)},
          {"boxes", list_of(axis.boxes, json_of_box)}};
}

Json json_of_kind(const FrameAxis& axis) {
  const auto json_of_word = [](const SpokenWord& word) -> Json {
    return {{"text", word.text}, {"begin", rounded(word.begin)}, {"end", rounded(word.end)}};
  };
  return {{"kind", "frames"},
          {"picture", picture_address(axis.png)},
          {"count", axis.count},
          {"seconds", rounded(axis.seconds)},
          {"words", list_of(axis.words, json_of_word)}};
}

Json json_of(const Axis& axis) {
  Json out = {{"name", axis.name}};
  out.update(std::visit([](const auto& kind) { return json_of_kind(kind); }, axis.kind));
  return out;
}

Json json_of(const AttentionMaps& maps) {
  Json out = {{"stack", maps.stack}, {"role", name_of(maps.role)},
              {"layer", maps.layer}, {"queries", maps.queries},
              {"keys", maps.keys},   {"heads", matrices_json(maps.heads)}};
  return out;
}

Json json_of(const Alternative& alternative) {
  return {{"token", alternative.token},
          {"probability", rounded(alternative.probability)},
          {"continuation", alternative.continuation}};
}

Json json_of(const PredictedToken& token) {
  return {{"token", token.token},
          {"probability", rounded(token.probability)},
          {"alternatives",
           list_of(token.alternatives, [](const Alternative& a) { return json_of(a); })}};
}

Json json_of(const Prediction& prediction) {
  Json out = {{"text", prediction.text}};
  if (prediction.log_probability) out["log_probability"] = rounded(*prediction.log_probability);
  if (prediction.score) out["score"] = rounded(*prediction.score);
  out["tokens"] = list_of(prediction.tokens, [](const PredictedToken& t) { return json_of(t); });
  return out;
}

Json json_of(const BeamNode& node) {
  return {{"token", node.token},
          {"parent", node.parent},
          {"log_probability", rounded(node.log_probability)},
          {"end", node.is_end}};
}

Json json_of(const ExplainedLabel& label) {
  Json out = {{"label", label.label},
              {"probability", rounded(label.probability)},
              {"score", rounded(label.score)},
              {"baseline_score", rounded(label.baseline_score)}};
  if (label.word >= 0) out["word"] = label.word;
  if (!label.column.empty()) out["column"] = label.column;
  if (!label.is_complete) out["incomplete"] = true;
  return out;
}

Json json_of(const Attributions& attributions) {
  return {
      {"words", attributions.words},
      {"labels", list_of(attributions.labels, [](const ExplainedLabel& l) { return json_of(l); })},
      {"gradients", matrices_json({&attributions.gradients, 1})},
      {"leave_one_out", matrices_json({&attributions.leave_one_out, 1})}};
}

Json json_of(const Example& example) {
  Json out = {
      {"name", example.name},
      {"input", example.input},
      {"note", example.note},
      {"axes", list_of(example.axes, [](const Axis& a) { return json_of(a); })},
      {"attentions",
       list_of(example.attentions, [](const AttentionMaps& m) { return json_of(m); })},
      {"predictions", list_of(example.predictions, [](const Prediction& p) { return json_of(p); })},
      {"beam", list_of(example.beam, [](const BeamNode& n) { return json_of(n); })}};
  if (!example.labels.empty()) {
    out["labels"] = list_of(example.labels, [](const LabelProbability& l) -> Json {
      return {{"label", l.label}, {"probability", rounded(l.probability)}};
    });
  }
  if (!example.pictures.empty()) {
    out["pictures"] = list_of(example.pictures, [](const NamedPicture& p) -> Json {
      return {{"name", p.name}, {"picture", picture_address(p.png)}};
    });
  }
  if (example.attributions) out["attributions"] = json_of(*example.attributions);
  return out;
}

}  // namespace

int64_t Axis::size() const {
  struct Size {
    int64_t operator()(const TokenAxis& axis) const { return std::ssize(axis.tokens); }
    int64_t operator()(const PatchAxis& axis) const { return std::ssize(axis.patches); }
    int64_t operator()(const BoxAxis& axis) const { return std::ssize(axis.boxes); }
    int64_t operator()(const FrameAxis& axis) const { return axis.count; }
  };
  return std::visit(Size(), kind);
}

void Example::add_note(std::string_view text) {
  if (!note.empty()) note += "; ";
  note += text;
}

void note_incomplete(Example& example) {
  const std::vector<ExplainedLabel>& labels = example.attributions->labels;
  const auto count = std::ranges::count(labels, false, &ExplainedLabel::is_complete);
  if (count == 0) return;
  example.add_note(fmt::format("the integrated gradients of {} of {} do not sum to the score",
                               count, counted(std::ssize(labels), "label")));
}

std::string_view name_of(nn::AttentionRole role) {
  return role == nn::AttentionRole::kSelf ? "self" : "cross";
}

void check_finite(std::span<const float> scores) {
  if (!predict::is_finite(scores)) fail<NumericError>("inspect", "{}", predict::kNotFiniteText);
}

void check_finite(const Example& example) {
  const auto check_number = [](double x) {
    const auto score = static_cast<float>(x);
    check_finite({&score, 1});
  };
  for (const AttentionMaps& maps : example.attentions) {
    for (const Tensor& head : maps.heads) check_finite(head.span<float>());
  }
  for (const Axis& axis : example.axes) {
    const auto* boxes = std::get_if<BoxAxis>(&axis.kind);
    if (!boxes) continue;
    for (const FoundBox& found : boxes->boxes) {
      check_number(found.probability + found.box.x + found.box.y + found.box.width +
                   found.box.height);
    }
  }
  for (const Prediction& prediction : example.predictions) {
    check_number(prediction.log_probability.value_or(0));
    for (const PredictedToken& token : prediction.tokens) check_number(token.probability);
  }
  for (const LabelProbability& label : example.labels) check_number(label.probability);
  if (!example.attributions) return;
  check_finite(example.attributions->gradients.span<float>());
  check_finite(example.attributions->leave_one_out.span<float>());
}

nlohmann::ordered_json to_json(const std::vector<Example>& examples) {
  return list_of(examples, [](const Example& e) { return json_of(e); });
}

}  // namespace weft::inspect
