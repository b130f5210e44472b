#include "apps/weft/commands.h"

#include "weft/train.h"

namespace weft::app {

const std::vector<Command>& commands() {
  static const std::vector<Command> list = {
      {{"train", "Trains a model for a task, by default translation"}, run_train, training_tasks},
      {{"translate", "Translates text, line by line"}, run_translate},
      {{"classify", "Labels texts, pictures or vectors, or evaluates a model's labels"},
       run_classify},
      {{"tag", "Labels each word of a text, or evaluates a model's labels"}, run_tag},
      {{"embed", "Turns texts into vectors, and finds the nearest lines of a collection"},
       run_embed},
      {{"mine", "Finds hard negatives for pairs of texts, to train embedders on"}, run_mine},
      {{"fill", "Fills the masks of texts by a masked language model"}, run_fill},
      {{"detect", "Finds the objects in pictures, or evaluates a model's boxes"}, run_detect},
      {{"complete", "Completes masked views by second views of the same scenes"}, run_complete},
      {{"motion", "Predicts how two views of a scene differ"}, run_motion},
      {{"transcribe", "Writes down what is spoken in sound files, or measures its errors"},
       run_transcribe},
      {{"generate", "Continues prompts and answers conversations by a language model"},
       run_generate},
      {{"score", "Computes log-probabilities of texts or translations, and perplexities"},
       run_score},
      {{"evaluate",
        "Scores texts against references, line by line: BLEU, chrF, ROUGE, errors, and more"},
       run_evaluate},
      {{"compare", "Tests whether one system is better than another on the same examples"},
       run_compare},
      {{"inspect", "Shows what is in a model, and what the model attends to"}, run_inspect},
      {{"plot", "Draws the curves of training metrics"}, run_plot},
      {{"bench", "Measures the speed and memory of decoding"},
       run_bench,
       [] {
         return std::vector<std::string>{"decode", "generate"};
       }},
      {{"convert", "Converts models from and to formats of other systems"}, run_convert},
      {{"quantize", "Quantises a model's weights: a smaller file for inference"}, run_quantize},
      {{"average", "Averages the weights of models: of saves of a training, or of trainings"},
       run_average},
      {{"completion", "Prints the completion of commands and options for a shell",
        "weft completion bash|zsh|fish"},
       run_completion},
      {{"manual", "Writes manual pages of all commands"}, run_manual},
  };
  return list;
}

}  // namespace weft::app
