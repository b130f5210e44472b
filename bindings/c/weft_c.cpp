#include "bindings/c/weft_c.h"

#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "weft/weft.h"

namespace {

using Json = nlohmann::ordered_json;

thread_local std::string last_error;

weft_status failed(weft_status status, const char* message) {
  try {
    last_error = message;
  } catch (...) {
    last_error.clear();  // there is no memory for it
  }
  return status;
}

// Runs a call, and turns what it throws into a status.
template <class Call>
weft_status guarded(Call call) {
  try {
    call();
    return WEFT_OK;
  } catch (const weft::OptionError& error) {
    return failed(WEFT_OPTION_ERROR, error.what());
  } catch (const weft::FileError& error) {
    return failed(WEFT_FILE_ERROR, error.what());
  } catch (const weft::FormatError& error) {
    return failed(WEFT_FORMAT_ERROR, error.what());
  } catch (const weft::ShapeError& error) {
    return failed(WEFT_SHAPE_ERROR, error.what());
  } catch (const weft::NumericError& error) {
    return failed(WEFT_NUMERIC_ERROR, error.what());
  } catch (const std::bad_alloc&) {
    return failed(WEFT_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return failed(WEFT_ERROR, error.what());
  } catch (...) {
    return failed(WEFT_ERROR, "an exception of unknown type");
  }
}

void require(const void* pointer, const char* name) {
  if (pointer == nullptr) throw weft::OptionError(std::string(name) + ": NULL; expected a pointer");
}

// Options of one name become a list.
weft::Options options_of(const weft_option* given, size_t count) {
  if (count > 0) require(given, "options");
  std::vector<std::pair<std::string, std::vector<std::string>>> grouped;
  for (size_t i = 0; i < count; ++i) {
    require(given[i].name, "option");
    require(given[i].value, given[i].name);
    auto found = grouped.begin();
    while (found != grouped.end() && found->first != given[i].name) ++found;
    if (found == grouped.end()) found = grouped.insert(found, {given[i].name, {}});
    found->second.emplace_back(given[i].value);
  }
  weft::Options out;
  for (auto& [name, values] : grouped) {
    if (values.size() == 1) {
      out.push_back({name, values.front()});
    } else {
      out.push_back({name, values});
    }
  }
  return out;
}

struct Result {
  std::string text = {};
  std::vector<float> numbers = {};
  std::optional<weft::Fault> fault = {};
  Json json = Json::object();
  std::string json_text = {};
};

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

Result result_of(const weft::Translation& found) {
  Json all = Json::array();
  for (const weft::TranslationHypothesis& one : found.hypotheses) {
    Json object = {
        {"text", one.text}, {"log_probability", one.log_probability}, {"score", one.score}};
    if (!one.token_scores.empty()) object["token_log_probabilities"] = one.token_scores;
    all.push_back(std::move(object));
  }
  return {.text = found.text, .fault = found.fault, .json = {{"hypotheses", std::move(all)}}};
}

Result result_of(const weft::Classification& found) {
  return {.text = joined(found.labels),
          .numbers = found.probabilities,
          .fault = found.fault,
          .json = {{"labels", found.labels}, {"probabilities", found.probabilities}}};
}

Result result_of(const weft::TaggedText& found) {
  Json columns = Json::array();
  for (const weft::TaggedText::Column& column : found.columns) {
    Json object = {{"labels", column.labels}};
    if (!column.probabilities.empty()) object["probabilities"] = column.probabilities;
    columns.push_back(std::move(object));
  }
  return {.text = found.columns.empty() ? "" : joined(found.columns.front().labels),
          .fault = found.fault,
          .json = {{"words", found.words}, {"columns", std::move(columns)}}};
}

Result result_of(const weft::FilledText& found) {
  Json masks = Json::array();
  for (const std::vector<weft::MaskCandidate>& mask : found.masks) {
    Json& tokens = masks.emplace_back(Json::array());
    for (const weft::MaskCandidate& one : mask) {
      tokens.push_back({{"token", one.token}, {"probability", one.probability}});
    }
  }
  return {.text = found.text, .fault = found.fault, .json = {{"masks", std::move(masks)}}};
}

Result result_of(const weft::Generation& found) {
  Json texts = Json::array();
  for (const weft::GeneratedText& one : found.texts) {
    texts.push_back({{"text", one.text},
                     {"log_probability", one.log_probability},
                     {"tokens", one.tokens},
                     {"ended", one.ended}});
  }
  return {.text = found.texts.empty() ? "" : found.texts.front().text,
          .fault = found.fault,
          .json = {{"texts", std::move(texts)}, {"prompt_tokens", found.prompt_tokens}}};
}

Result result_of(const weft::Transcript& found) {
  Json words = Json::array();
  for (const weft::TimedWord& word : found.words) {
    words.push_back({{"text", word.text}, {"begin", word.begin}, {"end", word.end}});
  }
  return {.text = found.text,
          .fault = found.fault,
          .json = {{"words", std::move(words)}, {"seconds", found.seconds}}};
}

Result result_of(const weft::Detection& found) {
  Json boxes = Json::array();
  for (const weft::DetectedObject& one : found.objects) {
    boxes.push_back({{"label", one.label},
                     {"score", one.score},
                     {"box", {one.x, one.y, one.width, one.height}}});
  }
  return {.fault = found.fault, .json = {{"boxes", std::move(boxes)}}};
}

template <class Found>
std::vector<Result> results_of(const std::vector<Found>& found) {
  std::vector<Result> out;
  out.reserve(found.size());
  for (const Found& one : found) out.push_back(result_of(one));
  return out;
}

std::vector<Result> results_of(const weft::Embeddings& found) {
  std::vector<Result> out(found.faults.size());
  const auto width = static_cast<std::ptrdiff_t>(found.vectors.shape.back());
  auto row = found.vectors.values.begin();
  for (size_t i = 0; i < out.size(); ++i, row += width) {
    out[i].fault = found.faults[i];
    if (!out[i].fault) out[i].numbers.assign(row, row + width);
    out[i].json["vector"] = out[i].numbers;
  }
  return out;
}

std::vector<Result> run(const weft::Translator& p, const std::vector<std::string>& inputs) {
  return results_of(p.translate(inputs));
}
std::vector<Result> run(const weft::Classifier& p, const std::vector<std::string>& inputs) {
  return results_of(p.classify(inputs));
}
std::vector<Result> run(const weft::Tagger& p, const std::vector<std::string>& inputs) {
  return results_of(p.tag(inputs));
}
std::vector<Result> run(const weft::Embedder& p, const std::vector<std::string>& inputs) {
  return results_of(p.embed(inputs));
}
std::vector<Result> run(const weft::MaskFiller& p, const std::vector<std::string>& inputs) {
  return results_of(p.fill(inputs));
}
std::vector<Result> run(const weft::Generator& p, const std::vector<std::string>& inputs) {
  return results_of(p.generate(inputs));
}
std::vector<Result> run(const weft::Transcriber& p, const std::vector<std::string>& inputs) {
  return results_of(p.transcribe(inputs));
}
std::vector<Result> run(const weft::Detector& p, const std::vector<std::string>& inputs) {
  return results_of(p.detect(inputs));
}

using AnyPredictor =
    std::variant<weft::Translator, weft::Classifier, weft::Tagger, weft::Embedder, weft::MaskFiller,
                 weft::Generator, weft::Transcriber, weft::Detector>;

AnyPredictor make_predictor(const weft::Model& model, const weft::Options& options) {
  const std::string_view kind = model.kind();
  if (kind == "seq2seq") return weft::Translator(model, options);
  if (kind == "classifier") return weft::Classifier(model, options);
  if (kind == "tagger") return weft::Tagger(model, options);
  if (kind == "embedder") return weft::Embedder(model, options);
  if (kind == "masked-lm") return weft::MaskFiller(model, options);
  if (kind == "language-model") return weft::Generator(model, options);
  if (kind == "transcriber") return weft::Transcriber(model, options);
  if (kind == "detector") return weft::Detector(model, options);
  throw weft::OptionError(model.path() + ": nothing is predicted by a model of type '" +
                          std::string(kind) + "' here");
}

}  // namespace

struct weft_model {
  weft::Model model;
};
struct weft_predictor {
  AnyPredictor predictor;
};
struct weft_results {
  std::vector<Result> results;
};

const char* weft_error_message(void) { return last_error.c_str(); }

const char* weft_version(void) { return weft::version().data(); }

weft_status weft_load(const char* path, const weft_option* options, size_t count,
                      weft_model** out) {
  return guarded([&] {
    require(path, "path");
    require(out, "out");
    *out = new weft_model{weft::load(path, options_of(options, count))};
  });
}

const char* weft_model_kind(const weft_model* model) { return model->model.kind().data(); }

void weft_model_free(weft_model* model) { delete model; }

weft_status weft_make_predictor(const weft_model* model, const weft_option* options, size_t count,
                                weft_predictor** out) {
  return guarded([&] {
    require(model, "model");
    require(out, "out");
    *out = new weft_predictor{make_predictor(model->model, options_of(options, count))};
  });
}

void weft_predictor_free(weft_predictor* predictor) { delete predictor; }

weft_status weft_predict(const weft_predictor* predictor, const char* const* inputs, size_t count,
                         weft_results** out) {
  return guarded([&] {
    require(predictor, "predictor");
    require(out, "out");
    if (count > 0) require(inputs, "inputs");
    std::vector<std::string> texts;
    for (size_t i = 0; i < count; ++i) {
      require(inputs[i], "inputs");
      texts.emplace_back(inputs[i]);
    }
    auto results = std::make_unique<weft_results>(weft_results{
        std::visit([&](const auto& one) { return run(one, texts); }, predictor->predictor)});
    for (Result& result : results->results) {
      if (result.fault) result.json["fault"] = result.fault->reason;
      result.json_text = result.json.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    *out = results.release();
  });
}

size_t weft_results_count(const weft_results* results) { return results->results.size(); }

const char* weft_results_text(const weft_results* results, size_t index) {
  return index < results->results.size() ? results->results[index].text.c_str() : nullptr;
}

const char* weft_results_json(const weft_results* results, size_t index) {
  return index < results->results.size() ? results->results[index].json_text.c_str() : nullptr;
}

const float* weft_results_numbers(const weft_results* results, size_t index, size_t* size) {
  *size = index < results->results.size() ? results->results[index].numbers.size() : 0;
  return *size == 0 ? nullptr : results->results[index].numbers.data();
}

const char* weft_results_fault(const weft_results* results, size_t index) {
  const bool has_fault = index < results->results.size() && results->results[index].fault;
  return has_fault ? results->results[index].fault->reason.c_str() : nullptr;
}

void weft_results_free(weft_results* results) { delete results; }

weft_status weft_stream(const weft_predictor* predictor, const char* input, weft_on_text on_text,
                        void* user) {
  return guarded([&] {
    require(predictor, "predictor");
    require(input, "input");
    require(reinterpret_cast<const void*>(on_text), "on_text");
    const auto pass = [&](std::string_view text) {
      return on_text(text.data(), text.size(), user) != 0;
    };
    if (const auto* generator = std::get_if<weft::Generator>(&predictor->predictor)) {
      generator->stream(input, pass);
    } else if (const auto* translator = std::get_if<weft::Translator>(&predictor->predictor)) {
      translator->stream(input, pass);
    } else {
      throw weft::OptionError("predictor: expected a translator or a language model");
    }
  });
}

weft_status weft_train(const char* task, const weft_option* options, size_t count,
                       weft_on_update on_update, void* user) {
  return guarded([&] {
    require(task, "task");
    weft::train_model(task, options_of(options, count), [&](const weft::TrainingProgress& now) {
      return on_update == nullptr || on_update(now.update, now.loss, now.seconds_left, user) != 0;
    });
  });
}

weft_status weft_convert(const weft_option* options, size_t count) {
  return guarded([&] { weft::convert(options_of(options, count)); });
}

weft_status weft_quantize(const weft_option* options, size_t count) {
  return guarded([&] { weft::quantize(options_of(options, count)); });
}

weft_status weft_use_threads(int threads) {
  return guarded([&] { weft::use_threads(threads); });
}

void weft_send_log(weft_on_log on_log, void* user) {
  if (on_log == nullptr) return weft::send_log({});
  weft::send_log([=](weft::LogLevel level, std::string_view message) {
    on_log(level == weft::LogLevel::kWarning ? 1 : 0, std::string(message).c_str(), user);
  });
}
