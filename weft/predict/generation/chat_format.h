// Conversations as the tokens that a language model continues.
#ifndef WEFT_PREDICT_GENERATION_CHAT_FORMAT_H_
#define WEFT_PREDICT_GENERATION_CHAT_FORMAT_H_

#include <cstdint>
#include <ctime>
#include <span>
#include <vector>

#include "weft/data/chat/chat_template.h"
#include "weft/data/subwords/subword_tokeniser.h"
#include "weft/model_file/language_model.h"

namespace weft::predict {

// Now, in the time zone of the system.
std::tm local_time();

class ChatFormat {
 public:
  // `now` is the date that templates may write. The session has to outlive it. Throws OptionError
  // for a model without a chat template, or whose tokeniser has no special tokens; FormatError for
  // a template that cannot be parsed.
  ChatFormat(const model_file::LanguageModelSession& session, const std::tm& now);

  // The prompt that the assistant answers; without `add_generation_prompt` the conversation alone.
  // Text of the conversation never becomes a special token. Throws FormatError where the template
  // refuses the conversation.
  std::vector<int32_t> tokens(const data::Conversation& conversation,
                              bool add_generation_prompt = true) const;
  // The token that the template ends an answer with, if it is special, in addition to the model's.
  std::span<const int32_t> end_ids() const { return end_ids_; }

 private:
  void find_end();

  const data::SubwordTokeniser* tokeniser_;
  data::ChatTemplate template_;
  std::tm now_;
  std::vector<int32_t> end_ids_;
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_GENERATION_CHAT_FORMAT_H_
