// Tokenisers as Hugging Face's tokenizers builds them: added tokens, normalisers, pre-tokenisers, a
// model (BPE, WordPiece, Unigram, words), a post-processor and decoders, each a node of a
// tokenizer.json. Those in GGUF files are made of the same nodes.
#ifndef WEFT_DATA_SUBWORDS_SUBWORD_TOKENISER_H_
#define WEFT_DATA_SUBWORDS_SUBWORD_TOKENISER_H_

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/subwords/aligned_text.h"
#include "weft/data/subwords/nodes/decoder.h"
#include "weft/data/subwords/special_tokens.h"
#include "weft/data/text/tokeniser.h"

namespace weft::data {

struct EncodeOptions {
  // Text that spells a special token becomes it: for the markup of chat templates, never for what a
  // user typed. Without it no special token comes out of any text.
  bool parse_special = false;
  // The bytes of the text that a user typed, in ascending ranges: no special token holds one.
  std::span<const ByteRange> typed = {};
  // With the tokens that the post-processor adds, such as the begin symbol.
  bool add_special = false;
};

struct Encoding {
  std::vector<int32_t> ids;
  // The bytes of the text that each token stands for, whole characters: tokens that share one have
  // the same span. Empty for a token that was added.
  std::vector<ByteRange> spans;
  std::vector<int32_t> types;  // token_type_ids of BERT: 0, or 1 for the second text
};

class SubwordTokeniser;

// Decodes the ids of one text as they come. What it gives is one text together, that of decode();
// bytes that are not yet a character are held back.
class TokenStream {
 public:
  explicit TokenStream(const SubwordTokeniser& tokeniser, bool keep_special = false);
  std::string push(int32_t id);  // throws FormatError for an id outside the vocabulary
  std::string finish();

 private:
  const SubwordTokeniser& tokeniser_;
  bool keep_special_;
  TextStream text_;
};

class SubwordTokeniser final : public Tokeniser {
 public:
  // Throws FormatError, prefixed with `where`, for a node or a field that is not supported.
  SubwordTokeniser(TokenizerDocument document, std::string_view where);
  ~SubwordTokeniser() override;

  // Bytes that are not UTF-8 are encoded as U+FFFD.
  Encoding encode(std::string_view text, const EncodeOptions& options) const;
  // Two texts, as the post-processor joins them.
  Encoding encode_pair(std::string_view first, std::string_view second,
                       const EncodeOptions& options) const;
  // Tokens of two texts, as the post-processor joins them with special tokens; without spans.
  Encoding join_pair(std::span<const int32_t> first, std::span<const int32_t> second) const;
  // Whether it puts special tokens around two texts.
  bool has_pair_symbols() const;
  std::vector<int32_t> encode(std::string_view line) const override;
  std::string decode(std::span<const int32_t> ids, bool keep_special) const;
  std::string decode(std::span<const int32_t> ids) const override { return decode(ids, false); }

  std::string_view piece(int32_t id) const override;
  // The id of a token as the vocabulary spells it.
  std::optional<int32_t> find(std::string_view piece) const;
  bool is_special(int32_t id) const;

  int32_t size() const override;    // the largest id and one
  int32_t end_id() const override;  // -1: none is known, as for the others
  int32_t begin_id() const override;
  int32_t unknown_id() const override;
  int32_t padding_id() const;
  int32_t mask_id() const;
  std::span<const int32_t> end_ids() const;  // all tokens that end a text

  std::string_view kind() const override { return "tokenizer"; }
  std::string serialise() const override;  // a tokenizer.json that says what special tokens are for
  std::string file_bytes(bool) const override;  // one that other programs read

  const Decoder& decoder() const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

using SubwordTokeniserPtr = std::shared_ptr<const SubwordTokeniser>;

// From the text of a tokenizer.json. `special` replaces what the file says of special tokens.
SubwordTokeniserPtr load_tokenizer_json(std::string_view text, std::string_view where,
                                        const std::optional<SpecialTokens>& special = {});

// From the metadata of a GGUF file, `tokenizer.ggml.*`.
SubwordTokeniserPtr load_gguf_tokeniser(const nlohmann::ordered_json& metadata,
                                        std::string_view where);

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_SUBWORD_TOKENISER_H_
