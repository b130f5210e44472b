// Batches of random words with labels, as a LabelledCorpus makes them.
#ifndef WEFT_TESTS_MODELS_TAGGING_BATCH_H_
#define WEFT_TESTS_MODELS_TAGGING_BATCH_H_

#include <vector>

#include "weft/core/random.h"
#include "weft/data/batch.h"
#include "weft/models/tagger.h"

namespace weft::models {

// Vocabularies of 9 tokens and 8 characters; the end symbol is 0, the begin symbol of characters 2.
inline constexpr int64_t kTaggerTokens = 9, kTaggerCharacters = 8;

// Texts of up to `longest` words of 1 to 3 tokens, the first one of a single word: for each column
// their labels, the words' first rows, and their characters.
inline data::Batch tagging_batch(int64_t count, uint64_t longest,
                                 const std::vector<LabelColumn>& columns, bool with_characters) {
  RandomStream random(5, 7);
  const auto draw = [&](int64_t below) {
    return static_cast<int32_t>(random.below(static_cast<uint64_t>(below)));
  };
  const auto end = [](data::Labels& field) {
    field.segments.append(std::ssize(field.ids) - field.segments.rows());
  };
  data::Tokens tokens, characters;
  data::Labels first_rows;
  std::vector<data::Labels> labels(columns.size());
  for (int64_t b = 0; b < count; ++b) {
    std::vector<int32_t> ids, letters;
    const uint64_t words = b == 0 ? 1 : 1 + random.below(longest);
    for (uint64_t w = 0; w < words; ++w) {
      first_rows.ids.push_back(static_cast<int32_t>(ids.size()));
      for (int32_t left = 1 + draw(3); left > 0; --left) {
        ids.push_back(3 + draw(kTaggerTokens - 3));
      }
      letters.push_back(2);
      for (int32_t left = 1 + draw(4); left > 0; --left) {
        letters.push_back(3 + draw(kTaggerCharacters - 3));
      }
      letters.push_back(0);
    }
    tokens.add(ids, 0);
    characters.add(letters);
    end(first_rows);
    for (size_t c = 0; c < columns.size(); ++c) {
      const uint64_t labelled = columns[c].is_of_text ? 1 : words;
      for (uint64_t i = 0; i < labelled; ++i) {
        const bool is_bound =
            columns[c].allowed != nullptr;  // to O and B-X, which may always stand
        labels[c].ids.push_back(draw(is_bound ? 2 : columns[c].labels));
      }
      end(labels[c]);
    }
  }
  data::Batch out;
  out.fields.emplace_back(std::move(tokens));
  for (data::Labels& field : labels) out.fields.emplace_back(std::move(field));
  out.fields.emplace_back(std::move(first_rows));
  if (with_characters) out.fields.emplace_back(std::move(characters));
  out.examples.resize(static_cast<size_t>(count));
  return out;
}

}  // namespace weft::models

#endif  // WEFT_TESTS_MODELS_TAGGING_BATCH_H_
