#include "weft/nn/parameters.h"

#include <cmath>

#include "weft/core/hash.h"
#include "weft/core/parallel.h"
#include "weft/core/random.h"

namespace weft::nn {
namespace {

// A fixed number for each name, so that initial values do not depend on the other parts of the
// model.
uint64_t hash(std::string_view text) {
  Hash h;
  for (const char c : text) h.add(static_cast<uint8_t>(c));
  return h.value();
}

double draw(const Parameter& p, RandomStream& random) {
  switch (p.init) {
    case Init::kZeros: return 0;
    case Init::kOnes: return 1;
    case Init::kGlorot:
      return p.gain * (random.uniform() * 2 - 1) *
             std::sqrt(6.0 / static_cast<double>(p.shape.rows() + p.shape.cols()));
    case Init::kNormal: return random.normal() / std::sqrt(static_cast<double>(p.shape.cols()));
  }
  return 0;
}

void draw_values(Parameter& p, RandomStream& random) {
  for (int64_t i = 0; i < p.value.size(); ++i) {
    const double x = draw(p, random);
    if (p.value.dtype() == DType::kF64) {
      p.value.data<double>()[i] = x;
    } else {
      p.value.data<float>()[i] = static_cast<float>(x);
    }
  }
}

int64_t total_size(const std::vector<NamedParameter>& parameters) {
  int64_t total = 0;
  for (const auto& [name, p] : parameters) total += p->shape.size();
  return total;
}

// One view over all values, or an empty tensor when they are not contiguous.
Tensor joined(const std::vector<Tensor>& values) {
  int64_t size = 0;
  for (const Tensor& x : values) {
    if (x.bytes() != values.front().bytes() + static_cast<size_t>(size) * size_of(x.dtype())) {
      return {};
    }
    size += x.size();
  }
  return values.front().as_strided({size});
}

// The number of elements; throws ShapeError where the parameters are not contiguous.
int64_t contiguous_size(std::span<const Parameter* const> parts) {
  const Tensor& first = parts.front()->value;
  int64_t size = 0;
  for (const Parameter* p : parts) {
    const Tensor& x = p->value;
    if (!x.shares_storage_with(first) || x.storage_offset() != first.storage_offset() + size) {
      fail<ShapeError>("fused parameters", "they are not contiguous");
    }
    size += x.size();
  }
  return size;
}

Tensor fused(std::span<const Parameter* const> parts, Shape shape) {
  Tensor out = parts.front()->value.as_strided(shape);
  for (const Parameter* p : parts) {
    if (p->value.node != autograd::kConstant) out.node = p->value.node;
  }
  return out;
}

}  // namespace

Parameter::Parameter() = default;
Parameter::Parameter(Shape wanted, Init initial) : shape(wanted), init(initial) {}
Parameter::Parameter(const Parameter& other) = default;
Parameter::Parameter(Parameter&& other) noexcept = default;
Parameter& Parameter::operator=(const Parameter& other) = default;
Parameter& Parameter::operator=(Parameter&& other) noexcept = default;
Parameter::~Parameter() = default;

Parameter embedding_table(int64_t rows, int64_t width, Init init) {
  Parameter out({rows, width}, init);
  out.is_embedding = true;
  return out;
}

Tensor bind(const std::vector<NamedParameter>& parameters, DType dtype) {
  Tensor flat = Tensor::zeros({total_size(parameters)}, dtype);
  bind_to(parameters, flat);
  return flat;
}

Tensor bind(const std::vector<NamedParameter>& parameters, const std::vector<Tensor>& values) {
  Tensor flat = joined(values);
  if (!flat) {
    flat = Tensor::empty({total_size(parameters)}, values.front().dtype());
    int64_t begin = 0;
    for (const Tensor& x : values) {
      const Tensor to = flat.col_range(begin, begin + x.size());
      std::memcpy(to.bytes(), x.bytes(), static_cast<size_t>(x.size()) * size_of(x.dtype()));
      begin += x.size();
    }
  }
  bind_to(parameters, flat);
  return flat;
}

void bind_to(const std::vector<NamedParameter>& parameters, const Tensor& flat) {
  int64_t begin = 0;
  for (const auto& [name, p] : parameters) {
    p->value = flat.col_range(begin, begin + p->shape.size()).reshape(p->shape);
    p->value.node = p->is_frozen ? autograd::kConstant : autograd::kParameter;
    begin += p->shape.size();
  }
}

void initialise(const std::vector<NamedParameter>& parameters, uint64_t seed) {
  parallel_for(std::ssize(parameters), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto& [name, p] = parameters[static_cast<size_t>(i)];
      RandomStream random(seed, hash(name));
      draw_values(*p, random);
    }
  });
}

Tensor fused_weight(std::span<const Parameter* const> parts) {
  const Tensor& first = parts.front()->value;
  const int64_t size = contiguous_size(parts);
  for (const Parameter* p : parts) {
    const int64_t cols = p->value.cols();
    if (cols != first.cols()) {
      fail<ShapeError>("fused parameters", "columns differ; expected {}, got {}", first.cols(),
                       cols);
    }
  }
  return fused(parts, {size / first.cols(), first.cols()});
}

Tensor fused_bias(ContiguousParameters list) {
  const std::span parts(list.begin(), list.size());
  return fused(parts, {1, contiguous_size(parts)});
}

}  // namespace weft::nn
