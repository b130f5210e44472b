#include "weft/data/batch.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "weft/core/error.h"

namespace weft::data {
namespace {

// Examples [begin, end) of a field, which may have several vectors with `width` values to a row.
struct FieldSlice {
  const Segments& segments;
  int64_t begin, end;

  template <class T>
  std::vector<T> values(const std::vector<T>& all, int64_t width = 1) const {
    if (all.empty()) return {};
    return {all.begin() + segments.begin(begin) * width, all.begin() + segments.begin(end) * width};
  }
};

Field slice_field(const Tokens& all, int64_t begin, int64_t end) { return slice(all, begin, end); }

Field slice_field(const Features& all, int64_t begin, int64_t end) {
  const FieldSlice part{all.segments, begin, end};
  return Features{.values = part.values(all.values, all.width),
                  .width = all.width,
                  .segments = all.segments.slice(begin, end),
                  .grid = part.values(all.grid, 2)};
}

Field slice_field(const Labels& all, int64_t begin, int64_t end) {
  const FieldSlice part{all.segments, begin, end};
  return Labels{.ids = part.values(all.ids),
                .values = part.values(all.values),
                .segments = all.segments.slice(begin, end)};
}

template <class Fields>
auto& tokens_of(Fields& fields, size_t field) {
  auto* const tokens = field < fields.size() ? std::get_if<Tokens>(&fields[field]) : nullptr;
  if (tokens == nullptr) fail<ShapeError>("batch", "field {} is not one of tokens", field);
  return *tokens;
}

}  // namespace

const Tokens& Batch::tokens(size_t field) const { return tokens_of(fields, field); }
Tokens& Batch::tokens(size_t field) { return tokens_of(fields, field); }

Tokens make_tokens(const std::vector<std::vector<int32_t>>& examples, int32_t end_id) {
  Tokens out;
  for (const std::vector<int32_t>& example : examples) out.add(example, end_id);
  return out;
}

std::vector<int64_t> longest_first(const Tokens& tokens) {
  std::vector<int64_t> order(static_cast<size_t>(tokens.examples()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](int64_t b) { return tokens[b].size(); });
  return order;
}

void set_first(Batch& batch, int32_t first) {
  for (Field& field : batch.fields) {
    std::visit([&](auto& kind) { kind.segments.first = first; }, field);
  }
}

Tokens slice(const Tokens& tokens, int64_t begin, int64_t end) {
  const FieldSlice part{tokens.segments, begin, end};
  return {.ids = part.values(tokens.ids),
          .segments = tokens.segments.slice(begin, end),
          .types = part.values(tokens.types)};
}

Batch slice(const Batch& batch, int64_t begin, int64_t end) {
  Batch out;
  for (const Field& field : batch.fields) {
    out.fields.push_back(
        std::visit([&](const auto& all) { return slice_field(all, begin, end); }, field));
  }
  out.examples.assign(batch.examples.begin() + begin, batch.examples.begin() + end);
  return out;
}

}  // namespace weft::data
