// Measures how much gradient of the loss reaches each source token, for benchmarks/tasks/family:
//
//     weft_source_gradients MODEL SOURCE TARGET
//
// For every source token of every pair, except the end symbol, prints its position, its distance to
// the last source row, and the gradient norm at its embedding of the mean loss per target token.
#include <fmt/core.h>

#include <cmath>

#include "weft/core/error.h"
#include "weft/data/corpus/corpus.h"
#include "weft/model_file/translator.h"
#include "weft/ops/fused/projection_loss.h"

namespace weft {
namespace {

// The gradient [S, D] of a pair's mean loss with respect to the embedded source.
Tensor source_gradient(const model_file::TranslatorSession& session, const data::Batch& pair) {
  const models::Seq2Seq& model = session.model;
  const nn::Parameter& table =
      model.options.tied_embeddings_all ? model.decoder.embedding.table : model.source.table;
  const auto rows = ops::make_layout(pair.source().segments);
  autograd::Tape tape;
  nn::Context inference, context{.tape = &tape};
  const Tensor x =
      tape.watch(model.source.embed(table, {ops::make_ids(pair.source().ids), rows}, inference));
  const nn::Memory memory =
      model.encoder(x, rows, model.source.position.in_attention(rows, context), context);
  const Tensor states = model.states(memory, pair.target(), context);
  const ops::Loss loss =
      ops::projection_loss(states, model.decoder.projection(), ops::make_ids(pair.target().ids),
                           {.weight = 1 / double(pair.target().rows())}, &tape);
  autograd::Gradients gradients(session.parameters);
  tape.backward(loss.value, gradients);
  return gradients.of(x);
}

double norm(const Tensor& x) { return std::sqrt(sum_of_squares(x)); }

void run(const std::string& path, const std::string& source, const std::string& target) {
  const model_file::TranslatorSession session =
      model_file::load<model_file::TranslatorSession>(path);
  const data::Corpus corpus({{{source, target}, false}}, session.tokenisers,
                            {.max_lengths = {200, 200}});
  for (int64_t s = 0; s < corpus.size(); ++s) {
    const std::vector<int64_t> one{s};
    const Tensor gradient = source_gradient(session, corpus.batch(one));
    const int64_t last = gradient.rows() - 1;
    for (int64_t i = 0; i < last; ++i) {
      fmt::print("{} {} {:.6g}\n", i, last - i, norm(gradient.row_range(i, i + 1)));
    }
  }
}

}  // namespace
}  // namespace weft

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: weft_source_gradients MODEL SOURCE TARGET\n");
    return 2;
  }
  try {
    weft::run(argv[1], argv[2], argv[3]);
  } catch (const weft::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
