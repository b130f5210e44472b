// 05: an engine that serves requests as they come: each has its own options, all share its steps,
// one is cancelled on the way. A server is a loop like this one.
#include <fmt/ranges.h>

#include "weft/decode/engine.h"
#include "weft/decode/step_models.h"

using namespace weft;

constexpr int32_t kEnd = 0, kBegin = 1, kVocabulary = 40;

// A model with random weights: what it says means nothing, but it says the same every time.
static models::Seq2Seq random_model() {
  models::Seq2SeqOptions options;
  options.encoder.enc_depth = options.decoder.dec_depth = 2;
  options.encoder.dim_emb = 64;
  options.encoder.transformer.attention.heads = 4;
  options.encoder.transformer.feed_forward.inner = 128;
  models::Seq2Seq model(options, {kVocabulary, kVocabulary, kBegin, kEnd});
  const auto parameters = nn::parameters_of(model);
  nn::bind(parameters);
  nn::initialise(parameters, 1);
  return model;
}

static void print(const decode::RequestOutput& output) {
  if (!output.is_finished) {
    fmt::print("request {} begins with {}\n", output.id, fmt::join(output.stable_prefix, " "));
    return;
  }
  if (output.error) {
    fmt::print("request {} failed\n", output.id);
    return;
  }
  for (const decode::Hypothesis& h : output.hypotheses) {
    fmt::print("request {}: {:.3f} {}\n", output.id, h.score, fmt::join(h.tokens, " "));
  }
}

int main() {
  const models::Seq2Seq model = random_model();
  const auto steps = decode::step_model(model);
  decode::Engine engine(*steps, {.slots = 8});

  // Beam search with a length penalty, the best three of four.
  const auto beam = engine.submit({
      .source = {5, 6, 7, kEnd},
      .beam = {.size = 4, .n_best = 3, .penalty = {decode::PowerPenalty{1}}},
      .length_limit = 12,
  });
  // One hypothesis drawn at random, reported token by token.
  const auto drawn = engine.submit({
      .source = {9, 8, kEnd},
      .beam = {.size = 1},
      .length_limit = 8,
      .sampling = decode::Sampling{.chain = {decode::TopP{0.9}}, .seed = 7},
      .streams = true,
  });
  // A beginning is given and nothing may end it: it would go on for 200 tokens.
  const auto endless = engine.submit({
      .source = {4, kEnd},
      .length_limit = 200,
      .prefix = {11, 12},
      .forbidden = {kEnd},
  });

  int finished = 0;
  for (int step = 0; !engine.is_idle(); ++step) {
    for (const decode::RequestOutput& output : engine.step()) {
      print(output);
      finished += output.is_finished ? 1 : 0;
    }
    if (step == 5) fmt::print("cancel {}: {}\n", endless, engine.cancel(endless));
  }
  const bool none_left = !engine.cancel(beam) && !engine.cancel(drawn) && !engine.cancel(endless);
  return finished == 2 && none_left ? 0 : 1;
}
