#include "weft/tasks/pretrained.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "weft/core/error.h"
#include "weft/core/log.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/model_file/text_assets.h"
#include "weft/options/option_value.h"
#include "weft/train/parameter_ranges.h"

namespace weft::tasks {
namespace {

// "a, b, c and 4 more"
std::string list_of(const std::vector<std::string>& names) {
  constexpr size_t kShown = 5;
  const size_t shown = std::min(names.size(), kShown);
  std::string out = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  if (names.size() > kShown) out += fmt::format(" and {} more", names.size() - kShown);
  return out;
}

struct Difference {
  std::string name;
  std::vector<std::string> then, now;
};

std::vector<Difference> differing_options(ModelOptions& then, ModelOptions& now) {
  const options::OptionTable then_table = then.table(), now_table = now.table();
  std::vector<Difference> out;
  for (const options::Option& option : then_table.options()) {
    const auto before = options::values_of(option);
    const auto after = options::values_of(*now_table.find(option.name));
    if (before != after) out.push_back({option.name, before, after});
  }
  return out;
}

// "--dim-emb 512 (now 256), --enc-depth 6 (now 3)"
std::string text_of(const std::vector<Difference>& differences) {
  const auto value = [](const std::vector<std::string>& values) {
    return values.empty() ? "none" : fmt::format("{}", fmt::join(values, " "));
  };
  std::vector<std::string> out;
  out.reserve(differences.size());
  for (const auto& [name, then, now] : differences) {
    out.push_back(fmt::format("--{} {} (now {})", name, value(then), value(now)));
  }
  return list_of(out);
}

// Whether setting the option to its value of now in `options` changes which parameters a model has,
// or does not go with the other options.
bool decides_shapes(const Difference& difference, ModelOptions& options,
                    const FileVocabularies& vocabularies) {
  const options::OptionTable table = options.table();
  const options::Option& option = *table.find(difference.name);
  const auto shapes = [&] {
    try {
      return options.shapes(vocabularies);
    } catch (const OptionError&) {
      return Shapes();
    }
  };
  const Shapes before = shapes();
  options::read_values(option, difference.now, difference.name);
  const bool is_changed = shapes() != before;
  options::read_values(option, difference.then, difference.name);
  return is_changed;
}

FileVocabularies read_vocabularies(model_file::ModelFile& file) {
  const bool has_source = file.has_asset(model_file::kSourceVocabulary);
  const bool has_target = file.has_asset(model_file::kTargetVocabulary);
  FileVocabularies out;
  if (has_source || !has_target) {
    out.source = model_file::read_vocabulary(file, model_file::kSourceVocabulary);
  }
  out.target =
      has_target ? model_file::read_vocabulary(file, model_file::kTargetVocabulary) : out.source;
  if (!has_source) out.source = out.target;
  if (file.has_asset(model_file::kCharacterVocabulary)) {
    out.characters = model_file::read_vocabulary(file, model_file::kCharacterVocabulary);
  }
  return out;
}

// Whether a parameter of vocabulary `one` is for the tokens of vocabulary `other`.
bool is_of(nn::Vocabulary one, nn::Vocabulary other) {
  const bool is_text = other == nn::Vocabulary::kSource || other == nn::Vocabulary::kTarget;
  return one == other || (one == nn::Vocabulary::kShared && is_text);
}

// The second decoder of a model of two views starts as the one decoder of the file, as in DUSt3R.
constexpr std::string_view kSecondDecoder = "model.second_decoder.";

// The embeddings of a translator all of whose embeddings are tied.
constexpr const char* kSharedTable = "model.shared.weight";
constexpr const char* kEncoderTable = "model.encoder.embed_tokens.weight";

}  // namespace

Pretrained::Pretrained(const PretrainedOptions& options, std::unique_ptr<ModelOptions> model)
    : options_(options), now_(std::move(model)) {
  model_file::ModelFile file(options_.model);
  then_ = now_->in_file(file.options(), file.path());
  now_heads_ = ModelHeads(now_->table());
  then_heads_ = ModelHeads(then_->table());
  if (now_->has_vocabulary()) vocabularies_ = read_vocabularies(file);
  weights_ = file.tensors();
  for (const auto& [name, weight] : weights_) {
    if (std::isfinite(sum_of_squares(weight))) continue;
    fail<NumericError>(options_.model, "has weights that are not finite numbers");
  }
  check_parameters(now_->shapes(vocabularies_));
}

Shapes Pretrained::wanted(const Shapes& all) const {
  if (options_.parts.empty()) return all;
  std::vector<nn::NamedParameter> names;
  for (const auto& [name, shape] : all) names.push_back({name, nullptr});
  Shapes out;
  for (const auto& [name, p] : train::matching(names, options_.parts, "--pretrained-parts")) {
    out.push_back(*std::ranges::find(all, name, [](const auto& one) { return one.first; }));
  }
  return out;
}

std::map<std::string, Tensor>::const_iterator Pretrained::find(const std::string& name) const {
  const auto found = weights_.find(name);
  if (found == weights_.end() && name.starts_with(kSecondDecoder)) {
    return weights_.find("model.decoder." + name.substr(kSecondDecoder.size()));
  }
  return found == weights_.end() && name == kEncoderTable ? weights_.find(kSharedTable) : found;
}

Tensor Pretrained::weight_for(const std::string& name) const {
  const auto found = find(name);
  return select_heads(found->second, {found->first, then_heads_}, {name, now_heads_},
                      options_.model);
}

void Pretrained::check_parameters(const Shapes& all) const {
  const Shapes asked = wanted(all);
  std::set<std::string> left;
  for (const auto& [name, weight] : weights_) left.insert(name);
  std::vector<std::string> missing, reshaped, superfluous;
  for (const auto& [name, shape] : asked) {
    const auto found = find(name);
    if (found == weights_.end()) {
      missing.push_back(name);
      continue;
    }
    const Shape theirs = weight_for(name).shape();
    if (theirs != shape) {
      reshaped.push_back(fmt::format("{} {} (now {})", name, theirs.text(), shape.text()));
    }
    left.erase(found->first);
  }
  if (options_.parts.empty()) superfluous.assign(left.begin(), left.end());
  if (missing.empty() && reshaped.empty() && superfluous.empty()) return;
  std::string faults;
  const auto tell = [&](const std::vector<std::string>& names, std::string_view what) {
    if (!names.empty()) faults += fmt::format("; {} {}: {}", names.size(), what, list_of(names));
  };
  tell(missing, "missing there");
  tell(superfluous, "superfluous");
  tell(reshaped, "of another shape");
  auto options = differing_options(*then_, *now_);
  std::erase_if(options,
                [&](const Difference& one) { return !decides_shapes(one, *then_, vocabularies_); });
  if (!options.empty()) faults += "; options that differ: " + text_of(options);
  fail<OptionError>(options_.model,
                    "{} of {} parameters are there in their shape; expected all{}; hint: "
                    "--pretrained-parts names those to take",
                    asked.size() - missing.size() - reshaped.size(), asked.size(), faults);
}

std::pair<data::TokeniserPtr, std::string_view> Pretrained::vocabulary(nn::Vocabulary kind) const {
  if (kind == nn::Vocabulary::kSource) return {vocabularies_.source, "source"};
  if (kind == nn::Vocabulary::kTarget) return {vocabularies_.target, "target"};
  return {vocabularies_.characters, "character"};
}

void Pretrained::check_vocabularies(const std::vector<nn::NamedParameter>& asked,
                                    const std::vector<ModelVocabulary>& vocabularies) const {
  if (options_.vocabs == "by-id") return;
  for (const ModelVocabulary& ours : vocabularies) {
    const auto [theirs, name] = vocabulary(ours.kind);
    if (theirs == nullptr || is_same(ours.tokeniser, *theirs)) continue;
    const auto found = std::ranges::find_if(asked, [&](const nn::NamedParameter& one) {
      return is_of(one.parameter->vocabulary, ours.kind);
    });
    if (found == asked.end()) continue;
    fail<OptionError>(options_.model,
                      "{} belongs to another {} vocabulary, of {} tokens, now {}; expected the "
                      "same; hint: --pretrained-vocabs by-id matches tokens by their number, "
                      "--pretrained-parts names the parameters to take",
                      found->name, name, theirs->size(), ours.tokeniser.size());
  }
}

void Pretrained::copy_to(const std::vector<nn::NamedParameter>& all,
                         const std::vector<ModelVocabulary>& vocabularies) const {
  Shapes shapes;
  std::map<std::string, nn::Parameter*> by_name;
  for (const auto& [name, p] : all) {
    shapes.emplace_back(name, p->shape);
    by_name[name] = p;
  }
  std::vector<nn::NamedParameter> asked;
  for (const auto& [name, shape] : wanted(shapes)) asked.push_back({name, by_name.at(name)});
  check_vocabularies(asked, vocabularies);
  check_parameters(shapes);
  for (const auto& [name, p] : asked) {
    backend_of(p->value)(kernels::Copy{.x = weight_for(name), .y = p->value});
  }
  log::info("{} of {} parameters from {}", asked.size(), all.size(), options_.model);
  const auto options = differing_options(*then_, *now_);
  if (!options.empty()) log::info("options that differ from its own: {}", text_of(options));
}

}  // namespace weft::tasks
