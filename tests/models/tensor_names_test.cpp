// docs/tensors.md against the parameters of models of every kind.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/decode/small_model.h"
#include "tests/support/options.h"
#include "tests/support/paths.h"
#include "weft/nn/attention/kinds.h"

namespace weft::models {
namespace {

using Letters = std::map<std::string, int64_t>;

std::vector<std::string> parts_of(const std::string& text, const std::string& by) {
  std::vector<std::string> out;
  size_t from = 0;
  for (size_t at; (at = text.find(by, from)) != text.npos; from = at + by.size()) {
    out.push_back(text.substr(from, at - from));
  }
  out.push_back(text.substr(from));
  return out;
}

// "2 C + 1"; -1 for a letter that the model has no number for.
int64_t value_of(const std::string& sum, const Letters& letters) {
  int64_t total = 0;
  for (const std::string& product : parts_of(sum, " + ")) {
    int64_t value = 1;
    for (const std::string& factor : parts_of(product, " ")) {
      const auto found = letters.find(factor);
      const bool is_number = std::isdigit(static_cast<unsigned char>(factor[0])) != 0;
      if (!is_number && found == letters.end()) return -1;
      value *= is_number ? std::stoll(factor) : found->second;
    }
    total += value;
  }
  return total;
}

struct Row {
  std::string shapes;  // "[g D, D] or [g D, 2 D]"
  bool is_met = false;

  bool allows(Shape shape, const Letters& letters) const {
    for (const std::string& one : parts_of(shapes, " or ")) {
      const std::vector<std::string> sides = parts_of(one.substr(1, one.size() - 2), ", ");
      if (sides.size() == 2 && value_of(sides[0], letters) == shape.rows() &&
          value_of(sides[1], letters) == shape.cols()) {
        return true;
      }
    }
    return false;
  }
};

// The rows of the page by name, those below "Below `a` and `b`:" once for each of these.
std::multimap<std::string, Row> read_page() {
  std::ifstream file(test::source_path("docs/tensors.md"));
  const std::regex row("\\| `([^`]+)` \\| (\\[[^|]+\\]) \\|.*"), name("`(model[^`]+)`");
  std::multimap<std::string, Row> out;
  std::vector<std::string> prefixes = {""};
  std::string sequence;  // from "Below" to its colon
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) prefixes = {""};
    if (line.starts_with("Below ")) sequence = " ";
    if (!sequence.empty()) sequence += line + " ";
    if (!sequence.empty() && line.ends_with(":")) {
      prefixes.clear();
      for (std::sregex_iterator it(sequence.begin(), sequence.end(), name), end; it != end; ++it) {
        prefixes.push_back((*it)[1].str() + ".");
      }
      sequence.clear();
    }
    std::smatch cells;
    if (!std::regex_match(line, cells, row)) continue;
    for (const std::string& prefix : prefixes) out.emplace(prefix + cells[1].str(), Row{cells[2]});
  }
  return out;
}

constexpr int64_t kSource = 50, kTarget = 53;

Letters letters_of(const Seq2SeqOptions& o) {
  const auto& direction = o.encoder.recurrent.direction;
  const nn::AttentionOptions& attention = o.encoder.transformer.attention;
  const auto& clustered = attention.kind.choice().get<nn::ClusteredOptions>();
  const auto* classifier = length_classifier(o.generation);
  const bool is_cnn = o.type.is<CnnType>();
  const auto& cell = o.encoder.recurrent.cell;
  const bool is_lstm = cell.is<nn::LstmCell>();
  const bool reads_both_ways =
      !is_cnn && o.encoder.enc_depth == 1 &&
      (direction.is<nn::Bidirectional>() ||
       (direction.is<nn::AutomaticDirection>() && o.type.is<RnnAttentionType>()));
  const int64_t d = o.encoder.dim_emb, gates = is_lstm ? 4 : cell.is<nn::GruCell>() ? 3 : 1;
  const int64_t start = !is_cnn && (reads_both_ways || is_lstm) ? 2 * d : d;
  return {{"Vs", o.shares_table() ? kTarget : kSource},
          {"V", kTarget},
          {"D", d},
          {"F", o.encoder.transformer.feed_forward.inner},
          {"H", attention.heads},
          {"G", attention.groups()},
          {"K", o.encoder.key_size()},
          {"Kv", o.encoder.value_size()},
          {"P", o.encoder.position.max_positions},
          {"B", o.encoder.position.kind.get<nn::RelativePositionOptions>().buckets},
          {"k", attention.kind.choice().get<nn::LinformerOptions>().keys},
          {"R", clustered.clustering.get<nn::HashOptions>().rounds},
          {"c", clustered.clusters},
          {"d", clustered.clusters / 2},
          {"C", classifier == nullptr ? 0 : classifier->difference},
          {"w", o.encoder.cnn_width},
          {"g", gates},
          {"M", reads_both_ways ? 2 * d : d},
          {"S", start}};
}

// Those of a tensor: attentions may lack heads.
Letters letters_of(const Seq2SeqOptions& o, const std::string& tensor) {
  Letters out = letters_of(o);
  const size_t part = tensor.rfind('.', tensor.rfind('.') - 1);
  if (part == std::string::npos || !o.encoder.transformer.pruning.is_on()) return out;
  const auto attention = nn::attention_named(std::string_view(tensor).substr(0, part));
  if (attention) out["H"] -= std::ssize(o.encoder.transformer.pruning.pruned(*attention));
  out["G"] = out["H"];
  return out;
}

std::vector<decode::ModelCase> all_kinds() {
  std::vector<decode::ModelCase> cases = decode::model_cases();
  const auto add = [&](std::string name) -> Seq2SeqOptions& {
    return cases.emplace_back(std::move(name), decode::small_options()).options;
  };
  test::set(add("mask-predict"), "--generation mask-predict");
  test::set(add("sandwich, batch norms"), "--transformer-norm sandwich --norm-kind batch");
  Seq2SeqOptions& mixed = add("mixed keys on both sides");
  test::set(mixed, "--generation mask-predict --attention linformer --attention-keys 6");
  test::set(add("parallel"), "--generation parallel");
  test::set(add("ctc"), "--generation ctc");
  test::set(add("tied inputs"), "--tied-embeddings-src true");
  add("tied to the output").decoder.tied_embeddings = true;
  add("some layers tied").encoder.transformer.tied_layers = {1, 1};
  Seq2SeqOptions& one_layer = add("one layer that reads both ways");
  one_layer = {};
  test::set(one_layer, "--type rnn-attention");
  one_layer.encoder.dim_emb = 32;
  one_layer.encoder.enc_depth = one_layer.decoder.dec_depth = 1;
  return cases;
}

TEST(TensorNames, AreThoseOfThePage) {
  std::multimap<std::string, Row> page = read_page();
  ASSERT_GT(page.size(), 100u);
  const std::regex number("\\.[0-9]+\\.");
  for (const auto& [name, options] : all_kinds()) {
    const int64_t source = options.shares_table() ? kTarget : kSource;
    Seq2Seq model(options, {source, kTarget, decode::kBegin, decode::kEnd});
    for (const auto& [tensor, p] : nn::parameters_of(model)) {
      const auto [begin, end] = page.equal_range(std::regex_replace(tensor, number, ".N."));
      bool is_found = false;
      for (auto it = begin; it != end; ++it) {
        if (!it->second.allows(p->shape, letters_of(options, tensor))) continue;
        is_found = it->second.is_met = true;
      }
      EXPECT_TRUE(is_found) << name << ": " << tensor << " " << p->shape.text()
                            << (begin == end ? " is not there" : " has another shape there");
    }
  }
  for (const auto& [tensor, row] : page) {
    EXPECT_TRUE(row.is_met) << tensor << " " << row.shapes << " is of no model";
  }
}

// The names of parameters that have another shape with another token in a vocabulary.
std::set<std::string> names_by_shape(Seq2Seq model, Seq2Seq larger) {
  std::set<std::string> out;
  const auto parameters = nn::parameters_of(model), others = nn::parameters_of(larger);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].parameter->shape == others[i].parameter->shape) continue;
    out.insert(parameters[i].name);
  }
  return out;
}

std::set<std::string> names_of(Seq2Seq model, std::initializer_list<nn::Vocabulary> vocabularies) {
  std::set<std::string> out;
  for (const auto& [name, p] : nn::parameters_of(model)) {
    if (std::ranges::find(vocabularies, p->vocabulary) != vocabularies.end()) out.insert(name);
  }
  return out;
}

TEST(Seq2Seq, MarksTheParametersOfItsVocabularies) {
  for (const auto& [name, options] : all_kinds()) {
    SCOPED_TRACE(name);
    const bool is_shared = options.shares_table();
    const int64_t source = is_shared ? kTarget : kSource;
    const Seq2Seq model(options, {source, kTarget, decode::kBegin, decode::kEnd});
    const Seq2Seq larger_target(
        options, {is_shared ? source + 1 : source, kTarget + 1, decode::kBegin, decode::kEnd});
    EXPECT_EQ(names_by_shape(model, larger_target),
              names_of(model, {nn::Vocabulary::kTarget, nn::Vocabulary::kShared}));
    if (is_shared) continue;
    const Seq2Seq larger_source(options, {source + 1, kTarget, decode::kBegin, decode::kEnd});
    EXPECT_EQ(names_by_shape(model, larger_source), names_of(model, {nn::Vocabulary::kSource}));
  }
}

TEST(TensorNames, CountLayersThatHaveWeights) {
  Seq2SeqOptions options = decode::small_options();
  options.encoder.enc_depth = options.decoder.dec_depth = 4;
  options.encoder.transformer.tied_layers = {1, 1, 3, 3};
  Seq2Seq model(options, {kSource, kTarget, decode::kBegin, decode::kEnd});
  std::set<std::string> layers;
  for (const auto& [name, p] : nn::parameters_of(model)) {
    if (name.starts_with("model.encoder.layers.")) layers.insert(name.substr(0, 22));
  }
  EXPECT_EQ(layers, (std::set<std::string>{"model.encoder.layers.0", "model.encoder.layers.1"}));
  const auto& order = std::get<nn::Stack>(model.encoder.kind).order;
  EXPECT_EQ(order, (std::vector<size_t>{0, 0, 1, 1}));
}

}  // namespace
}  // namespace weft::models
