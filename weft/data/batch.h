// Ragged batches: examples packed one after the other, nothing padded.
#ifndef WEFT_DATA_BATCH_H_
#define WEFT_DATA_BATCH_H_

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace weft::data {

// Token ids of B examples, N in all; example b is ids[offsets[b]] .. ids[offsets[b + 1]].
struct Tokens {
  std::vector<int32_t> ids;         // [N]
  std::vector<int32_t> offsets{0};  // [B + 1]

  int64_t examples() const { return std::ssize(offsets) - 1; }
  int64_t rows() const { return std::ssize(ids); }
  std::span<const int32_t> operator[](int64_t example) const {
    return std::span(ids).subspan(offsets[example], offsets[example + 1] - offsets[example]);
  }
  void add(std::span<const int32_t> example) {
    ids.insert(ids.end(), example.begin(), example.end());
    offsets.push_back(static_cast<int32_t>(ids.size()));
  }
  // The same with `last` (the end symbol) after it.
  void add(std::span<const int32_t> example, int32_t last) {
    ids.insert(ids.end(), example.begin(), example.end());
    ids.push_back(last);
    offsets.push_back(static_cast<int32_t>(ids.size()));
  }
};

// Rows of D floats: frames of a recording, patches of a picture.
struct Features {
  std::vector<float> values;        // [N, D]
  int64_t width = 0;                // D
  std::vector<int32_t> offsets{0};  // [B + 1] in rows
  std::vector<int32_t> grid;        // [N, 2] row and column of each in a picture, or empty

  int64_t examples() const { return std::ssize(offsets) - 1; }
  int64_t rows() const { return offsets.back(); }
};

// What is to be predicted: one label an example, several, one for each of its rows, or numbers.
// Either `ids` or `values` is empty.
struct Labels {
  std::vector<int32_t> ids;         // [M] classes
  std::vector<float> values;        // [M] numbers
  std::vector<int32_t> offsets{0};  // [B + 1]

  int64_t examples() const { return std::ssize(offsets) - 1; }
};

using Field = std::variant<Tokens, Features, Labels>;

// B examples, each with a part in every field. In a translation task the fields are Tokens with
// their end symbols: sources first, the target, which is not shifted, last.
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

// Examples [begin, end) of a batch.
Batch slice(const Batch& batch, int64_t begin, int64_t end);

}  // namespace weft::data

#endif  // WEFT_DATA_BATCH_H_
