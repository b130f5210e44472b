// Ragged batches: examples packed one after the other, nothing padded.
#ifndef WEFT_DATA_BATCH_H_
#define WEFT_DATA_BATCH_H_

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "weft/core/segments.h"

namespace weft::data {

// Token ids of B examples, N in all.
struct Tokens {
  std::vector<int32_t> ids;  // [N]
  Segments segments;
  std::vector<int32_t> types = {};  // [N] 1 for those of the second of two texts; empty: all are 0

  int64_t examples() const { return segments.count(); }
  int64_t rows() const { return segments.rows(); }
  std::span<const int32_t> operator[](int64_t example) const { return segments.span(ids, example); }
  void add(std::span<const int32_t> example) {
    ids.insert(ids.end(), example.begin(), example.end());
    segments.append(std::ssize(example));
    if (!types.empty()) types.resize(ids.size());
  }
  // Adds tokens with their types; without types all are of type 0.
  void add_typed(std::span<const int32_t> example, std::span<const int32_t> types_of_example) {
    if (!types_of_example.empty()) {
      types.resize(ids.size());
      types.insert(types.end(), types_of_example.begin(), types_of_example.end());
    }
    add(example);
  }
  // The same with `last` (the end symbol) after it.
  void add(std::span<const int32_t> example, int32_t last) {
    ids.insert(ids.end(), example.begin(), example.end());
    ids.push_back(last);
    segments.append(std::ssize(example) + 1);
  }
};

// Rows of D floats: frames of a recording, patches of a picture.
struct Features {
  std::vector<float> values;  // [N, D]
  int64_t width = 0;          // D
  Segments segments;
  std::vector<int32_t> grid;  // [N, 2] row and column of each in a picture, or empty

  int64_t examples() const { return segments.count(); }
  int64_t rows() const { return segments.rows(); }
};

// The targets of examples: one label for each example, several labels, one label for each row of
// the example, or numbers. `values` is empty; or holds the numbers to predict, and then there are
// no ids; or holds a weight for each id: its share (mix-up) or, with one label for each example,
// the weight of the example.
struct Labels {
  std::vector<int32_t> ids;   // [M] classes
  std::vector<float> values;  // [M]
  Segments segments;

  int64_t examples() const { return segments.count(); }
  std::span<const int32_t> operator[](int64_t example) const { return segments.span(ids, example); }
  void add(std::span<const int32_t> example) {
    ids.insert(ids.end(), example.begin(), example.end());
    segments.append(std::ssize(example));
  }
};

using Field = std::variant<Tokens, Features, Labels>;

// B examples, each with a part in every field; Segments::first is the same in all fields. In a
// translation task the fields are Tokens with their end symbols: sources first, the target, which
// is not shifted, last.
struct Batch {
  std::vector<Field> fields;
  std::vector<int64_t> examples;  // [B] number of each in its data set

  int64_t size() const { return std::ssize(examples); }
  // A field of tokens; throws ShapeError where it is of another kind.
  const Tokens& tokens(size_t field) const;
  Tokens& tokens(size_t field);
  const Tokens& source() const { return tokens(0); }
  const Tokens& target() const { return tokens(fields.size() - 1); }
};

// Examples `examples`, each ending with `end_id`.
Tokens make_tokens(const std::vector<std::vector<int32_t>>& examples, int32_t end_id);

// Numbers of the examples, those of most ids first; equals stay in their order.
std::vector<int64_t> longest_first(const Tokens& tokens);

// Makes `first` the first example's index in the global update.
void set_first(Batch& batch, int32_t first);

// Examples [begin, end), each with its index in the global update.
Tokens slice(const Tokens& tokens, int64_t begin, int64_t end);
// Examples [begin, end) of a batch, each with its index in the global update.
Batch slice(const Batch& batch, int64_t begin, int64_t end);

}  // namespace weft::data

#endif  // WEFT_DATA_BATCH_H_
