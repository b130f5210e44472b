// Logits of a model beside those that Transformers computes with the folder that it came from.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_LOGITS_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_LOGITS_H_

#include <string>

#include "weft/model_file/classifier.h"
#include "weft/model_file/embedder.h"
#include "weft/model_file/language_model.h"
#include "weft/model_file/masked_lm.h"
#include "weft/model_file/tagger.h"
#include "weft/model_file/translator.h"

namespace weft::model_file {

// The largest difference between the session's logits and those in a file written by
// tools/golden/logits.py, as a share of the largest of these. Throws FileError, FormatError.

// source.ids, source.offsets, target.ids and target.offsets (packed, with end symbols) and logits
// [N, V] of the target tokens.
double largest_logit_difference(const TranslatorSession& session, const std::string& path);

// pictures [B, height, width, channels], U8, of the model's size, or text.ids and text.offsets
// (packed, with special symbols), and logits [B, labels]. Throws OptionError for a model of
// vectors.
double largest_logit_difference(const ClassifierSession& session, const std::string& path);

// text.ids and text.offsets (packed) and logits [N, V] of the token after each.
double largest_logit_difference(const LanguageModelSession& session, const std::string& path);

// text.ids and text.offsets (packed, with special symbols) and vectors [B, E] of the texts.
double largest_logit_difference(const EmbedderSession& session, const std::string& path);

// text.ids and text.offsets (packed, with special symbols) and logits [N, labels] of all tokens.
// Throws OptionError for a model with other labels than one for each word.
double largest_logit_difference(const TaggerSession& session, const std::string& path);

// text.ids and text.offsets (packed, with special symbols) and logits [N, V] of all tokens.
double largest_logit_difference(const MaskedLmSession& session, const std::string& path);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_LOGITS_H_
