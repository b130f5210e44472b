#include "weft/data/text/sentencepiece_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "weft/core/error.h"
#include "weft/core/text/utf8.h"
#include "weft/data/protobuf.h"
#include "weft/data/text/charsmap.h"

namespace weft::data {
namespace {

// Field numbers and enums of sentencepiece_model.proto.
enum Model : uint32_t { kPieces = 1, kTrainer = 2, kNormaliser = 3, kDenormaliser = 5 };
enum Piece : uint32_t { kText = 1, kScore = 2, kType = 3 };
enum Type : uint64_t { kNormal = 1, kUnknown = 2, kUserDefined = 4, kLastType = 6 };
enum Trainer : uint32_t {
  kModelType = 3,  // 1 to 4: unigram, bpe, word, char
  kWhitespaceAsSuffix = 24,
  kByteFallback = 35,
  kUnknownSurface = 44,
  kUnknownPiece = 45,
  kPadPiece = 48,
};
enum Normaliser : uint32_t { kCharsmap = 2, kDummyPrefix = 3, kEscapeWhitespace = 5 };

// The library takes sizes for int; its tries are built and its merges undone by recursion, a level
// a byte; its limit of matches of user-defined symbols is 64.
constexpr size_t kMaxModelBytes = size_t{1} << 30;
constexpr size_t kMaxPieceBytes = 4096;
constexpr size_t kMaxNested = 64;

// A text of the library, which takes it for a C string.
void check_text(std::string_view text, std::string_view where, std::string_view what) {
  if (!valid_utf8(text)) fail<FormatError>(where, "{} is not UTF-8", what);
  if (text.find('\0') != text.npos) fail<FormatError>(where, "{} holds a NUL", what);
  if (text.size() > kMaxPieceBytes) {
    fail<FormatError>(where, "{} is too long; expected at most {} bytes, got {}", what,
                      kMaxPieceBytes, text.size());
  }
}

class Copier {
 public:
  explicit Copier(std::string_view where)
      : where_(where),
        damaged_(fmt::format("{}: no SentencePiece model, or a damaged one", where)) {}

  std::string copy(std::string_view model) {
    for (ProtobufReader in(model, damaged_); in.next();) {
      switch (in.field()) {
        case kPieces: copy_piece(in.bytes()); break;
        case kTrainer: out_.bytes(kTrainer, trainer(in.bytes())); break;
        case kNormaliser:
        case kDenormaliser: out_.bytes(in.field(), normaliser(in.bytes())); break;
        default: break;
      }
    }
    if (texts_.empty()) {
      fail<FormatError>(where_,
                        "no SentencePiece model: it has no piece; hint: the trainer's .model "
                        "file is one");
    }
    if (unknown_ < 0) fail<FormatError>(where_, "no piece is the unknown one");
    check_nesting();
    return out_.text();
  }

 private:
  void copy_piece(std::string_view bytes) {
    std::string_view text;
    float score = 0;
    uint64_t type = kNormal;
    const std::string what = fmt::format("the piece of id {}", texts_.size());
    for (ProtobufReader in(bytes, damaged_); in.next();) {
      if (in.field() == kText) text = in.bytes();
      if (in.field() == kScore) score = in.number();
      if (in.field() == kType) type = in.integer();
    }
    if (text.empty()) fail<FormatError>(where_, "{} is empty", what);
    check_text(text, where_, what);
    if (!std::isfinite(score)) fail<FormatError>(where_, "{} has no finite score", what);
    if (type < kNormal || type > kLastType) {
      fail<FormatError>(where_, "{} is of type {}; expected 1 to {}", what, type,
                        static_cast<uint64_t>(kLastType));
    }
    if (!texts_.insert(text).second) {
      fail<FormatError>(where_, "{} occurs twice in the vocabulary: {}", what, quote(text));
    }
    if (type == kUnknown && ++unknown_ > 0) {
      fail<FormatError>(where_, "{} is a second unknown one", what);
    }
    if (type == kUserDefined) user_defined_.push_back(text);
    ProtobufWriter piece;
    piece.bytes(kText, text);
    piece.number(kScore, score);
    piece.integer(kType, type);
    out_.bytes(kPieces, piece.text());
  }

  std::string trainer(std::string_view bytes) const {
    ProtobufWriter out;
    for (ProtobufReader in(bytes, damaged_); in.next();) {
      const uint32_t field = in.field();
      if (field == kModelType && (in.integer() < 1 || in.integer() > 4)) {
        fail<FormatError>(where_, "model type {}; expected 1 to 4", in.integer());
      }
      if (field == kModelType || field == kWhitespaceAsSuffix || field == kByteFallback) {
        out.integer(field, in.integer());
      } else if (field == kUnknownSurface || (field >= kUnknownPiece && field <= kPadPiece)) {
        check_text(in.bytes(), where_, fmt::format("field {} of the trainer", field));
        out.bytes(field, in.bytes());
      }
    }
    return out.text();
  }

  std::string normaliser(std::string_view bytes) const {
    ProtobufWriter out;
    for (ProtobufReader in(bytes, damaged_); in.next();) {
      if (in.field() == kCharsmap) {
        if (!in.bytes().empty()) {
          check_charsmap(in.bytes(), fmt::format("{}: the normaliser's table", where_));
        }
        out.bytes(kCharsmap, in.bytes());
      } else if (in.field() >= kDummyPrefix && in.field() <= kEscapeWhitespace) {
        out.integer(in.field(), in.integer());
      }
    }
    return out.text();
  }

  // Symbols that begin with each other match at one place of a text.
  void check_nesting() {
    std::ranges::sort(user_defined_);
    std::vector<std::string_view> nested;
    for (const std::string_view symbol : user_defined_) {
      while (!nested.empty() && !symbol.starts_with(nested.back())) nested.pop_back();
      nested.push_back(symbol);
      if (nested.size() > kMaxNested) {
        fail<FormatError>(where_, "over {} user-defined symbols begin with each other", kMaxNested);
      }
    }
  }

  std::string_view where_;
  std::string damaged_;  // where its fields cannot be read
  ProtobufWriter out_;
  std::unordered_set<std::string_view> texts_;
  std::vector<std::string_view> user_defined_;
  int unknown_ = -1;  // the number of unknown pieces, less one
};

}  // namespace

std::string checked_sentencepiece_model(std::string_view bytes, std::string_view where) {
  if (bytes.size() > kMaxModelBytes) {
    fail<FormatError>(where, "a SentencePiece model of {} bytes; expected at most {}", bytes.size(),
                      kMaxModelBytes);
  }
  return Copier(where).copy(bytes);
}

}  // namespace weft::data
