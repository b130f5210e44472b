#include "weft/data/text/sentencepiece.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "weft/core/error.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/data/text/sentencepiece_model.h"
#include "weft/data/text/windows.h"

namespace weft::data {
namespace {

namespace sp = ::sentencepiece;
using Arguments = std::unordered_map<std::string, std::string>;

// Only what ends the process anyway is still logged.
constexpr const char* kSilent = "3";
constexpr size_t kMaxTrainingBytes = 65536;
// Bytes of a run of unknown characters, which the library joins to one token in quadratic time.
constexpr size_t kLongUnknown = 3000;
// Normalised bytes for a byte of text; of each the library needs dozens of bytes of memory.
constexpr size_t kMaxGrowth = 16;
// U+2585, by which SentencePiece's trainer marks unknown characters: it skips lines that hold it.
constexpr std::string_view kReserved = "\xE2\x96\x85";

// SentencePiece sets its log level by the trainer's arguments alone; a trainer without input does
// nothing else.
void silence() {
  static const bool once = [] {
    std::string unused;
    (void)sp::SentencePieceTrainer::Train(Arguments{{"minloglevel", kSilent}}, nullptr, &unused);
    return true;
  }();
  (void)once;
}

// "Internal: src/x.cc(12) [a > b] what is wrong" without the place in SentencePiece's sources.
std::string message_of(const sp::util::Status& status) {
  std::string text = status.ToString();
  const size_t bracket = text.find("] ");
  if (bracket != text.npos && bracket + 2 < text.size()) {
    text = text.substr(bracket + 2);
  } else if (const size_t place = text.find(".cc("); place != text.npos) {
    text = "it fails its check " + text.substr(std::min(text.find('['), text.size()));
  }
  constexpr std::string_view kCode = "Internal: ";
  if (text.starts_with(kCode)) text.erase(0, kCode.size());
  while (text.ends_with('\n') || text.ends_with(' ')) text.pop_back();
  return text;
}

class SentencePieceTokeniser : public Tokeniser {
 public:
  SentencePieceTokeniser(std::string_view bytes, std::string_view where) : bytes_(bytes) {
    silence();
    load(checked_sentencepiece_model(bytes_, where), where);
    end_ = processor_.eos_id();
    begin_ = processor_.bos_id() < 0 ? end_ : processor_.bos_id();
    // The library knows it by its text alone, which the model need not say.
    while (!processor_.IsUnknown(unknown_)) ++unknown_;
    if (end_ < 0) {
      fail<FormatError>(where,
                        "the SentencePiece model has no end symbol; hint: train it with "
                        "--eos_id=0 --unk_id=1 --bos_id=2");
    }
  }

  std::vector<int32_t> encode(std::string_view line) const override {
    if (line.size() >= kLongLine) {
      Costs costs;
      std::vector<int32_t> ids = encode_in_windows(
          line, unknown_, [&](std::string_view part) { return encode_part(part, costs); });
      if (costs.longest_unknown >= kLongUnknown || costs.normalised > kMaxGrowth * line.size()) {
        return ids;
      }
    }
    std::vector<int32_t> ids;
    check(processor_.Encode(line, &ids), "encode");
    return ids;
  }

  std::string decode(std::span<const int32_t> ids) const override {
    for (const int32_t id : ids) check(id);
    std::string out;
    check(processor_.Decode(std::vector<int>(ids.begin(), ids.end()), &out), "decode");
    return out;
  }

  std::string_view piece(int32_t id) const override {
    check(id);
    return processor_.IdToPiece(id);
  }
  int32_t size() const override { return processor_.GetPieceSize(); }
  int32_t end_id() const override { return end_; }
  int32_t unknown_id() const override { return unknown_; }
  int32_t begin_id() const override { return begin_; }
  std::string_view kind() const override { return "sentencepiece"; }
  std::string serialise() const override { return bytes_; }
  std::string file_bytes(bool) const override { return bytes_; }

 private:
  void load(const std::string& checked, std::string_view where) {
    std::optional<std::string> reason;
    try {
      const sp::util::Status status = processor_.LoadFromSerializedProto(checked);
      if (!status.ok()) reason = message_of(status);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {  // of the tries it builds
      reason = error.what();
    }
    if (reason) fail<FormatError>(where, "SentencePiece refuses the model: {}", *reason);
  }

  // What a whole line would cost the library.
  struct Costs {
    size_t longest_unknown = 0;  // bytes
    size_t normalised = 0;       // bytes
  };

  std::vector<TokenSpan> encode_part(std::string_view part, Costs& costs) const {
    sp::ImmutableSentencePieceText text;
    check(processor_.Encode(part, text.mutable_proto()), "encode");
    std::vector<TokenSpan> tokens;
    tokens.reserve(text.pieces_size());
    for (const auto& piece : text.pieces()) {
      const TokenSpan token{static_cast<int32_t>(piece.id()), piece.begin(), piece.end()};
      tokens.push_back(token);
      costs.normalised += piece.piece().size();
      if (token.id == unknown_) {
        costs.longest_unknown = std::max(costs.longest_unknown, token.end - token.begin);
      }
    }
    return tokens;
  }

  static void check(const sp::util::Status& status, std::string_view doing) {
    if (!status.ok()) {
      fail<FormatError>("sentencepiece", "cannot {}: {}", doing, message_of(status));
    }
  }

  // SentencePiece ends the process on an id out of range.
  void check(int32_t id) const {
    if (id < 0 || id >= size()) {
      fail<FormatError>("sentencepiece", "id out of range; expected 0 to {}, got {}", size() - 1,
                        id);
    }
  }

  std::string bytes_;
  sp::SentencePieceProcessor processor_;
  int32_t end_ = 0, unknown_ = 0, begin_ = 0;
};

class LineIterator : public sp::SentenceIterator {
 public:
  explicit LineIterator(const std::vector<std::string>& lines) : lines_(lines) {}
  bool done() const override { return at_ == lines_.size(); }
  void Next() override { ++at_; }
  const std::string& value() const override { return lines_[at_]; }
  sp::util::Status status() const override { return {}; }

 private:
  const std::vector<std::string>& lines_;
  size_t at_ = 0;
};

void add_options(std::string_view options, std::string_view where, Arguments& arguments) {
  for_each_word(options, [&](std::string_view word) {
    const size_t equals = word.find('=');
    if (!word.starts_with("--") || equals == word.npos) {
      fail<OptionError>(where, "SentencePiece option {}; expected --name=value", word);
    }
    arguments[std::string(word.substr(2, equals - 2))] = word.substr(equals + 1);
  });
}

Arguments arguments_of(const SentencePieceSpec& spec, std::string_view where) {
  Arguments arguments{
      {"minloglevel", kSilent},
      {"model_type", spec.type},
      {"hard_vocab_limit", "false"},
      {"max_sentence_length", std::to_string(kMaxTrainingBytes)},
      {"eos_id", "0"},
      {"unk_id", "1"},
      {"bos_id", "2"},
      {"pad_id", "-1"},
      // The order of its sums follows from this number, so it may not follow the machine.
      {"num_threads", "4"},
  };
  add_options(spec.options, where, arguments);
  std::string& symbols = arguments["user_defined_symbols"];
  for (const std::string& symbol : spec.symbols) symbols += (symbols.empty() ? "" : ",") + symbol;
  if (symbols.empty()) arguments.erase("user_defined_symbols");
  return arguments;
}

std::string train(const std::vector<std::string>& lines, const Arguments& arguments,
                  std::string_view where) {
  LineIterator iterator(lines);
  std::string bytes;
  const sp::util::Status status = sp::SentencePieceTrainer::Train(arguments, &iterator, &bytes);
  if (!status.ok()) {
    fail<OptionError>(where, "SentencePiece cannot be trained: {}", message_of(status));
  }
  return bytes;
}

// SentencePiece ends the process when normalising leaves nothing of any line. A model of one letter
// tells: it normalises alike.
void check_lines(const std::vector<std::string>& lines, const Arguments& arguments,
                 std::string_view where) {
  const TokeniserPtr probe = load_sentencepiece(train({"a"}, arguments, where), where);
  for (const std::string& line : lines) {
    const bool is_skipped = line.size() > kMaxTrainingBytes || line.find('\0') != line.npos ||
                            line.find(kReserved) != line.npos;
    if (!is_skipped && !probe->encode(line).empty()) return;
  }
  fail<FormatError>(where, "no text to train SentencePiece on; only blank lines");
}

}  // namespace

TokeniserPtr load_sentencepiece(std::string_view bytes, std::string_view where) {
  return std::make_shared<SentencePieceTokeniser>(bytes, where);
}

std::string train_sentencepiece(const std::vector<std::string>& lines,
                                const SentencePieceSpec& spec, std::string_view where) {
  silence();
  Arguments arguments = arguments_of(spec, where);
  check_lines(lines, arguments, where);
  arguments["vocab_size"] = std::to_string(spec.size);
  return train(lines, arguments, where);
}

}  // namespace weft::data
