// A summary as text and as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "weft/core/error.h"
#include "weft/core/text/counted.h"
#include "weft/inspect/summary/model_summary.h"

namespace weft::inspect {
namespace {

using Json = nlohmann::ordered_json;

// "1,234,567"
std::string grouped(int64_t number) {
  std::string out = std::to_string(number);
  for (int64_t i = std::ssize(out) - 3; i > 0; i -= 3) out.insert(static_cast<size_t>(i), 1, ',');
  return out;
}

std::string megabytes(int64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string line(std::string_view key, std::string_view value) {
  return fmt::format("{:<14}{}\n", key, value);
}

// "layers.11" as "layers." and 11; npos without a number at its end.
size_t number_at_end(std::string_view name) {
  const size_t last = name.find_last_not_of("0123456789");
  return last == std::string_view::npos || last + 1 == name.size() ? std::string_view::npos
                                                                   : last + 1;
}

// Whether `next` follows `first` in a list of equal modules: layers.1 after layers.0.
bool is_alike(const PartSummary& first, const PartSummary& next) {
  const size_t a = number_at_end(first.name), b = number_at_end(next.name);
  return a != std::string::npos && b != std::string::npos &&
         first.name.substr(0, a) == next.name.substr(0, b) && first.tensors == next.tensors &&
         first.parameters == next.parameters;
}

// Equal layers are one row.
std::string parts_text(const std::vector<PartSummary>& parts) {
  std::string out = fmt::format("\n{:<44}{:>10}{:>16}\n", "part", "tensors", "parameters");
  for (size_t i = 0; i < parts.size();) {
    const PartSummary& first = parts[i];
    size_t end = i + 1;
    while (end < parts.size() && is_alike(first, parts[end])) ++end;
    const auto count = static_cast<int64_t>(end - i);
    std::string name = first.name;
    if (count > 1) {
      const std::string& last = parts[end - 1].name;
      name += ".." + last.substr(number_at_end(last));
    }
    out += fmt::format("{:<44}{:>10}{:>16}", name, count * first.tensors,
                       grouped(count * first.parameters));
    if (count > 1) out += fmt::format("   {} each", grouped(first.parameters));
    out += '\n';
    i = end;
  }
  return out;
}

std::string labels_text(const LabelSummary& set) {
  constexpr size_t kShown = 12;
  std::string out = fmt::format("{}: {}: ", set.name, counted(std::ssize(set.labels), "label"));
  for (size_t i = 0; i < std::min(kShown, set.labels.size()); ++i) {
    out += (i == 0 ? "" : ", ") + set.labels[i];
  }
  return out + (set.labels.size() > kShown ? ", ..." : "");
}

std::string vocabulary_text(const VocabularySummary& v) {
  std::string out = fmt::format("{}: {}, {} tokens", v.name, v.kind, grouped(v.entries));
  return v.same_as.empty() ? out : out + ", that of " + v.same_as;
}

std::string training_text(const TrainingSummary& t) {
  if (t.fault) return "cannot be read: " + *t.fault;
  std::string out = fmt::format("{}, {} completed, {} seen", counted(t.updates, "update"),
                                counted(t.epochs, "epoch"), counted(t.targets, "target"));
  if (t.skipped > 0) out += fmt::format(", {} skipped", counted(t.skipped, "update"));
  if (t.best) out += fmt::format(", best {} {:.6g}", t.metric, *t.best);
  return out;
}

// "key: value" of each option.
std::string options_text(const std::string& options) {
  std::string out = "\noptions\n";
  const Json json = Json::parse(options);
  for (const auto& [key, value] : json.items()) {
    out +=
        fmt::format("  {}: {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return out;
}

// "F32", or "I8 and F32"
std::string types_text(const std::vector<TensorSummary>& tensors) {
  std::vector<std::string> types;
  for (const TensorSummary& tensor : tensors) {
    if (std::ranges::find(types, tensor.type) == types.end()) types.push_back(tensor.type);
  }
  return fmt::format("{}", fmt::join(types, " and "));
}

Json json_of(const TrainingSummary& t) {
  if (t.fault) return {{"file", t.path}, {"fault", *t.fault}};
  Json out = {{"file", t.path},       {"updates", t.updates},
              {"epochs", t.epochs},   {"targets", t.targets},
              {"skipped", t.skipped}, {"options", Json::parse(t.options, nullptr, false)}};
  if (t.best) out["best"] = {{"metric", t.metric}, {"value", *t.best}};
  return out;
}

}  // namespace

std::string ModelSummary::text() const {
  const bool is_weft = format == "Weft";
  std::string out = line(
      "file", fmt::format("{}, {}, {}", path, megabytes(file_bytes),
                          is_weft ? fmt::format("format version {}", format_version) : format));
  out += line("kind", kind);
  if (is_weft) out += line("checksum", checksum.empty() ? "none" : checksum + ", correct");
  out += line("parameters", fmt::format("{}, {}", grouped(parameters()), types_text(tensors)));
  for (const VocabularySummary& v : vocabularies) out += line("vocabulary", vocabulary_text(v));
  for (const LabelSummary& set : labels) out += line("labels", labels_text(set));
  out += line("memory", fmt::format("weights take {} in float32, {} in bfloat16, {} in int8",
                                    megabytes(memory.float32), megabytes(memory.bfloat16),
                                    megabytes(memory.int8)));
  out += line("", fmt::format("training takes {}, and activations", megabytes(memory.training)));
  if (is_weft) {
    out += line("training", training ? training_text(*training) : "no training state beside it");
  }
  return out + parts_text(parts) + options_text(options);
}

std::string ModelSummary::json() const {
  Json out = {{"file", path},
              {"format", format},
              {"kind", kind},
              {"bytes", file_bytes},
              {"format_version", format_version},
              {"checksum", checksum},
              {"parameters", parameters()}};
  out["parts"] = Json::array();
  for (const PartSummary& p : parts) {
    out["parts"].push_back(
        {{"name", p.name}, {"tensors", p.tensors}, {"parameters", p.parameters}});
  }
  out["tensors"] = Json::array();
  for (const TensorSummary& t : tensors) {
    out["tensors"].push_back(
        {{"name", t.name}, {"type", t.type}, {"shape", t.shape}, {"bytes", t.bytes}});
  }
  out["vocabularies"] = Json::array();
  for (const VocabularySummary& v : vocabularies) {
    Json entry = {{"name", v.name}, {"kind", v.kind}, {"entries", v.entries}};
    if (!v.same_as.empty()) entry["same_as"] = v.same_as;
    out["vocabularies"].push_back(std::move(entry));
  }
  out["labels"] = Json::array();
  for (const LabelSummary& set : labels) {
    out["labels"].push_back({{"name", set.name}, {"labels", set.labels}});
  }
  out["memory"] = {{"float32", memory.float32},
                   {"bfloat16", memory.bfloat16},
                   {"int8", memory.int8},
                   {"training", memory.training}};
  if (training) out["training"] = json_of(*training);
  out["options"] = Json::parse(options);
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace weft::inspect
