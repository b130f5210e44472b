// The tokens of words that came before, for all threads.
#ifndef WEFT_DATA_SUBWORDS_MODELS_PIECE_CACHE_H_
#define WEFT_DATA_SUBWORDS_MODELS_PIECE_CACHE_H_

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/subwords/models/subword_model.h"

namespace weft::data {

// A word keeps its slot for good, so that readers need no lock: the first words that come are
// mostly the frequent ones.
class PieceCache {
 public:
  static constexpr size_t kMaxPiece = 64;  // bytes of a word that is kept

  PieceCache() : slots_(kSlots) {}
  PieceCache(const PieceCache&) = delete;
  PieceCache& operator=(const PieceCache&) = delete;
  ~PieceCache();

  // Null if the piece is not kept.
  const std::vector<PieceToken>* find(std::string_view piece) const;
  // Keeps the tokens of a piece, unless its slots are taken.
  void add(std::string_view piece, std::vector<PieceToken> tokens);

 private:
  static constexpr size_t kSlots = 1 << 16;
  static constexpr size_t kTries = 4;  // neighbouring slots

  struct Entry {
    std::string piece;
    std::vector<PieceToken> tokens;
  };

  std::vector<std::atomic<const Entry*>> slots_;
};

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_MODELS_PIECE_CACHE_H_
