// Templates of Jinja, as Transformers renders chat templates: with trim_blocks and lstrip_blocks,
// in a sandbox in which values are immutable.
#ifndef WEFT_DATA_JINJA_JINJA_TEMPLATE_H_
#define WEFT_DATA_JINJA_JINJA_TEMPLATE_H_

#include <ctime>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "weft/data/jinja/runtime.h"
#include "weft/data/jinja/syntax.h"

namespace weft::data::jinja {

class Template {
 public:
  // `where` prefixes errors: "model.gguf: tokenizer.chat_template". Throws FormatError with the
  // line and the column of what is not Jinja or not supported.
  Template(std::string_view source, std::string where);

  // What a rendering begins with. `user` is an object whose texts a user typed, `model` one whose
  // texts belong to the model, such as "bos_token".
  struct Variables {
    const nlohmann::ordered_json& user;
    const nlohmann::ordered_json& model;
  };
  // `now` is what strftime_now() writes. Throws FormatError with the line and the column of what
  // fails, raise_exception() included, and where more is used than the limits allow.
  MarkedText render(const Variables& variables, const std::tm& now,
                    const Limits& limits = {}) const;

 private:
  std::string where_;
  Body body_;
};

}  // namespace weft::data::jinja

#endif  // WEFT_DATA_JINJA_JINJA_TEMPLATE_H_
