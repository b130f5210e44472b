#include "weft/tasks/labels/start.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "weft/core/error.h"
#include "weft/options/option_value.h"

namespace weft::tasks {
namespace {

// Of the head. Dropout may change, too.
constexpr std::string_view kChangeable[] = {"input",
                                            "labels",
                                            "at-least-one",
                                            "dec-depth",
                                            "pooling",
                                            "pooling-heads",
                                            "head-activation",
                                            "head-bias",
                                            "head-norm",
                                            "output-bias",
                                            "classifier-dropout",
                                            "tagger-dropout",
                                            "crf",
                                            "char-encoder",
                                            "char-widths",
                                            "char-filters",
                                            "char-depth",
                                            "char-heads",
                                            "char-dim-ffn",
                                            "dim-char",
                                            "max-word-length",
                                            "dropout-char"};

}  // namespace

bool StartOptions::may_change(std::string_view name) {
  return is_dropout_option(name) || std::ranges::find(kChangeable, name) != std::end(kChangeable);
}

void StartOptions::check_unused(const data::VocabularyOptions& vocabulary) const {
  require_option(!new_head, "--new-head", "needs --from, a model whose encoder is taken");
  require_option(take_layers.empty(), "--take-layers", "needs --from, a model of more layers");
  if (vocabulary.vocabs.size() == 1) return;
  fail<OptionError>("--vocabs", "expected one vocabulary, that of the text, or --from; got {}",
                    vocabulary.vocabs.size());
}

models::TextEncoderOptions started_from(models::TextEncoderOptions found,
                                        const models::TextEncoderOptions& given) {
  found.transformer = with_dropout_of(found.transformer, given.transformer);
  found.recurrent.dropout = given.recurrent.dropout;
  found.word_dropout = given.word_dropout;
  return found;
}

void check_same_head(const options::OptionTable& given, const options::OptionTable& defaults,
                     const options::OptionTable& found) {
  for (const options::Option& option : given.options()) {
    const bool is_training =
        option.name.find("dropout") != std::string::npos || option.name == "drop-path";
    const std::vector<std::string> ours = options::values_of(option);
    const std::vector<std::string> theirs = options::values_of(*found.find(option.name));
    const bool is_default = ours == options::values_of(*defaults.find(option.name));
    if (is_training || is_default || ours == theirs) continue;
    fail<OptionError>(
        "--" + option.name, "the model of --from has {}; expected the same, or --new-head; got {}",
        fmt::format("{}", fmt::join(theirs, " ")), fmt::format("{}", fmt::join(ours, " ")));
  }
}

void check_known_labels(const data::LabelSet& training, const data::LabelSet& known,
                        std::string_view files, std::string_view from, std::string_view hint) {
  for (const std::string& name : training.names()) {
    if (known.find(name) >= 0) continue;
    fail<FormatError>(files, "the label {} is none of the {} of {}; hint: {}", quote(name),
                      known.size(), from, hint);
  }
}

void check_same_labels(const data::LabelSet& student, const data::LabelSet& labels,
                       std::string_view teacher) {
  const auto refuse = [&](const std::string& name, std::string_view who) {
    fail<OptionError>("--teacher",
                      "{}: the label {} is of the {} alone; expected the same labels; hint: "
                      "--new-head takes those of the teacher",
                      teacher, quote(name), who);
  };
  for (const std::string& name : student.names()) {
    if (labels.find(name) < 0) refuse(name, "student");
  }
  for (const std::string& name : labels.names()) {
    if (student.find(name) < 0) refuse(name, "teacher");
  }
  for (int32_t i = 0; i < labels.size(); ++i) {
    if (student.name(i) == labels.name(i)) continue;
    fail<OptionError>("--teacher",
                      "{}: label {} is {}, of the student {}; expected the same order; hint: "
                      "--new-head takes that of the teacher",
                      teacher, i, quote(labels.name(i)), quote(student.name(i)));
  }
}

}  // namespace weft::tasks
