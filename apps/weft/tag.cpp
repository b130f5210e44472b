// weft tag: words in, as many labels out; or how good the labels are on text whose labels are
// known.
#include "weft/tag.h"

#include "apps/weft/answer.h"
#include "apps/weft/command.h"
#include "apps/weft/input/word_source.h"
#include "apps/weft/model_options.h"
#include "apps/weft/output/evaluation_output.h"
#include "apps/weft/output/tag_layout.h"

namespace weft::app {
namespace {

struct TagOptions {
  ModelsOptions models;
  std::string input{kStandardInput};
  WordOptions words;
  std::string output{kStandardOutput};
  TagLayout layout;
  LibraryOptions tagging{Tagger::schema()};
  bool strict = false;
  std::vector<std::string> evaluate;
  EvaluationFlags evaluation{"tagger", {"format", "text-field"}};

  template <class V>
  void fields(V& v) {
    options::group(v, "Text");
    models.fields(v,
                  "model file, or several with the same vocabulary and labels, which tag together");
    v("input", input,
      {.help = "text to tag, plain or .gz, or - or stdin", .letter = 'i', .reads = true});
    words.fields(v);
    v("output", output, {.help = "file of labels, or - or stdout", .letter = 'o', .writes = true});
    options::choice(v, "layout", layout, {.help = "how labels are written"});
    tagging.fields(v);
    v("strict", strict,
      {.help =
           "exit status 1 if a text was over-long, not UTF-8, faulty, or has a word of more than "
           "--max-length tokens; a result is written for every text in any case"});
    options::group(v, "Evaluation");
    v("evaluate", evaluate,
      {.help = "labelled text in the layout of --format, or of training where that is text, plain "
               "or .gz, or - for standard input: print accuracy and span F1, as seqeval computes "
               "it, instead of labels",
       .reads = true});
    evaluation.fields(v);
  }

  void validate() const {
    tagging.validate();
    const auto is_of_lines = [](std::string_view name) {
      return name == "input" || name == "output" || name == "layout" || name == "scores" ||
             name == "strict";
    };
    evaluation.check(*this, !evaluate.empty(), is_of_lines);
  }
};

int tag_all(const Tagger& tagger, const Model& model, const TagOptions& options) {
  WordSource source(options.input, options.words, model);
  LineSink sink(options.output);
  Report report(options.words.is_text() ? "line" : "text");
  const Answering answering{.together = lines_together(options.tagging),
                            .done = "tagged",
                            .unit = "text",
                            .is_strict = options.strict};
  for (std::vector<Words> texts; next_window(source, answering.together, texts);) {
    TextLines out;
    for (const TaggedText& tagged : tagger.tag(texts, &report)) {
      const TextLines of_text = options.layout.visit([&](const auto& k) { return k(tagged); });
      out.insert(out.end(), of_text.begin(), of_text.end());
    }
    sink.write(out);
  }
  return conclude(report, answering);
}

}  // namespace

int run_tag(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<TagOptions>(info, args);
  if (!options) return 0;
  const std::vector<Model> models = options->models.load("tagger");
  const Tagger tagger(models, options->tagging.changed());
  if (options->evaluate.empty()) return tag_all(tagger, models.front(), *options);
  options->evaluation.run(models, options->evaluate,
                          options->tagging.added_to(options->words.changed()));
  return 0;
}

}  // namespace weft::app
