#include "weft/speed.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "weft/api/loaded_model.h"
#include "weft/api/read_options.h"
#include "weft/core/random.h"
#include "weft/core/timer.h"
#include "weft/decode/engine.h"
#include "weft/decode/step_models.h"
#include "weft/predict/generation/generation_options.h"

namespace weft {
namespace {

struct GenerationSpeedOptions {
  predict::CachePrecision cache;
  int64_t prompt_length = 512;
  int64_t max_length = 128;
  int64_t streams = 1;

  template <class V>
  void fields(V& v) {
    cache.fields(v);
    v("prompt-length", prompt_length,
      {.help = "tokens of each prompt, drawn at random", .min = 1, .max = 1e6, .letter = 'p'});
    v("max-length", max_length,
      {.help = "tokens of each continuation; 1: measure prompts alone",
       .min = 1,
       .max = 1e6,
       .letter = 'n'});
    v("streams", streams,
      {.help = "prompts, each different, that are continued at the same time",
       .min = 1,
       .max = 1024});
  }
};

// A greedy continuation of full length, of a random prompt.
decode::Request random_request(const models::LanguageModelDims& dims,
                               const GenerationSpeedOptions& options, int64_t stream) {
  decode::Request out;
  out.beam.size = 1;
  out.length_limit = options.max_length;
  out.streams = true;
  RandomStream draws(0, static_cast<uint64_t>(stream));
  for (int64_t i = 0; i < options.prompt_length; ++i) {
    out.prompt.push_back(static_cast<int32_t>(draws.below(static_cast<uint64_t>(dims.vocab))));
  }
  out.forbidden.assign(dims.end_ids.begin(), dims.end_ids.end());
  return out;
}

GenerationSpeed time_streams(const models::LanguageModel& model,
                             const GenerationSpeedOptions& options) {
  decode::DecoderSteps steps = decode::decoder_steps(model, options.cache.type());
  decode::Engine engine(steps, {.slots = options.streams});
  const Timer timer;
  for (int64_t i = 0; i < options.streams; ++i) {
    engine.submit(random_request(model.dims, options, i));
  }
  std::vector<int64_t> lengths(static_cast<size_t>(options.streams));  // of continuations
  const auto total = [&] { return std::reduce(lengths.begin(), lengths.end()); };
  double first_tokens = 0;  // seconds
  int64_t tokens_then = 0;
  while (!engine.is_idle()) {
    for (const decode::RequestOutput& output : engine.step()) {
      if (output.error) std::rethrow_exception(output.error);
      lengths[static_cast<size_t>(output.id)] = std::ssize(output.stable_prefix);
    }
    if (first_tokens == 0 && std::ranges::find(lengths, 0) == lengths.end()) {
      first_tokens = timer.seconds();
      tokens_then = total();
    }
  }
  return {.prompts = static_cast<double>(options.streams * options.prompt_length) / first_tokens,
          .continuations =
              static_cast<double>(total() - tokens_then) / (timer.seconds() - first_tokens),
          .cache_bytes = steps.cache_bytes()};
}

}  // namespace

GenerationSpeed measure_generation(const Model& model, const Options& options) {
  const auto given = api::read_options<GenerationSpeedOptions>(options);
  const auto& session = api::session_of<model_file::LanguageModelSession>(model);
  const int64_t context = session.model.options.capacity();
  if (given.prompt_length + given.max_length > context) {
    fail<OptionError>("--prompt-length",
                      "{} and --max-length {} exceed the context of the model, {} tokens",
                      given.prompt_length, given.max_length, context);
  }
  return time_streams(session.model, given);
}

const OptionSchema& measure_generation_schema() { return api::schema_of<GenerationSpeedOptions>(); }

}  // namespace weft
