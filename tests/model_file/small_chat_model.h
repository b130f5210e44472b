// A small language model with random weights, letters as tokens, and a chat template.
#ifndef WEFT_TESTS_MODEL_FILE_SMALL_CHAT_MODEL_H_
#define WEFT_TESTS_MODEL_FILE_SMALL_CHAT_MODEL_H_

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/options.h"
#include "weft/data/subwords/subword_tokeniser.h"
#include "weft/model_file/language_model.h"

namespace weft::model_file {

inline constexpr const char* kSmallChatTemplate =
    "{% for m in messages %}{% if m.role == 'robot' %}{{ raise_exception('No robots') }}{% endif %}"
    "<|start|>{{ m.role }} {{ m.content }}<|stop|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant {% endif %}";

// <|stop|> ends the assistant's answers, but not the texts of the model.
inline data::SubwordTokeniserPtr letters_of_chat_model() {
  nlohmann::ordered_json vocabulary = nlohmann::ordered_json::object();
  for (const char c : std::string("abcdefghijklmnopqrstuvwxyz \n<|>.")) {
    vocabulary[std::string(1, c)] = vocabulary.size();
  }
  nlohmann::ordered_json json = {{"version", "1.0"}, {"added_tokens", nlohmann::json::array()}};
  for (const char* special : {"<eos>", "<|start|>", "<|stop|>"}) {
    json["added_tokens"].push_back({{"id", vocabulary.size() + json["added_tokens"].size()},
                                    {"content", special},
                                    {"special", true}});
  }
  json["decoder"] = {{"type", "Fuse"}};
  json["model"] = {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", nlohmann::json::array()}};
  return data::load_tokenizer_json(json.dump(), "letters",
                                   data::SpecialTokens{.begin = "<eos>", .end = {"<eos>"}});
}

inline LanguageModelSession small_chat_model(int64_t context = 256) {
  models::LanguageModelOptions options;
  test::set(options,
            "--dim-emb 16 --dec-depth 2 --transformer-heads 2 --transformer-dim-ffn 24 "
            "--tied-embeddings false --max-positions " +
                std::to_string(context));
  LanguageModelSession session = new_language_model(options, letters_of_chat_model(), 5);
  session.chat_templates.set(data::kDefaultChatTemplate, kSmallChatTemplate);
  session.chat_templates.where = "small: chat_template";
  return session;
}

}  // namespace weft::model_file

#endif  // WEFT_TESTS_MODEL_FILE_SMALL_CHAT_MODEL_H_
