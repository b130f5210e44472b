// The steps of decoders (decoder.h), by the nodes of a tokenizer.json.
#ifndef WEFT_DATA_SUBWORDS_NODES_DECODER_STEPS_H_
#define WEFT_DATA_SUBWORDS_NODES_DECODER_STEPS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "weft/data/subwords/nodes/decoder.h"
#include "weft/data/subwords/nodes/metaspace.h"
#include "weft/data/subwords/pattern.h"

namespace weft::data {

// A step that needs whole tokens.
class TokenStep : public DecoderStep {
 public:
  void take(std::string_view text, bool ends) final;

 protected:
  virtual void take_token(std::string_view token) = 0;
  bool is_first() const { return is_first_; }

 private:
  std::string token_;  // what has come of it
  bool is_first_ = true;
};

// Printable characters become their bytes (byte_characters.h): one token of all.
class ByteLevelStep : public TokenStep {
 public:
  void finish() override;

 private:
  void take_token(std::string_view token) override;
  void pass_characters(bool is_end);

  std::string bytes_;  // the beginning of a character
};

// A run of tokens such as <0xE2> becomes their bytes, if these are UTF-8.
class ByteFallbackStep : public TokenStep {
 public:
  void finish() override;

 private:
  void take_token(std::string_view token) override;
  void pass_bytes();

  std::string bytes_;
};

// One token of all.
class FuseStep : public DecoderStep {
 public:
  void take(std::string_view text, bool ends) override;
  void finish() override;
};

class ReplaceStep : public TokenStep {
 public:
  ReplaceStep(PatternPtr pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}

 private:
  void take_token(std::string_view token) override;

  PatternPtr pattern_;
  std::string content_;
};

// Removes a character from the beginning of each token, up to `left` times, and from the end, up to
// `right` times.
class StripStep : public DecoderStep {
 public:
  StripStep(std::string content, int64_t left, int64_t right)
      : content_(std::move(content)), left_(left), right_(right) {}
  void take(std::string_view text, bool ends) override;

 private:
  std::string content_;
  int64_t left_, right_;
  int64_t taken_ = 0;      // of the token's beginning; -1: something else has come
  std::string kept_ = {};  // what may be the end of the token
};

class WordPieceStep : public TokenStep {
 public:
  WordPieceStep(std::string prefix, bool cleans_up)
      : prefix_(std::move(prefix)), cleans_up_(cleans_up) {}

 private:
  void take_token(std::string_view token) override;

  std::string prefix_;
  bool cleans_up_;
};

class MetaspaceStep : public TokenStep {
 public:
  explicit MetaspaceStep(Metaspace metaspace) : metaspace_(std::move(metaspace)) {}

 private:
  void take_token(std::string_view token) override;

  Metaspace metaspace_;
};

// A suffix that ends words becomes a space, save that of the last token.
class BpeStep : public TokenStep {
 public:
  explicit BpeStep(std::string suffix) : suffix_(std::move(suffix)) {}
  void finish() override;

 private:
  void take_token(std::string_view token) override;
  void pass(std::string_view replacement);

  std::string suffix_;
  std::optional<std::string> last_;
};

// Connectionist temporal classification: equal neighbours are one token, and blanks none.
class CtcStep : public TokenStep {
 public:
  CtcStep(std::string blank, std::string word_end, bool cleans_up)
      : blank_(std::move(blank)), word_end_(std::move(word_end)), cleans_up_(cleans_up) {}

 private:
  void take_token(std::string_view token) override;

  std::string blank_, word_end_;
  bool cleans_up_;
  std::optional<std::string> last_;
};

// A space between tokens.
class JoinStep : public TokenStep {
  void take_token(std::string_view token) override;
};

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_NODES_DECODER_STEPS_H_
