// Text to token ids and back.
#ifndef WEFT_DATA_TEXT_TOKENISER_H_
#define WEFT_DATA_TEXT_TOKENISER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::data {

// The special symbols: ids 0, 1 and 2 of every vocabulary that Weft makes; one made elsewhere has
// ids of its own.
inline constexpr std::string_view kEndSymbol = "</s>";
inline constexpr std::string_view kUnknownSymbol = "<unk>";
inline constexpr std::string_view kBeginSymbol = "<s>";

// Immutable: any number of threads may encode and decode with one tokeniser at a time.
class Tokeniser {
 public:
  virtual ~Tokeniser() = default;

  // Ids of a line of UTF-8, without the end symbol. Text that spells a special symbol never becomes
  // one.
  virtual std::vector<int32_t> encode(std::string_view line) const = 0;
  // The line that `ids` spell: begin, end and padding symbols are dropped, an unknown is shown as
  // the kind shows it. Throws FormatError for an id outside [0, size()).
  virtual std::string decode(std::span<const int32_t> ids) const = 0;
  // The token as the vocabulary spells it; throws FormatError for an id outside [0, size()).
  virtual std::string_view piece(int32_t id) const = 0;

  virtual int32_t size() const = 0;
  virtual int32_t end_id() const = 0;
  virtual int32_t unknown_id() const = 0;
  virtual int32_t begin_id() const = 0;       // end_id() where the vocabulary has no begin symbol
  virtual std::string_view kind() const = 0;  // "sentencepiece", "tokenizer", "mapped", ...

  // All of it as bytes, for the model file; SentencePiece: the `.model` file itself.
  virtual std::string serialise() const = 0;
  // The vocabulary file that load_tokeniser_file() reads the same tokeniser from.
  virtual std::string file_bytes(bool yaml) const = 0;
};

using TokeniserPtr = std::shared_ptr<const Tokeniser>;

// Whether both give every text the same ids.
bool is_same(const Tokeniser& a, const Tokeniser& b);

std::vector<std::string> pieces(const Tokeniser& tokeniser, std::span<const int32_t> ids);

// From serialise()'s bytes; throws FormatError, naming `where`.
TokeniserPtr load_tokeniser(std::string_view bytes, std::string_view where);

// From a vocabulary file, by its name: `.model` and `.spm` are SentencePiece; `.yml`, `.yaml` and
// `.json` are Marian's `word: id`; anything else holds one token a line. A list with an entry that
// is one space is a character vocabulary, any other a word vocabulary. Throws FileError,
// FormatError, also for vocabularies of other systems.
TokeniserPtr load_tokeniser_file(const std::string& path);

bool is_sentencepiece_file(std::string_view path);
bool is_yaml_file(std::string_view path);

// Joins subwords: "@@ " (subword-nmt, Sennrich et al. 2016) and a last "@@" go away.
std::string undo_bpe(std::string_view line);

}  // namespace weft::data

#endif  // WEFT_DATA_TEXT_TOKENISER_H_
