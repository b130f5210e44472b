// Starting from another model's weights.
#ifndef WEFT_TASKS_PRETRAINED_H_
#define WEFT_TASKS_PRETRAINED_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/data/text/tokeniser.h"
#include "weft/model_file/options_in_file.h"
#include "weft/nn/parameters.h"
#include "weft/options/json.h"
#include "weft/tasks/pretrained_heads.h"
#include "weft/tasks/task_options.h"

namespace weft::tasks {

using Shapes = std::vector<std::pair<std::string, Shape>>;  // of parameters, in visiting order
template <class Model>
Shapes shapes_of(Model model) {
  Shapes out;
  for (const auto& [name, p] : nn::parameters_of(model)) out.emplace_back(name, p->shape);
  return out;
}

// The vocabularies of a file.
struct FileVocabularies {
  data::TokeniserPtr source;      // that of the target where it has none
  data::TokeniserPtr target;      // that of the source where it has none
  data::TokeniserPtr characters;  // null where it has none
};

// The options of a model of any type, and the shapes of the parameters that it has with them.
class ModelOptions {
 public:
  virtual ~ModelOptions() = default;
  virtual options::OptionTable table() = 0;  // of the options themselves
  virtual bool has_vocabulary() const = 0;
  // Of a model whose vocabularies have the sizes of these. Throws OptionError where options
  // contradict each other.
  virtual Shapes shapes(const FileVocabularies& vocabularies) const = 0;
  // Options of the same type, as far as a file's options, JSON, name them.
  virtual std::unique_ptr<ModelOptions> in_file(std::string_view json,
                                                std::string_view where) const = 0;
};

enum class HasVocabulary { kNo, kYes };

template <class Options>
class ModelOptionsOf : public ModelOptions {
 public:
  using MakeShapes = std::function<Shapes(const Options&, const FileVocabularies&)>;
  ModelOptionsOf(Options options, MakeShapes make,
                 HasVocabulary has_vocabulary = HasVocabulary::kYes)
      : options_(std::move(options)), make_(std::move(make)), has_vocabulary_(has_vocabulary) {}

  options::OptionTable table() override {
    options::OptionTable out;
    out.add(options_);
    return out;
  }
  bool has_vocabulary() const override { return has_vocabulary_ == HasVocabulary::kYes; }
  Shapes shapes(const FileVocabularies& vocabularies) const override {
    return make_(options_, vocabularies);
  }
  std::unique_ptr<ModelOptions> in_file(std::string_view json,
                                        std::string_view where) const override {
    Options out;
    model_file::OptionsInFile<Options> named{out};
    options::OptionTable all;
    named.fields(all);
    options::read_known_json(all, json, where);
    return std::make_unique<ModelOptionsOf>(std::move(out), make_, has_vocabulary_);
  }

 private:
  Options options_;
  MakeShapes make_;
  HasVocabulary has_vocabulary_;
};

// A vocabulary of the new model.
struct ModelVocabulary {
  nn::Vocabulary kind;  // kSource, kTarget or kCharacters
  const data::Tokeniser& tokeniser;
};

class Pretrained {
 public:
  // Reads the file, of any kind of model. Throws what reading throws, NumericError where weights
  // are not finite, and OptionError where the file is not what `options` ask for in the new model,
  // as far as that does not depend on its vocabularies.
  Pretrained(const PretrainedOptions& options, std::unique_ptr<ModelOptions> model);

  // Copies the wanted parameters of the new model out of the file; the others stay as they are.
  // Throws OptionError, changing nothing, where one is missing in the file or has another shape,
  // where one is left over in the file and all are wanted, or where a wanted one belongs to another
  // vocabulary.
  void copy_to(const std::vector<nn::NamedParameter>& all,
               const std::vector<ModelVocabulary>& vocabularies) const;

 private:
  Shapes wanted(const Shapes& all) const;
  // The file's parameter that goes by this name in the new model, or its end.
  std::map<std::string, Tensor>::const_iterator find(const std::string& name) const;
  // Its weight, without the heads that the new model lacks.
  Tensor weight_for(const std::string& name) const;
  void check_parameters(const Shapes& all) const;
  // The file's vocabulary of a kind, and the name of this kind in errors.
  std::pair<data::TokeniserPtr, std::string_view> vocabulary(nn::Vocabulary kind) const;
  void check_vocabularies(const std::vector<nn::NamedParameter>& asked,
                          const std::vector<ModelVocabulary>& vocabularies) const;

  PretrainedOptions options_;
  std::unique_ptr<ModelOptions> now_, then_;  // of the new model, of the file's
  ModelHeads now_heads_, then_heads_;
  FileVocabularies vocabularies_;
  std::map<std::string, Tensor> weights_;  // of the file
};

// Copies what `options` ask for, if anything, into a model without a vocabulary, whose parameters
// follow from its options and sizes. Throws what Pretrained does.
template <class Model>
void start_from_pretrained(const PretrainedOptions& options, Model& model) {
  if (options.model.empty()) return;
  using Options = decltype(model.options);
  const auto shapes = [&model](const Options& o, const FileVocabularies&) {
    return shapes_of(Model(o, model.dims));
  };
  Pretrained(options,
             std::make_unique<ModelOptionsOf<Options>>(model.options, shapes, HasVocabulary::kNo))
      .copy_to(nn::parameters_of(model), {});
}

}  // namespace weft::tasks

#endif  // WEFT_TASKS_PRETRAINED_H_
