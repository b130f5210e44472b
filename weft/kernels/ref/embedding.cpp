#include "weft/kernels/embedding.h"

#include "weft/kernels/ref/elements.h"

namespace weft::kernels::ref {
void run(const Embedding& k) {
  visit(k.kName, k.table, [&]<class T>(T) {
    const auto table = k.table.as<T>(), y = k.y.as<T>();
    for (int64_t n = 0; n < y.rows; ++n) {
      for (int64_t f = 0; f < y.cols; ++f) {
        T value = static_cast<T>(k.scale) * table.row(k.ids[n])[f];
        if (k.position) value += static_cast<T>(sinusoid(k.position[n], f, y.cols));
        y.row(n)[f] = value;
      }
    }
  });
}

void run(const EmbeddingBackward& k) {
  visit(k.kName, k.d_y, [&]<class T>(T) {
    const auto d_y = k.d_y.as<T>(), d_table = k.d_table.as<T>();
    for (int64_t n = 0; n < d_y.rows; ++n) {
      for (int64_t f = 0; f < d_y.cols; ++f) {
        d_table.row(k.ids[n])[f] += static_cast<T>(k.scale) * d_y.row(n)[f];
      }
    }
  });
}

void run(const Rotary& r) {
  const int64_t size = r.x.cols / r.heads / r.axes, half = size / 2;
  visit(r.kName, r.x, [&]<class T>(T) {
    for (int64_t n = 0; n < r.x.rows; ++n) {
      for (int64_t part = 0; part < r.heads * r.axes; ++part) {
        const T* from = r.x.as<T>().row(n) + part * size;
        T* to = r.y.as<T>().row(n) + part * size;
        const T* angles = r.angles.as<T>().row(r.angle_rows[n * r.axes + part % r.axes]);
        for (int64_t f = 0; f < half; ++f) {
          const T cosine = angles[f], sine = r.inverse ? -angles[half + f] : angles[half + f];
          const T first = from[f], second = from[f + half];
          to[f] = first * cosine - second * sine;
          to[f + half] = second * cosine + first * sine;
        }
      }
    }
  });
}

}  // namespace weft::kernels::ref
