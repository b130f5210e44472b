// 03: a Transformer learns to reverse sequences, in seconds. The training loop is written out:
// batch, loss, gradients, Adam.
#include <fmt/core.h>

#include <cmath>

#include "weft/core/random.h"
#include "weft/decode/search/search.h"
#include "weft/decode/step_models.h"
#include "weft/train/optim/optimizer.h"

using namespace weft;

constexpr int32_t kEnd = 0, kBegin = 1, kFirst = 2, kSymbols = 10;

// `count` random sequences of 3 to 8 symbols, and their reversals.
static data::Batch random_pairs(RandomStream& random, int count) {
  std::vector<std::vector<int32_t>> sources, targets;
  data::Batch batch;
  for (int i = 0; i < count; ++i) {
    std::vector<int32_t> sequence(3 + random.below(6));
    for (int32_t& id : sequence) id = kFirst + static_cast<int32_t>(random.below(kSymbols));
    sources.push_back(sequence);
    targets.emplace_back(sequence.rbegin(), sequence.rend());
    batch.examples.push_back(i);
  }
  batch.fields = {data::make_tokens(sources, kEnd), data::make_tokens(targets, kEnd)};
  return batch;
}

int main() {
  models::Seq2SeqOptions options;
  options.encoder.enc_depth = options.decoder.dec_depth = 2;
  options.encoder.dim_emb = 64;
  options.encoder.transformer.attention.heads = 4;
  options.encoder.transformer.feed_forward.inner = 128;
  options.tied_embeddings_all = true;
  const int64_t vocab = kFirst + kSymbols;
  models::Seq2Seq model(options, {vocab, vocab, kBegin, kEnd});
  const auto parameters = nn::parameters_of(model);
  const Tensor weights = nn::bind(parameters);
  nn::initialise(parameters, 1);

  train::Optimizer adam({}, weights);
  autograd::Gradients gradients(weights);
  autograd::Tape tape;
  RandomStream random(1, 1);
  for (uint32_t update = 1; update <= 1500; ++update) {
    const data::Batch batch = random_pairs(random, 64);
    nn::Context context{.tape = &tape, .training = true, .key = {1, update}};
    const double weight = 1.0 / static_cast<double>(batch.target().rows());
    gradients.clear();
    const ops::Loss loss = model.loss(batch, {.weight = weight}, context);
    tape.backward(loss.value, gradients);
    adam.step(gradients.flat(), 1, 3e-3 * std::min(update / 100.0, 10 / std::sqrt(update)));
    if (update % 250 == 0) fmt::print("update {}: loss {:.4f}\n", update, loss.nll * weight);
  }

  const data::Batch test = random_pairs(random, 200);
  std::vector<decode::Request> requests;
  for (int64_t i = 0; i < test.size(); ++i) {
    const auto source = test.source()[i];
    requests.push_back({.source = {source.begin(), source.end()}, .beam = {.size = 1}});
  }
  const auto found = decode::search(*decode::step_model(model), requests);
  int right = 0;
  for (int64_t i = 0; i < test.size(); ++i) {
    const auto expected = test.target()[i];
    const auto& tokens = found[static_cast<size_t>(i)].front().tokens;
    right += std::equal(tokens.begin(), tokens.end(), expected.begin(), expected.end() - 1);
  }
  fmt::print("reversed without a mistake: {} of {}\n", right, test.size());
  return right >= 190 ? 0 : 1;
}
