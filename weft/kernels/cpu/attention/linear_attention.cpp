#include "weft/kernels/linear_attention.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/attention/linear_attention.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/attention/attention-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// Rows per chunk, equal to the lanes of a query block.
inline constexpr int64_t kChunk = kQueryBlock;

// One head of one sequence. Values are extended to v' = (v, 1) and output gradients to g' = (g,
// -out . g) / d, so that the sums of weights are an additional column.
struct LinearHead : SequenceHead {
  LinearHead(const LinearAttention& call, int64_t sequence, int64_t head_index)
      : SequenceHead(call, sequence, head_index),
        a(call),
        size(a.q.cols / a.heads),
        value_size(a.v.cols / a.heads),
        width(round_to_lanes(size)),
        value_width(round_to_lanes(value_size + 1)) {}

  // The chunk of rows that starts at `begin`.
  template <class T>
  Matrix<T> query_chunk(const View& x, int64_t begin) const {
    return query_rows<T>(x, begin, std::min(queries, begin + kChunk));
  }
  template <class T>
  Matrix<T> key_chunk(const View& x, int64_t begin) const {
    return key_rows<T>(x, begin, std::min(keys, begin + kChunk));
  }
  float* divisor(int64_t query) const { return a.divisors.as<float>().row(q_begin + query) + head; }

  const LinearAttention& a;
  int64_t size, value_size, width, value_width;
};

// A chunk of rows, padded to whole vectors.
struct Rows {
  float* data;
  int64_t count, width;
  Panel panel() const { return {data, width}; }
  ConstPanel left() const { return {data, width}; }
};

template <class T>
HWY_NOINLINE Rows load_rows(const Matrix<T>& from, int64_t width, Scratch& scratch) {
  Rows rows{scratch.allocate(kChunk * width), from.rows, width};
  if (width == round_to_lanes(from.cols)) {
    pack_rows(from, rows.data, width);
  } else {
    std::fill_n(rows.data, kChunk * width, 0.0f);
    for (int64_t i = 0; i < from.rows; ++i) {
      for (int64_t f = 0; f < from.cols; ++f) {
        rows.data[i * width + f] = static_cast<float>(from.row(i)[f]);
      }
    }
  }
  return rows;
}

// (v, 1)
template <class T>
HWY_NOINLINE Rows load_values(const LinearHead& h, int64_t begin, Scratch& scratch) {
  const Rows rows = load_rows(h.key_chunk<T>(h.a.v, begin), h.value_width, scratch);
  for (int64_t j = 0; j < rows.count; ++j) rows.data[j * rows.width + h.value_size] = 1;
  return rows;
}

// (g, -out . g) / d
template <class T>
HWY_NOINLINE Rows load_gradients(const LinearHead& h, const View& d_out, int64_t begin,
                                 Scratch& scratch) {
  const Rows rows = load_rows(h.query_chunk<T>(d_out, begin), h.value_width, scratch);
  const auto out = h.query_chunk<T>(h.a.out, begin);
  for (int64_t i = 0; i < rows.count; ++i) {
    float* g = rows.data + i * rows.width;
    const float inverse = h.attended(begin + i + 1) > 0 ? 1 / *h.divisor(begin + i) : 0;
    float drift = 0;
    for (int64_t f = 0; f < h.value_size; ++f) {
      drift += static_cast<float>(out.row(i)[f]) * g[f];
      g[f] *= inverse;
    }
    g[h.value_size] = h.a.by_weight ? -drift * inverse : 0;
  }
  return rows;
}

// sums += x^T y over the rows of a chunk; [x.width', y.width].
HWY_INLINE void add_outer(const Rows& x, int64_t x_size, const Rows& y, Panel sums) {
  transposed_product(x.left(), y.panel(), sums, {x_size, y.width / kLanes, x.count}, true);
}

// The products of all row pairs of two chunks, and a buffer for the transpose of one.
struct Pairs {
  Panel columns;  // [size, kChunk]
  Panel scores;   // [kChunk, kChunk]
};

enum class Triangle { kLower, kUpper };

// One triangle, with the diagonal, of the scores x y^T over `size` features; the rest is zero.
template <Triangle kKept>
HWY_NOINLINE void triangle(const Rows& x, const Rows& y, int64_t size, const Pairs& pairs) {
  const auto& [columns, scores] = pairs;
  transpose_rows(Matrix<float>{y.data, y.count, size, y.width}, 1, columns.data);
  product(x.left(), columns, scores, {x.count, (y.count + kLanes - 1) / kLanes, size}, false);
  for (int64_t i = 0; i < x.count; ++i) {
    float* row = scores.data + i * scores.stride;
    if (kKept == Triangle::kUpper) {
      std::fill_n(row, std::min(i, y.count), 0.0f);
    } else {
      for (int64_t j = i + 1; j < y.count; ++j) row[j] = 0;
    }
  }
}

// out (+)= scores y, over the y.count columns of the scores.
HWY_INLINE void multiply_scores(Panel scores, int64_t rows, const Rows& y, Panel out, bool add) {
  product({scores.data, scores.stride}, y.panel(), out, {rows, y.width / kLanes, y.count}, add);
}

HWY_INLINE Panel allocate_sums(int64_t rows, int64_t width, Scratch& scratch) {
  const Panel sums{scratch.allocate(rows * width), width};
  std::fill_n(sums.data, rows * width, 0.0f);
  return sums;
}

template <class T>
HWY_NOINLINE void write_outputs(const LinearHead& h, int64_t begin, Panel sums) {
  const auto out = h.query_chunk<T>(h.a.out, begin);
  for (int64_t i = 0; i < out.rows; ++i) {
    const float* y = sums.data + i * sums.stride;
    const int64_t attended = h.attended(begin + i + 1);
    const float divisor = h.a.by_weight ? y[h.value_size] : static_cast<float>(attended);
    *h.divisor(begin + i) = divisor;
    const float inverse = attended > 0 ? 1 / divisor : 0;
    for (int64_t f = 0; f < h.value_size; ++f) out.row(i)[f] = T(inverse * y[f]);
  }
}

template <class T>
void linear_attention_item(const LinearAttention& a, const AttentionItem& item) {
  const LinearHead h(a, item.sequence, item.head);
  Scratch scratch;
  const Panel sums = allocate_sums(h.size, h.value_width, scratch);  // [K, Kv']
  const Panel out = allocate_sums(kChunk, h.value_width, scratch);
  const Pairs pairs{allocate_sums(h.size, kChunk, scratch), allocate_sums(kChunk, kChunk, scratch)};
  const auto accumulate = [&](int64_t begin) HWY_ATTR {
    const Scratch::Mark mark(scratch);
    add_outer(load_rows(h.key_chunk<T>(a.k, begin), h.width, scratch), h.size,
              load_values<T>(h, begin, scratch), sums);
  };
  for (int64_t begin = 0; !a.causal && begin < h.keys; begin += kChunk) accumulate(begin);
  for (int64_t begin = 0; begin < h.queries; begin += kChunk) {
    const Scratch::Mark mark(scratch);
    const Rows q = load_rows(h.query_chunk<T>(a.q, begin), h.width, scratch);
    product(q.left(), sums, out, {q.count, h.value_width / kLanes, h.size}, false);
    if (a.causal && begin < h.keys) {
      const Rows k = load_rows(h.key_chunk<T>(a.k, begin), h.width, scratch);
      const Rows v = load_values<T>(h, begin, scratch);
      triangle<Triangle::kLower>(q, k, h.size, pairs);
      multiply_scores(pairs.scores, q.count, v, out, true);
      add_outer(k, h.size, v, sums);
    }
    write_outputs<T>(h, begin, out);
  }
}

// d_q = g' S'^T; if causal, the products within a chunk are added to those with the sums of
// previous chunks.
template <class T>
HWY_NOINLINE void differentiate_queries(const LinearAttentionBackward& g, const LinearHead& h,
                                        Scratch& scratch) {
  const LinearAttention& a = g.forward;
  const Scratch::Mark all(scratch);
  const Panel sums = allocate_sums(h.value_width, h.width, scratch);  // [Kv', K]
  const Panel d_q = allocate_sums(kChunk, h.width, scratch);
  const Pairs pairs{allocate_sums(h.value_width, kChunk, scratch),
                    allocate_sums(kChunk, kChunk, scratch)};
  for (int64_t begin = 0; !a.causal && begin < h.keys; begin += kChunk) {
    const Scratch::Mark mark(scratch);
    add_outer(load_values<T>(h, begin, scratch), h.value_size + 1,
              load_rows(h.key_chunk<T>(a.k, begin), h.width, scratch), sums);
  }
  for (int64_t begin = 0; begin < h.queries; begin += kChunk) {
    const Scratch::Mark mark(scratch);
    const Rows d = load_gradients<T>(h, g.d_out, begin, scratch);
    product(d.left(), sums, d_q, {d.count, h.width / kLanes, h.value_size + 1}, false);
    if (a.causal && begin < h.keys) {
      const Rows k = load_rows(h.key_chunk<T>(a.k, begin), h.width, scratch);
      const Rows v = load_values<T>(h, begin, scratch);
      triangle<Triangle::kLower>(d, v, h.value_size + 1, pairs);
      multiply_scores(pairs.scores, d.count, k, d_q, true);
      add_outer(v, h.value_size + 1, k, sums);
    }
    unpack_rows(d_q.data, 1, h.query_chunk<T>(g.d_q, begin));
  }
}

// d_k = v' R'^T and d_v = k R', where R' is the sum of q g'^T over the queries that attend to the
// key; if causal, from the last chunk to the first.
template <class T>
HWY_NOINLINE void differentiate_keys(const LinearAttentionBackward& g, const LinearHead& h,
                                     Scratch& scratch) {
  const LinearAttention& a = g.forward;
  const Scratch::Mark all(scratch);
  const Panel sums = allocate_sums(h.size, h.value_width, scratch);         // R' [K, Kv']
  const Panel transposed = allocate_sums(h.value_width, h.width, scratch);  // R'^T
  const Panel d_k = allocate_sums(kChunk, h.width, scratch),
              d_v = allocate_sums(kChunk, h.value_width, scratch);
  const Pairs pairs{allocate_sums(std::max(h.size, h.value_width), kChunk, scratch),
                    allocate_sums(kChunk, kChunk, scratch)};
  const auto accumulate = [&](const Rows& q, const Rows& d) HWY_ATTR {
    add_outer(q, h.size, d, sums);
    add_outer(d, h.value_size + 1, q, transposed);
  };
  const auto last = [](int64_t rows) { return (rows - 1) / kChunk * kChunk; };
  for (int64_t begin = last(h.queries); begin >= 0 && (!a.causal || begin > last(h.keys));
       begin -= kChunk) {
    const Scratch::Mark mark(scratch);
    accumulate(load_rows(h.query_chunk<T>(a.q, begin), h.width, scratch),
               load_gradients<T>(h, g.d_out, begin, scratch));
  }
  for (int64_t begin = last(h.keys); begin >= 0; begin -= kChunk) {
    const Scratch::Mark mark(scratch);
    const Rows k = load_rows(h.key_chunk<T>(a.k, begin), h.width, scratch);
    const Rows v = load_values<T>(h, begin, scratch);
    product(v.left(), transposed, d_k, {k.count, h.width / kLanes, h.value_size + 1}, false);
    product(k.left(), sums, d_v, {k.count, h.value_width / kLanes, h.size}, false);
    if (a.causal && begin < h.queries) {
      const Rows q = load_rows(h.query_chunk<T>(a.q, begin), h.width, scratch);
      const Rows d = load_gradients<T>(h, g.d_out, begin, scratch);
      triangle<Triangle::kUpper>(v, d, h.value_size + 1, pairs);
      multiply_scores(pairs.scores, k.count, q, d_k, true);
      triangle<Triangle::kUpper>(k, q, h.size, pairs);
      multiply_scores(pairs.scores, k.count, d, d_v, true);
      accumulate(q, d);
    }
    unpack_rows(d_k.data, 1, h.key_chunk<T>(g.d_k, begin));
    const auto to = h.key_chunk<T>(g.d_v, begin);
    for (int64_t j = 0; j < to.rows; ++j) {
      for (int64_t f = 0; f < h.value_size; ++f) to.row(j)[f] = T(d_v.data[j * d_v.stride + f]);
    }
  }
}

template <class T>
void d_linear_attention_item(const LinearAttentionBackward& g, const AttentionItem& item) {
  const LinearHead h(g.forward, item.sequence, item.head);
  Scratch scratch;
  differentiate_queries<T>(g, h, scratch);
  differentiate_keys<T>(g, h, scratch);
}

// One head of one row: sums += k v'^T, out = q sums / d.
void step_head(const LinearAttentionStep& s, int64_t w, int64_t head) {
  const int64_t size = s.q.cols / s.heads, value_size = s.v.cols / s.heads, width = value_size + 1;
  const float *q = s.q.as<float>().row(w) + head * size, *k = s.k.as<float>().row(w) + head * size;
  float* sums = s.state.as<float>().row(w) + head * size * width;
  Scratch scratch;
  float *value = scratch.allocate(width), *y = scratch.allocate(width);
  std::copy_n(s.v.as<float>().row(w) + head * value_size, value_size, value);
  value[value_size] = 1;
  std::fill_n(y, width, 0.0f);
  for (int64_t f = 0; f < size; ++f, sums += width) {
    for_lanes(width, [=](auto d, int64_t i) HWY_ATTR {
      const auto sum =
          hn::MulAdd(hn::Set(d, k[f]), hn::LoadU(d, value + i), hn::LoadU(d, sums + i));
      hn::StoreU(sum, d, sums + i);
      hn::StoreU(hn::MulAdd(hn::Set(d, q[f]), sum, hn::LoadU(d, y + i)), d, y + i);
    });
  }
  const float divisor = s.by_weight ? y[value_size] : static_cast<float>(s.position[w] + 1);
  float* out = s.out.as<float>().row(w) + head * value_size;
  for (int64_t i = 0; i < value_size; ++i) out[i] = y[i] / divisor;
}

void attend_head(const LinearAttention& a, const AttentionItem& item) {
  with_type(a.q.dtype, [&]<class T>(T) HWY_ATTR { linear_attention_item<T>(a, item); });
}

void differentiate_linear_head(const LinearAttentionBackward& g, const AttentionItem& item) {
  with_type(g.forward.q.dtype, [&]<class T>(T) HWY_ATTR { d_linear_attention_item<T>(g, item); });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(attend_head);
HWY_EXPORT(differentiate_linear_head);
HWY_EXPORT(step_head);

namespace {

std::vector<AttentionItem> heads_of(const LinearAttention& a) {
  std::vector<AttentionItem> items;
  for (int64_t b = 0; b + 1 < std::ssize(a.q_offsets); ++b) {
    for (int64_t h = 0; h < a.heads; ++h) items.push_back({b, h, 0});
  }
  return items;
}

int64_t linear_work(const LinearAttention& a) {
  return (a.q.rows + a.k.rows) * a.q.cols * (a.v.cols / a.heads);
}

}  // namespace

void run(const LinearAttention& a) {
  if (!is_fast(a.q)) return ref::run(a);
  const auto body = HWY_DYNAMIC_DISPATCH(attend_head);
  for_each_item(heads_of(a), linear_work(a), [&](const AttentionItem& item) { body(a, item); });
}

void run(const LinearAttentionBackward& g) {
  if (!is_fast(g.forward.q)) return ref::run(g);
  const auto body = HWY_DYNAMIC_DISPATCH(differentiate_linear_head);
  for_each_item(heads_of(g.forward), 3 * linear_work(g.forward),
                [&](const AttentionItem& item) { body(g, item); });
}

void run(const LinearAttentionStep& s) {
  if (!is_float(s.q)) return ref::run(s);
  const auto body = HWY_DYNAMIC_DISPATCH(step_head);
  for_each_row(s.q.rows * s.heads, s.state.cols / s.heads,
               [&](int64_t i) { body(s, i / s.heads, i % s.heads); });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
