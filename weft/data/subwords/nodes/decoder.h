// Decoders of a tokenizer.json: from the text of tokens to text, token by token.
#ifndef WEFT_DATA_SUBWORDS_NODES_DECODER_H_
#define WEFT_DATA_SUBWORDS_NODES_DECODER_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/subwords/nodes/json_node.h"

namespace weft::data {

// A step in the decoding of one text. Tokens go through the steps one after the other; a step may
// keep what it cannot yet decide.
class DecoderStep {
 public:
  virtual ~DecoderStep() = default;
  // Text of a token; `ends` where the token ends with it.
  virtual void take(std::string_view text, bool ends) = 0;
  // No token follows.
  virtual void finish() { next_->finish(); }

  void set_next(DecoderStep* next) { next_ = next; }

 protected:
  DecoderStep* next_ = nullptr;
};

// Immutable: makes the steps for a text.
using MakeDecoderStep = std::function<std::unique_ptr<DecoderStep>()>;
using Decoder = std::vector<MakeDecoderStep>;

// Throws FormatError for a node that is not supported.
Decoder read_decoder(JsonNode node);
// What joins tokens by spaces: for a tokenizer.json without a decoder.
Decoder joining_decoder();

// Decodes the tokens of one text. The pieces of text that it gives are one text together: what
// decides nothing more is given at once, the first bytes of a character with its last.
class TextStream {
 public:
  explicit TextStream(const Decoder& decoder);

  // The text that this token completes.
  std::string push(std::string_view token);
  // What was kept.
  std::string finish();

 private:
  class Output;
  std::unique_ptr<std::string> text_;
  std::vector<std::unique_ptr<DecoderStep>> steps_;  // the last collects `text_`
};

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_NODES_DECODER_H_
