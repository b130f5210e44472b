#include "weft/kernels/norm.h"

#include "weft/kernels/ref/elements.h"

namespace weft::kernels::ref {
namespace {

template <class T>
void layer_norm(const LayerNorm& norm) {
  const auto x = norm.x.as<T>(), gamma = norm.gamma.as<T>(), beta = norm.beta.as<T>();
  const auto y = norm.y.as<T>(), stats = norm.stats.as<T>();
  const auto width = static_cast<T>(x.cols);
  for (int64_t n = 0; n < x.rows; ++n) {
    T mean = 0, variance = 0;
    for (int64_t f = 0; f < x.cols; ++f) mean += x.row(n)[f];
    mean /= width;
    for (int64_t f = 0; f < x.cols; ++f) {
      variance += (x.row(n)[f] - mean) * (x.row(n)[f] - mean);
    }
    const T inverse = 1 / std::sqrt(variance / width + static_cast<T>(norm.epsilon));
    for (int64_t f = 0; f < x.cols; ++f) {
      y.row(n)[f] = (x.row(n)[f] - mean) * inverse * gamma.data[f] + beta.data[f];
    }
    if (!stats.data) continue;
    stats.row(n)[0] = mean;
    stats.row(n)[1] = inverse;
  }
}

template <class T>
void rms_norm(const RmsNorm& norm) {
  const auto x = norm.x.as<T>(), gamma = norm.gamma.as<T>();
  const auto y = norm.y.as<T>(), stats = norm.stats.as<T>();
  for (int64_t n = 0; n < x.rows; ++n) {
    T squares = 0;
    for (int64_t f = 0; f < x.cols; ++f) squares += x.row(n)[f] * x.row(n)[f];
    const T mean = squares / static_cast<T>(x.cols);
    const T inverse = 1 / std::sqrt(mean + static_cast<T>(norm.epsilon));
    for (int64_t f = 0; f < x.cols; ++f) y.row(n)[f] = x.row(n)[f] * inverse * gamma.data[f];
    if (stats.data) stats.row(n)[0] = inverse;
  }
}

}  // namespace

void run(const LayerNorm& norm) {
  visit(norm.kName, norm.x, [&]<class T>(T) { layer_norm<T>(norm); });
}

// With x' = (x - mean) inverse and g = d_y gamma:
//   d_x = inverse (g - mean(g) - x' mean(g x')), d_gamma += sum d_y x', d_beta += sum d_y.
void run(const LayerNormBackward& norm) {
  visit(norm.kName, norm.x, [&]<class T>(T) {
    const auto x = norm.x.as<T>(), gamma = norm.gamma.as<T>(), stats = norm.stats.as<T>();
    const auto d_y = norm.d_y.as<T>(), d_x = norm.d_x.as<T>();
    const auto d_gamma = norm.d_gamma.as<T>(), d_beta = norm.d_beta.as<T>();
    const auto width = static_cast<T>(x.cols);
    for (int64_t n = 0; n < x.rows; ++n) {
      const T mean = stats.row(n)[0], inverse = stats.row(n)[1];
      T sum = 0, dot = 0;
      for (int64_t f = 0; f < x.cols; ++f) {
        const T normal = (x.row(n)[f] - mean) * inverse, d = d_y.row(n)[f];
        sum += d * gamma.data[f];
        dot += d * gamma.data[f] * normal;
        d_gamma.data[f] += d * normal;
        d_beta.data[f] += d;
      }
      for (int64_t f = 0; f < x.cols; ++f) {
        const T normal = (x.row(n)[f] - mean) * inverse;
        d_x.row(n)[f] =
            inverse * (d_y.row(n)[f] * gamma.data[f] - sum / width - normal * dot / width);
      }
    }
  });
}

void run(const RmsNorm& norm) {
  visit(norm.kName, norm.x, [&]<class T>(T) { rms_norm<T>(norm); });
}

// With x' = x inverse and g = d_y gamma: d_x = inverse (g - x' mean(g x')), d_gamma += sum d_y x'.
void run(const RmsNormBackward& norm) {
  visit(norm.kName, norm.x, [&]<class T>(T) {
    const auto x = norm.x.as<T>(), gamma = norm.gamma.as<T>(), stats = norm.stats.as<T>();
    const auto d_y = norm.d_y.as<T>(), d_x = norm.d_x.as<T>(), d_gamma = norm.d_gamma.as<T>();
    for (int64_t n = 0; n < x.rows; ++n) {
      const T inverse = stats.row(n)[0];
      T dot = 0;
      for (int64_t f = 0; f < x.cols; ++f) {
        const T normal = x.row(n)[f] * inverse, d = d_y.row(n)[f];
        dot += d * gamma.data[f] * normal;
        d_gamma.data[f] += d * normal;
      }
      dot /= static_cast<T>(x.cols);
      for (int64_t f = 0; f < x.cols; ++f) {
        d_x.row(n)[f] = inverse * (d_y.row(n)[f] * gamma.data[f] - x.row(n)[f] * inverse * dot);
      }
    }
  });
}

void run(const ResidualNorm& r) {
  visit(r.kName, r.x, [&]<class T>(T) {
    const auto x = r.x.as<T>(), residual = r.residual.as<T>(), h = r.h.as<T>();
    const auto scale = static_cast<T>(r.residual_scale);
    for (int64_t n = 0; n < x.rows; ++n) {
      for (int64_t f = 0; f < x.cols; ++f) {
        const auto factor = static_cast<T>(r.dropout.factor_at(n, f));
        h.row(n)[f] = scale * residual.row(n)[f] + (factor == 0 ? T{0} : factor * x.row(n)[f]);
      }
    }
    if (r.beta) {
      layer_norm<T>({r.h, r.gamma, r.beta, r.epsilon, r.y, r.stats});
    } else {
      rms_norm<T>({r.h, r.gamma, r.epsilon, r.y, r.stats});
    }
  });
}

void run(const ColumnMoments& k) {
  visit(k.kName, k.x, [&]<class T>(T) {
    const auto x = k.x.as<T>(), stats = k.stats.as<T>();
    const auto rows = static_cast<T>(x.rows);
    for (int64_t f = 0; f < x.cols; ++f) {
      T mean = 0, variance = 0;
      for (int64_t n = 0; n < x.rows; ++n) mean += x.row(n)[f] / rows;
      for (int64_t n = 0; n < x.rows; ++n) {
        variance += (x.row(n)[f] - mean) * (x.row(n)[f] - mean) / rows;
      }
      stats.row(0)[f] = mean;
      stats.row(1)[f] = variance;
    }
  });
}

void run(const BatchNorm& norm) {
  visit(norm.kName, norm.x, [&]<class T>(T) {
    const auto x = norm.x.as<T>(), gamma = norm.gamma.as<T>(), beta = norm.beta.as<T>();
    const auto y = norm.y.as<T>(), stats = norm.stats.as<T>();
    for (int64_t f = 0; f < x.cols; ++f) {
      const T mean = stats.row(0)[f];
      const T inverse = 1 / std::sqrt(stats.row(1)[f] + static_cast<T>(norm.epsilon));
      for (int64_t n = 0; n < x.rows; ++n) {
        y.row(n)[f] = (x.row(n)[f] - mean) * inverse * gamma.data[f] + beta.data[f];
      }
    }
  });
}

// With x' = (x - mean) inverse, over each column: d_gamma += sum d_y x', d_beta += sum d_y, and
//   d_x = gamma inverse (d_y - mean(d_y) - x' mean(d_y x')), without the means where stats are
//   fixed.
void run(const BatchNormBackward& g) {
  visit(g.kName, g.x, [&]<class T>(T) {
    const auto x = g.x.as<T>(), d_y = g.d_y.as<T>(), d_x = g.d_x.as<T>(), stats = g.stats.as<T>();
    const auto rows = static_cast<T>(x.rows);
    for (int64_t f = 0; f < x.cols; ++f) {
      const T mean = stats.row(0)[f];
      const T inverse = 1 / std::sqrt(stats.row(1)[f] + static_cast<T>(g.epsilon));
      T sum = 0, dot = 0;
      for (int64_t n = 0; n < x.rows; ++n) {
        sum += d_y.row(n)[f];
        dot += d_y.row(n)[f] * (x.row(n)[f] - mean) * inverse;
      }
      g.d_gamma.as<T>().data[f] += dot;
      g.d_beta.as<T>().data[f] += sum;
      for (int64_t n = 0; n < x.rows; ++n) {
        const T normal = (x.row(n)[f] - mean) * inverse;
        const T through = g.is_fixed ? T{0} : (sum + normal * dot) / rows;
        d_x.row(n)[f] = g.gamma.as<T>().data[f] * inverse * (d_y.row(n)[f] - through);
      }
    }
  });
}

}  // namespace weft::kernels::ref
