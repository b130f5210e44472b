#include "weft/train/pretrained.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "weft/core/error.h"
#include "weft/core/log.h"
#include "weft/formats/options_table.h"
#include "weft/formats/options_value.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/train/parameter_ranges.h"

namespace weft::train {
namespace {

using models::Seq2SeqOptions;
using models::Seq2SeqSizes;
using Shapes = std::map<std::string, Shape>;

// "a, b, c and 4 more"
std::string list_of(const std::vector<std::string>& names) {
  constexpr size_t kShown = 5;
  const size_t shown = std::min(names.size(), kShown);
  std::string out = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  if (names.size() > kShown) out += fmt::format(" and {} more", names.size() - kShown);
  return out;
}

Shapes shapes_of(const std::vector<nn::NamedParameter>& parameters) {
  Shapes out;
  for (const auto& [name, p] : parameters) out[name] = p->shape;
  return out;
}

Shapes shapes_of(const Seq2SeqOptions& options, const Seq2SeqSizes& sizes) {
  models::Seq2Seq model(options, sizes);
  return shapes_of(nn::parameters_of(model));
}

// Sizes that the options allow, near those of another model.
Seq2SeqSizes sizes_for(const Seq2SeqOptions& options, Seq2SeqSizes sizes) {
  if (options.tied_embeddings_all) sizes.target_vocab = sizes.source_vocab;
  sizes.begin_id = sizes.end_id = 0;
  return sizes;
}

// The names of parameters whose shape follows the size of a side's vocabulary.
std::set<std::string> parameters_of_tokens(const infer::Session& session, bool is_source) {
  const Seq2SeqOptions& options = session.model.options;
  Seq2SeqSizes larger = session.model.sizes;
  if (is_source || options.tied_embeddings_all) ++larger.source_vocab;
  if (!is_source || options.tied_embeddings_all) ++larger.target_vocab;
  const Shapes plain = shapes_of(options, session.model.sizes);
  std::set<std::string> out;
  for (const auto& [name, shape] : shapes_of(options, larger)) {
    if (plain.at(name) != shape) out.insert(name);
  }
  return out;
}

struct Difference {
  std::string name;
  std::vector<std::string> then, now;
};

std::vector<Difference> differing_options(Seq2SeqOptions then, Seq2SeqOptions now) {
  formats::OptionTable then_table, now_table;
  then_table.add(then);
  now_table.add(now);
  std::vector<Difference> out;
  for (const formats::Option& option : then_table.options()) {
    const auto before = formats::values_of(option);
    const auto after = formats::values_of(*now_table.find(option.name));
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
bool decides_shapes(const Difference& difference, Seq2SeqOptions options,
                    const Seq2SeqSizes& sizes) {
  const Shapes before = shapes_of(options, sizes_for(options, sizes));
  formats::OptionTable table;
  table.add(options);
  formats::read_values(*table.find(difference.name), difference.now, difference.name);
  try {
    return shapes_of(options, sizes_for(options, sizes)) != before;
  } catch (const OptionError&) {
    return true;
  }
}

}  // namespace

void PretrainedOptions::validate() const {
  const PretrainedOptions plain;
  require_option(!model.empty() || parts.empty(), "--pretrained-parts", "needs --pretrained-model");
  require_option(!model.empty() || vocabs == plain.vocabs, "--pretrained-vocabs",
                 "needs --pretrained-model");
}

Pretrained::Pretrained(const PretrainedOptions& options, const models::Seq2SeqOptions& model)
    : options_(options), model_(model), file_(infer::load_model(options.model)) {
  if (!std::isfinite(sum_of_squares(file_.parameters))) {
    fail<NumericError>(options_.model, "has weights that are not finite numbers");
  }
  models::Seq2Seq alike(model, sizes_for(model, file_.model.sizes));
  check_parameters(nn::parameters_of(alike));
}

std::vector<nn::NamedParameter> Pretrained::wanted(
    const std::vector<nn::NamedParameter>& all) const {
  return options_.parts.empty() ? all : matching(all, options_.parts, "--pretrained-parts");
}

void Pretrained::check_parameters(const std::vector<nn::NamedParameter>& all) const {
  models::Seq2Seq theirs = file_.model;
  Shapes left = shapes_of(nn::parameters_of(theirs));
  const std::vector<nn::NamedParameter> asked = wanted(all);
  std::vector<std::string> missing, reshaped, superfluous;
  for (const auto& [name, p] : asked) {
    const auto found = left.find(name);
    if (found == left.end()) {
      missing.push_back(name);
      continue;
    }
    if (found->second != p->shape) {
      reshaped.push_back(
          fmt::format("{} {} (now {})", name, found->second.text(), p->shape.text()));
    }
    left.erase(found);
  }
  if (options_.parts.empty()) {
    for (const auto& [name, shape] : left) superfluous.push_back(name);
  }
  if (missing.empty() && reshaped.empty() && superfluous.empty()) return;
  std::string faults;
  const auto tell = [&](const std::vector<std::string>& names, std::string_view what) {
    if (!names.empty()) faults += fmt::format("; {} {}: {}", names.size(), what, list_of(names));
  };
  tell(missing, "missing there");
  tell(superfluous, "superfluous");
  tell(reshaped, "of another shape");
  auto options = differing_options(file_.model.options, model_);
  std::erase_if(options, [&](const Difference& one) {
    return !decides_shapes(one, file_.model.options, file_.model.sizes);
  });
  if (!options.empty()) faults += "; options that differ: " + text_of(options);
  fail<OptionError>(options_.model,
                    "{} of {} parameters are there in their shape; expected all{}; hint: "
                    "--pretrained-parts names those to take",
                    asked.size() - missing.size() - reshaped.size(), asked.size(), faults);
}

void Pretrained::check_vocabularies(const infer::Session& session) const {
  if (options_.vocabs == "by-number") return;
  models::Seq2Seq model = session.model;
  const std::vector<nn::NamedParameter> asked = wanted(nn::parameters_of(model));
  const auto check = [&](bool is_source, const data::Tokeniser& ours,
                         const data::Tokeniser& other) {
    if (is_same(ours, other)) return;
    const std::set<std::string> of_tokens = parameters_of_tokens(session, is_source);
    const auto found = std::ranges::find_if(
        asked, [&](const nn::NamedParameter& p) { return of_tokens.contains(p.name); });
    if (found == asked.end()) return;
    fail<OptionError>(options_.model,
                      "{} belongs to another {} vocabulary, of {} tokens, now {}; expected the "
                      "same; hint: --pretrained-vocabs by-number matches tokens by their number, "
                      "--pretrained-parts names the parameters to take",
                      found->name, is_source ? "source" : "target", other.size(), ours.size());
  };
  check(true, session.source(), file_.source());
  check(false, session.target(), file_.target());
}

void Pretrained::copy_to(infer::Session& session) const {
  check_vocabularies(session);
  const auto all = nn::parameters_of(session.model);
  check_parameters(all);
  models::Seq2Seq theirs = file_.model;
  std::map<std::string, const nn::Parameter*> from;
  for (const auto& [name, p] : nn::parameters_of(theirs)) from[name] = p;
  const std::vector<nn::NamedParameter> asked = wanted(all);
  for (const auto& [name, p] : asked)
    backend_of(p->value)(kernels::Copy{.x = from.at(name)->value, .y = p->value});
  log::info("{} of {} parameters from {}", asked.size(), all.size(), options_.model);
  const auto options = differing_options(file_.model.options, model_);
  if (!options.empty()) log::info("options that differ from its own: {}", text_of(options));
}

}  // namespace weft::train
