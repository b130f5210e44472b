// Which source tokens the tokens of a translation attend to.
#ifndef WEFT_DECODE_ALIGNMENT_H_
#define WEFT_DECODE_ALIGNMENT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/decode/search/hypothesis.h"
#include "weft/options/fields.h"

namespace weft::data {
class Corpus;
struct Tokens;
}  // namespace weft::data
namespace weft::models {
struct Seq2Seq;
struct Seq2SeqOptions;
}  // namespace weft::models
namespace weft::nn {
struct AttentionHead;
}

namespace weft::decode {

using nn::AttentionHead;

struct NoAlignment {
  static constexpr std::string_view kName = "";
};
struct SoftAlignment {
  static constexpr std::string_view kName = "soft";
  static constexpr std::string_view kHelp = "all weights, end symbols included, `0.9,0.1 0.3,0.7`";
};
struct HardAlignment {
  static constexpr std::string_view kName = "hard";
  static constexpr std::string_view kHelp = "the greatest, source and target, `0-0 1-1`";
};

struct AlignmentOptions {
  options::OneOf<NoAlignment, SoftAlignment, HardAlignment> kind = {};
  std::string heads = "mean";

  bool is_on() const { return !kind.is<NoAlignment>(); }

  // `help` of --alignment.
  template <class V>
  void fields(V& v, std::string_view help) {
    options::choice(v, "alignment", kind, {.help = help});
    options::belongs_to<SoftAlignment, HardAlignment>(v, "alignment", &kind.selection(), [&] {
      v("alignment-heads", heads,
        {.help = "decoder heads whose mean --alignment prints: LAYER.HEAD, counted from 1, several "
                 "with commas between them; mean: all of the last layer"});
    });
  }
};

// "6.1,6.3": layers and heads counted from 1, pruned heads too; "mean": all heads of the last
// layer. Throws OptionError, naming `option`, for what is no head of the model.
std::vector<AttentionHead> alignment_heads(std::string_view text,
                                           const models::Seq2SeqOptions& model, const char* option);
// The same of --alignment-heads, or, where that stands at its default, of --alignment.
std::vector<AttentionHead> printed_heads(std::string_view text,
                                         const models::Seq2SeqOptions& model);

// Of one hypothesis.
struct Alignment {
  int64_t source = 0;          // S: source tokens, end symbol included
  int64_t target = 0;          // target tokens without the end symbol
  std::vector<float> weights;  // [target, and a row for the end symbol where there is one; S]
  bool is_finite = true;       // false: the model's states are not numbers
};

// The mean weights of the `heads` for every hypothesis of every source, which ends with its end
// symbol: one pass over both without a cache, `batch` pairs at a time. An alignment does not
// depend on the others.
std::vector<std::vector<Alignment>> align(const models::Seq2Seq& model, const data::Tokens& sources,
                                          std::span<const NBest> found,
                                          std::span<const AttentionHead> heads, int64_t batch);

// The same for every sentence pair of a corpus, in their order; `words` bounds the target tokens of
// a batch.
std::vector<Alignment> align_corpus(const models::Seq2Seq& model, const data::Corpus& corpus,
                                    std::span<const AttentionHead> heads, int64_t words);

// Alignments in Marian's formats, of one hypothesis or of the pieces of a line, in order. Soft: for
// each target token the weights of all source tokens, end symbols included, "0.9,0.1 0.2,0.8"; the
// weights of source tokens of other pieces are 0. Hard: "0-0 1-1", pairs of a source and a target
// token, where the source token is the one that the target token attends to most, the first if
// several are equal; end symbols are left out and not counted.
std::string soft_text(std::span<const Alignment> pieces);
std::string hard_text(std::span<const Alignment> pieces);
// The form that the options ask for, which are on.
std::string aligned_text(const AlignmentOptions& options, std::span<const Alignment> pieces);

}  // namespace weft::decode

#endif  // WEFT_DECODE_ALIGNMENT_H_
