// A tagger: an encoder of text, and for each column of labels a head that gives one to each word,
// or one to the text as a whole.
#ifndef WEFT_MODELS_TAGGER_H_
#define WEFT_MODELS_TAGGER_H_

#include <vector>

#include "weft/models/encoders/text_encoder.h"
#include "weft/models/tag_scores.h"
#include "weft/models/tagger_options.h"
#include "weft/ops/losses/cross_entropy.h"

namespace weft::models {

// What vocabularies and label sets fix of a tagger. `columns` of words come before those of texts.
struct TaggerDims {
  TextEncoderDims encoder;
  int64_t characters = 0;        // of their vocabulary
  int64_t character_end_id = 0;  // the end symbol there
  std::vector<LabelColumn> columns = {};
};

// Scores of a label's transitions, [C, C] as one row: vectors are never rounded.
struct CrfParameters {
  nn::Parameter transitions;  // [1, C*C], from, to
  nn::Parameter start, end;   // [1, C]

  CrfParameters() = default;
  explicit CrfParameters(int64_t labels);
  template <class V>
  void fields(V& v) {
    v("transitions", transitions);
    v("start", start);
    v("end", end);
  }
};

struct TagHead {
  LabelColumn column;
  nn::Linear out_proj;  // [C, width of the states]
  CrfParameters crf;

  TagHead() = default;
  TagHead(const LabelColumn& wanted, int64_t width);
  template <class V>
  void fields(V& v) {
    v("out_proj", out_proj);
    v("crf", crf);
  }
};

// The texts of a batch as a tagger reads them.
struct TaggerInput {
  const data::Tokens& tokens;      // N in all
  const data::Labels& first_rows;  // of each word in its text: where its first token stands
  const data::Tokens* characters;  // of all words, or null where they are not read
};
// The fields of a batch of a LabelledCorpus with this many columns of labels.
TaggerInput tagger_input(const data::Batch& batch, size_t columns, bool reads_characters);

// What training minimises: the sum over columns of weights[c] times the loss of its labels.
struct TagObjective {
  std::vector<double> weights;  // of each column
  double smoothing = 0;         // of labels without a CRF
  double weight = 1;            // of each label
};

struct Tagger {
  TaggerOptions options;
  TaggerDims dims;
  TextEncoder encoder;
  CharacterEncoder characters;
  nn::Pooling pooling;                     // where there are labels of texts
  nn::HeadLayer head;                      // of the states of words and texts
  nn::Dropout word_dropout, text_dropout;  // of what the heads read
  std::vector<TagHead> heads;

  Tagger() = default;
  // Shapes only; nn::bind() gives them memory. Throws OptionError where options contradict each
  // other.
  Tagger(const TaggerOptions& options, const TaggerDims& dims);

  TagScores operator()(const TaggerInput& in, const nn::Context& context) const;
  // The two steps of it: embeddings of tokens, with positions and characters, [N, D], and the
  // scores by these, for which the tokens themselves are not read.
  Tensor embed(const TaggerInput& in, const nn::Context& context) const;
  TagScores scores(const Tensor& embeddings, const TaggerInput& in,
                   const nn::Context& context) const;
  // Of a LabelledCorpus's batch with these scores.
  ops::Loss loss(const TagScores& scores, const data::Batch& batch, const TagObjective& objective,
                 autograd::Tape* tape) const;
  ops::Loss loss(const data::Batch& batch, const TagObjective& objective,
                 const nn::Context& context) const;
  TagScores operator()(const data::Batch& batch, const nn::Context& context) const;

  template <class V>
  void fields(V& v) {
    encoder.fields(v);
    v("model.characters", characters);
    v("pooling", pooling);
    v("head", head);
    v("tagger", heads);
  }
};

}  // namespace weft::models

#endif  // WEFT_MODELS_TAGGER_H_
