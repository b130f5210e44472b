#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "bindings/python/src/bind.h"
#include "bindings/python/src/listener.h"
#include "bindings/python/src/parts.h"
#include "weft/generate.h"

namespace weft::python {
namespace {

nb::object tokens_of(const std::vector<TokenProbability>& tokens) {
  return list_of(tokens, [](const TokenProbability& one) {
    return nb::make_tuple(str_of(one.token), one.log_probability);
  });
}

nb::object text_of_generation(GeneratedText found) {
  return nb::make_tuple(str_of(found.text), found.log_probability, found.tokens, found.ended,
                        nb::cast(found.token_scores), list_of(found.top_tokens, tokens_of));
}

nb::object generation_of(Generation found) {
  return nb::make_tuple(list_of(std::move(found.texts), text_of_generation), found.prompt_tokens,
                        fault_of(found.fault));
}

nb::object generate(const Generator& generator, const nb::list& prompts) {
  const auto given = texts_of(prompts, "prompt");
  Report report;
  auto found = predict_in_parts(given, report, [&](std::span<const std::string> part, Report& r) {
    return generator.generate(part, &r);
  });
  return nb::make_tuple(list_of(std::move(found), generation_of), news_of(report));
}

Conversation conversation_of(nb::handle messages) {
  Conversation out;
  for (const nb::handle message : messages) {
    const auto [role, content] = nb::cast<std::pair<nb::object, nb::object>>(message);
    out.push_back({text_of(role, "role"), text_of(content, "content")});
  }
  return out;
}

nb::object answer(const Generator& generator, const nb::list& conversations) {
  std::vector<Conversation> given;
  for (const nb::handle one : conversations) given.push_back(conversation_of(one));
  Report report;
  auto found = predict_in_parts(given, report, [&](std::span<const Conversation> part, Report& r) {
    return generator.answer(part, &r);
  });
  return nb::make_tuple(list_of(std::move(found), generation_of), news_of(report));
}

}  // namespace

void bind_generator(nb::module_& module) {
  nb::class_<Generator>(module, "Generator")
      .def("__init__", make_of_model<Generator>)
      .def("generate", generate)
      .def("answer", answer)
      .def("stream", [](const Generator& self, nb::handle prompt, const nb::callable& on_text) {
        const std::string given = text_of(prompt, "prompt");
        return generation_of(without_lock([&] { return self.stream(given, listener(on_text)); }));
      });
  nb::class_<Chat>(module, "Chat")
      .def("__init__",
           [](Chat* self, const Model& model, const nb::dict& options, nb::handle system) {
             const auto given = options_of(options);
             const std::string first = text_of(system, "system");
             without_lock([&] { new (self) Chat(model, given, first); });
           })
      .def("say",
           [](Chat& self, nb::handle text, const nb::callable& on_text) {
             const std::string given = text_of(text, "text");
             return generation_of(without_lock([&] { return self.say(given, listener(on_text)); }));
           })
      .def("clear", [](Chat& self) { without_lock([&] { self.clear(); }); })
      .def("forgotten", [](const Chat& self) { return self.forgotten(); });
}

}  // namespace weft::python
