// The tokenisers and label sets in a model's file.
#ifndef WEFT_MODEL_FILE_TEXT_ASSETS_H_
#define WEFT_MODEL_FILE_TEXT_ASSETS_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/data/chat/chat_templates.h"
#include "weft/data/features/channel_statistics.h"
#include "weft/data/labels/label_set.h"
#include "weft/data/text/tokeniser.h"
#include "weft/model_file/model_file.h"
#include "weft/models/encoders/text_encoder_options.h"

namespace weft::model_file {

inline constexpr const char* kSourceVocabulary = "vocab.source";
inline constexpr const char* kTargetVocabulary = "vocab.target";
inline constexpr const char* kCharacterVocabulary = "vocab.characters";
inline constexpr const char* kChatTemplates = "chat.templates";

// Throws FormatError, as the functions below do, where the file has none or a damaged one.
data::TokeniserPtr read_vocabulary(ContentsReader& file, const char* name);

// None where the file has none. They are not parsed.
data::ChatTemplates read_chat_templates(ContentsReader& file);

// What a model has that gives labels.
struct TextAssets {
  data::TokeniserPtr tokeniser = nullptr;   // null: its input is no text
  std::vector<data::LabelSet> labels = {};  // of each kind of label
};
std::vector<data::LabelSet> read_label_sets(ContentsReader& file, size_t sets);
TextAssets read_text_assets(ContentsReader& file, size_t label_sets);
// Throws FormatError, naming `path`, for a larger vocabulary or another number of labels than the
// options say.
void check_text_assets(const TextAssets& text, int64_t vocab, const std::vector<int64_t>& labels,
                       const std::string& path);
// Throws FormatError, naming `path`, unless there are statistics of `count` numbers. `name` is how
// their options begin: "channel" or "number".
void check_statistics(const data::ChannelStatistics& statistics, int64_t count,
                      std::string_view name, const std::string& path);
// Throws FormatError, naming `path`, for a tokeniser of more tokens than a table of `rows` has.
void check_vocabulary_size(const data::Tokeniser& tokeniser, int64_t rows, const std::string& path);
// What a tokeniser fixes of an encoder. A symbol that it does not have is its end symbol.
models::TextEncoderDims dims_of(const data::Tokeniser& tokeniser);
std::vector<Asset> assets_of(const TextAssets& text);  // vocab.source, labels.0, labels.1, ...

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_TEXT_ASSETS_H_
