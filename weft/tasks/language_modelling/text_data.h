// What a training of a language model reads: its vocabulary and its sequences.
#ifndef WEFT_TASKS_LANGUAGE_MODELLING_TEXT_DATA_H_
#define WEFT_TASKS_LANGUAGE_MODELLING_TEXT_DATA_H_

#include <memory>
#include <string>
#include <vector>

#include "weft/data/sequences/token_sequences.h"
#include "weft/data/sequences/training_texts.h"
#include "weft/data/text/open_vocabularies.h"
#include "weft/model_file/language_model.h"
#include "weft/tasks/language_modelling/options.h"

namespace weft::tasks {

// The text that a vocabulary is made of.
data::VocabularyText training_vocabulary_text(const TextDataOptions& options);

struct TextSequences {
  data::TokenSequences sequences;
  int64_t texts = 0, bytes = 0;
  int64_t label_bytes = 0;  // of the text that has a loss
  int64_t unknown = 0;      // tokens
  int64_t cropped = 0;      // completions and conversations
  int64_t left_out = 0;     // of these, where nothing is left to learn
  std::string name;         // of the files
  // The first texts, to show what a model makes of them; of a long one the beginning.
  std::vector<data::TrainingText> first = {};

  // "train.txt: 1 text, 1115394 bytes; 300 sequences, 76800 tokens to learn, unknown 0 %"
  std::string report() const;
};

// Throws what data::read_training_texts() and ExampleTokeniser throw, and FormatError where there
// is no text.
TextSequences read_sequences(const std::vector<std::string>& files, const TextDataOptions& options,
                             const model_file::LanguageModelSession& session);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_LANGUAGE_MODELLING_TEXT_DATA_H_
