#include "weft/models/tagger.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/ops/add.h"
#include "weft/ops/dropout.h"
#include "weft/ops/rows/select_rows.h"

namespace weft::models {
namespace {

// The row in the batch of each word's first token.
std::vector<int32_t> first_rows_of(const TaggerInput& in) {
  const data::Labels& words = in.first_rows;
  if (words.examples() != in.tokens.examples()) {
    fail<ShapeError>("tagger", "words of {} texts; expected {}", words.examples(),
                     in.tokens.examples());
  }
  std::vector<int32_t> rows = words.ids;
  for (int64_t b = 0; b < words.examples(); ++b) {
    for (int32_t w = words.segments.begin(b); w < words.segments.end(b); ++w) {
      rows[static_cast<size_t>(w)] += in.tokens.segments.begin(b);
    }
  }
  return rows;
}

Tensor square(const nn::Parameter& row, int64_t size) {
  Tensor out = row.value.reshape({size, size});
  out.node = row.value.node;
  return out;
}

const data::Labels& labels_of(const data::Batch& batch, size_t column) {
  return std::get<data::Labels>(batch.fields.at(1 + column));
}

// What the heads read.
struct TaggerStates {
  ops::LayoutPtr words;
  Tensor of_words;  // [W, C]
  Tensor of_texts;  // [B, C], where there are labels of texts
};

// Of embeddings x [N, D].
TaggerStates states_of(const Tagger& model, const Tensor& x, const TaggerInput& in,
                       const nn::Context& context) {
  autograd::Tape* const tape = context.tape;
  const ops::LayoutPtr rows = ops::make_layout(in.tokens.segments);
  TaggerStates out{ops::make_layout(in.first_rows.segments), {}, {}};
  const ops::Selection first = ops::make_selection(first_rows_of(in), in.tokens.rows());
  const Tensor states = model.encoder.encode(x, rows, context).states;  // [N, C]
  out.of_words = ops::dropout(model.head(ops::select_rows(states, first, tape), context),
                              context.dropout(model.word_dropout, out.words), tape);
  if (std::ranges::any_of(model.dims.columns, &LabelColumn::is_of_text)) {
    Segments texts = Segments::uniform(in.tokens.examples(), 1);
    texts.first = in.tokens.segments.first;
    out.of_texts =
        ops::dropout(model.head(model.pooling(states, rows, tape), context),
                     context.dropout(model.text_dropout, ops::make_layout(std::move(texts))), tape);
  }
  return out;
}

}  // namespace

CrfParameters::CrfParameters(int64_t labels)
    : transitions({1, labels * labels}, nn::Init::kZeros),
      start({1, labels}, nn::Init::kZeros),
      end({1, labels}, nn::Init::kZeros) {}

TagHead::TagHead(const LabelColumn& wanted, int64_t width)
    : column(wanted), out_proj(width, wanted.labels, true) {
  if (column.has_crf) crf = CrfParameters(column.labels);
}

TaggerInput tagger_input(const data::Batch& batch, size_t columns, bool reads_characters) {
  return {.tokens = batch.tokens(0),
          .first_rows = labels_of(batch, columns),
          .characters = reads_characters ? &batch.tokens(columns + 2) : nullptr};
}

Tagger::Tagger(const TaggerOptions& o, const TaggerDims& s) : options(o), dims(s) {
  o.check();
  nn::RngStreams dropouts;
  encoder = TextEncoder(o.encoder, s.encoder, dropouts);
  characters = CharacterEncoder(o.characters, s.characters, o.encoder.dim_emb, dropouts);
  word_dropout = {o.tagger_dropout, dropouts.take()};
  text_dropout = {o.tagger_dropout, dropouts.take()};
  head = nn::HeadLayer(o.head, encoder.width(), o.encoder.transformer.norm);
  if (std::ranges::any_of(s.columns, &LabelColumn::is_of_text)) {
    pooling = nn::make_pooling(o.pooling, encoder.width());
  }
  for (const LabelColumn& column : s.columns) heads.emplace_back(column, encoder.width());
}

Tensor Tagger::embed(const TaggerInput& in, const nn::Context& context) const {
  const ops::LayoutPtr rows = ops::make_layout(in.tokens.segments);
  const ops::Ids ids = ops::make_ids(
      drop_words(in.tokens, rows, dims.encoder, options.encoder.word_dropout, context));
  Tensor x = encoder.embedding({ids, rows}, context);
  if (in.characters == nullptr) return x;
  const ops::Selection first = ops::make_selection(first_rows_of(in), in.tokens.rows());
  const auto end = static_cast<int32_t>(dims.character_end_id);
  const Tensor words = characters({.ids = ops::make_ids(in.characters->ids),
                                   .characters = rows_of_words(*in.characters, end),
                                   .words = ops::make_layout(in.first_rows.segments)},
                                  context);  // [W, D]
  return ops::add(x, ops::select_rows(words, ops::inverse(first), context.tape),
                  context.tape);  // [N, D]
}

TagScores Tagger::operator()(const TaggerInput& in, const nn::Context& context) const {
  return scores(embed(in, context), in, context);
}

TagScores Tagger::scores(const Tensor& embeddings, const TaggerInput& in,
                         const nn::Context& context) const {
  const TaggerStates states = states_of(*this, embeddings, in, context);
  TagScores out{states.words, {}};
  for (const TagHead& tags : heads) {
    const LabelColumn& column = tags.column;
    const Tensor& x = column.is_of_text ? states.of_texts : states.of_words;
    ColumnScores& scores = out.columns.emplace_back();
    scores.emissions = tags.out_proj(x, context.tape);  // [W or B, labels]
    if (!column.has_crf) continue;
    scores.transitions = square(tags.crf.transitions, column.labels);
    scores.start = tags.crf.start;
    scores.end = tags.crf.end;
  }
  return out;
}

TagScores Tagger::operator()(const data::Batch& batch, const nn::Context& context) const {
  return (*this)(tagger_input(batch, heads.size(), characters.is_on()), context);
}

ops::Loss Tagger::loss(const data::Batch& batch, const TagObjective& objective,
                       const nn::Context& context) const {
  return loss((*this)(batch, context), batch, objective, context.tape);
}

ops::Loss Tagger::loss(const TagScores& scores, const data::Batch& batch,
                       const TagObjective& objective, autograd::Tape* tape) const {
  ops::Loss sum;
  for (size_t c = 0; c < heads.size(); ++c) {
    const ops::Ids labels = ops::make_ids(labels_of(batch, c).ids);
    const double share = objective.weights.at(c);
    ops::Loss loss;
    if (heads[c].column.has_crf) {
      loss = crf_loss(scores.columns[c], {scores.words, labels},
                      {heads[c].column.allowed, objective.weight * share}, tape);
    } else {
      loss = ops::cross_entropy(
          scores.columns[c].emissions, labels,
          {.smoothing = objective.smoothing, .weight = objective.weight * share}, tape);
    }
    sum.value = sum.value ? ops::add(sum.value, loss.value, tape) : loss.value;
    sum.total += share * loss.total;
    sum.nll += share * loss.nll;
    sum.left_out += loss.left_out;
  }
  return sum;
}

}  // namespace weft::models
