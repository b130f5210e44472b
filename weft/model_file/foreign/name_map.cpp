#include "weft/model_file/foreign/name_map.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>

#include "weft/core/error.h"

namespace weft::model_file {
namespace {

using Captures = std::vector<std::string_view>;

// The texts that the * of a pattern stand for in a name, the shortest first; nullopt if it does not
// fit.
std::optional<Captures> captures_of(std::string_view pattern, std::string_view name) {
  const size_t star = pattern.find('*');
  if (star == pattern.npos && pattern == name) return Captures();
  if (star == pattern.npos) return {};
  if (!name.starts_with(pattern.substr(0, star))) return {};
  for (size_t end = star; end <= name.size(); ++end) {
    auto rest = captures_of(pattern.substr(star + 1), name.substr(end));
    if (!rest) continue;
    rest->insert(rest->begin(), name.substr(star, end - star));
    return rest;
  }
  return {};
}

std::string filled(std::string_view pattern, const Captures& captures) {
  std::string out;
  size_t next = 0;
  for (const char c : pattern) {
    if (c == '*') {
      out += captures.at(next++);
    } else {
      out += c;
    }
  }
  return out;
}

// The first mapping that fits a parameter, and the texts of its *.
std::optional<std::pair<const NameMapping*, Captures>> mapping_of(const NameMap& map,
                                                                  const std::string& name) {
  for (const NameMapping& mapping : map.mappings) {
    for (const std::string& pattern : mapping.ours) {
      if (const auto captures = captures_of(pattern, name)) return {{&mapping, *captures}};
    }
  }
  return {};
}

Shape default_shape(const NameMapping& mapping, const std::vector<nn::NamedParameter>& parts) {
  int64_t rows = 0, size = 0;
  for (const auto& [name, p] : parts) {
    rows += p->shape.rows();
    size += p->shape.size();
  }
  const nn::Parameter& first = *parts.front().parameter;
  if (!first.is_matrix()) return {size};
  const int64_t cols = first.shape.cols();
  return mapping.is_transposed ? Shape{cols, rows} : Shape{rows, cols};
}

class TensorMapper {
 public:
  TensorMapper(const NameMap& map, const std::vector<nn::NamedParameter>& parameters) : map_(map) {
    for (const auto& [name, p] : parameters) by_name_[name] = p;
    for (const auto& [name, p] : parameters) {
      if (!mapped_.contains(name)) add(name);
    }
  }
  std::vector<MappedTensor> take() { return std::move(tensors_); }

 private:
  void add(const std::string& name) {
    const auto found = mapping_of(map_, name);
    if (!found) fail<FormatError>("model", "no tensor of the other system is parameter '{}'", name);
    const auto& [mapping, captures] = *found;
    MappedTensor out{.mapping = mapping,
                     .theirs = filled(mapping->theirs, captures),
                     .parts = {},
                     .shape = mapping->shape};
    for (const std::string& pattern : mapping->ours) {
      const std::string part = filled(pattern, captures);
      const auto parameter = by_name_.find(part);
      if (parameter == by_name_.end()) {
        fail<FormatError>("model", "no parameter '{}'; expected it in '{}'", part, out.theirs);
      }
      out.parts.push_back({part, parameter->second});
      mapped_.insert(part);
    }
    if (out.shape.rank() == 0) out.shape = default_shape(*mapping, out.parts);
    tensors_.push_back(std::move(out));
  }

  const NameMap& map_;
  std::map<std::string, nn::Parameter*> by_name_;
  std::set<std::string> mapped_;
  std::vector<MappedTensor> tensors_;
};

// Calls copy(ours, theirs, count) for the elements of all parameters: `count` contiguous ones of
// parts[part] from `ours` on are those of the tensor from `theirs` on.
template <class Copy>
void for_each_run(const MappedTensor& tensor, const Copy& copy) {
  const NameMapping& mapping = *tensor.mapping;
  int64_t begin = 0, all_rows = 0;
  for (const auto& [name, part] : tensor.parts) all_rows += part->shape.rows();
  for (size_t p = 0; p < tensor.parts.size(); ++p) {
    const Shape& shape = tensor.parts[p].parameter->shape;
    const int64_t size = std::min(shape.size(), tensor.shape.size());
    if (!mapping.is_transposed && !mapping.rows && !mapping.cols) {
      copy(p, int64_t{0}, begin, size);
    } else {
      const std::vector<int64_t> rows = foreign_indices(mapping.rows, size / shape.cols());
      const std::vector<int64_t> cols = foreign_indices(mapping.cols, shape.cols());
      const int64_t row_stride = mapping.is_transposed ? 1 : shape.cols();
      const int64_t col_stride = mapping.is_transposed ? all_rows : 1;
      int64_t ours = 0;
      for (const int64_t row : rows) {
        for (const int64_t col : cols) {
          copy(p, ours++, begin + row * row_stride + col * col_stride, int64_t{1});
        }
      }
    }
    begin += mapping.is_transposed ? shape.rows() : size;
  }
}

// Shapes without leading ones are equal.
bool is_same_shape(const Shape& a, const Shape& b) {
  const auto core = [](const Shape& shape) {
    std::vector<int64_t> out;
    for (int i = 0; i < shape.rank(); ++i) {
      if (!out.empty() || shape[i] != 1) out.push_back(shape[i]);
    }
    return out;
  };
  return core(a) == core(b);
}

void check_shape(const ForeignTensors& tensors, const MappedTensor& wanted) {
  const std::string& name = wanted.theirs;
  if (!tensors.has(name)) {
    fail<FormatError>(tensors.path_of(name), "no tensor '{}'; expected one of shape {}", name,
                      wanted.shape.text());
  }
  const Shape shape = tensors.shape(name);
  int64_t size = 0;
  for (const auto& [unused, part] : wanted.parts) size += part->shape.size();
  if (is_same_shape(shape, wanted.shape) && shape.size() == size) return;
  fail<FormatError>(tensors.path_of(name), "tensor '{}' has the wrong shape; expected {}, got {}",
                    name, wanted.shape.text(), shape.text());
}

void check_equal(const ForeignTensors& tensors, const std::string& name, const std::string& other) {
  if (!tensors.has(other)) fail<FormatError>(tensors.path_of(other), "no tensor '{}'", other);
  const Tensor x = tensors.float32(name), y = tensors.float32(other);
  for (const std::string& read : {name, other}) tensors.release(read);
  if (x.shape() == y.shape() &&
      std::memcmp(x.bytes(), y.bytes(), static_cast<size_t>(x.size()) * sizeof(float)) == 0) {
    return;
  }
  fail<FormatError>(tensors.path_of(name), "tensor '{}' differs from '{}', to which it is tied",
                    name, other);
}

void check_extras(const NameMap& map, const ForeignTensors& tensors,
                  const std::set<std::string>& used) {
  for (const std::string& name : tensors.names()) {
    if (used.contains(name)) continue;
    const auto extra = std::ranges::find_if(map.extras, [&](const ExtraTensor& one) {
      return captures_of(one.theirs, name).has_value();
    });
    if (extra == map.extras.end()) {
      fail<FormatError>(tensors.path_of(name), "tensor {} is not part of the model", quote(name));
    }
    if (extra->check) extra->check(tensors, name);
    if (!extra->same_as.empty()) check_equal(tensors, name, extra->same_as);
  }
}

// All checks of read_parameters().
std::vector<MappedTensor> checked_tensors(const NameMap& map, const ForeignTensors& tensors,
                                          const std::vector<nn::NamedParameter>& parameters) {
  std::vector<MappedTensor> mapped = mapped_tensors(map, parameters);
  std::set<std::string> names;
  for (const MappedTensor& wanted : mapped) {
    check_shape(tensors, wanted);
    names.insert(wanted.theirs);
  }
  check_extras(map, tensors, names);
  return mapped;
}

void copy_floats(float* to, const float* from, int64_t count, float added) {
  if (added == 0) {
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(float));
  } else {
    std::transform(from, from + count, to, [=](float x) { return x + added; });
  }
}

// Into the values of the parameters, which have memory.
void read_values(const ForeignTensors& tensors, const MappedTensor& wanted) {
  const Tensor values = tensors.float32(wanted.theirs);
  for_each_run(wanted, [&](size_t part, int64_t ours, int64_t theirs, int64_t count) {
    copy_floats(wanted.parts[part].parameter->value.data<float>() + ours,
                values.data<float>() + theirs, count, wanted.mapping->added);
  });
}

// The same, but packs those that are matrices.
void pack_values(const ForeignTensors& tensors, const MappedTensor& wanted,
                 kernels::PackedType type) {
  for (const auto& [name, part] : wanted.parts) {
    if (part->is_matrix()) part->value = Tensor::empty(part->shape);
  }
  read_values(tensors, wanted);
  for (const auto& [name, part] : wanted.parts) {
    if (!part->is_matrix()) continue;
    part->packed = PackedWeight(part->value, type);
    part->value = {};
  }
}

// Whether the parameters are matrices whose rows are rows of the tensor.
bool keeps_rows(const MappedTensor& wanted) {
  const NameMapping& mapping = *wanted.mapping;
  return !mapping.is_transposed && !mapping.cols && mapping.added == 0 &&
         std::ranges::all_of(wanted.parts, [&](const nn::NamedParameter& part) {
           return part.parameter->is_matrix() &&
                  part.parameter->shape.cols() == wanted.shape.cols();
         });
}

// Calls body(part, blocks) for the blocks of each parameter.
template <class Body>
void for_each_in_blocks(const ForeignTensors& tensors, const MappedTensor& wanted,
                        kernels::BlockType type, const Body& body) {
  std::string_view rest = tensors.blocks(wanted.theirs);
  for (size_t p = 0; p < wanted.parts.size(); ++p) {
    const Shape& shape = wanted.parts[p].parameter->shape;
    const auto row_bytes = static_cast<size_t>(kernels::block_row_bytes(type, shape.cols()));
    const std::string_view rows = rest.substr(0, static_cast<size_t>(shape.rows()) * row_bytes);
    rest.remove_prefix(rows.size());
    std::string permuted;
    if (wanted.mapping->rows) {
      for (const int64_t row : foreign_indices(wanted.mapping->rows, shape.rows())) {
        permuted += rows.substr(static_cast<size_t>(row) * row_bytes, row_bytes);
      }
    }
    body(p, wanted.mapping->rows ? std::string_view(permuted) : rows);
  }
}

}  // namespace

bool covers(const NameMap& map, const std::vector<nn::NamedParameter>& parameters) {
  return std::ranges::all_of(parameters, [&](const nn::NamedParameter& one) {
    return mapping_of(map, one.name).has_value();
  });
}

std::vector<MappedTensor> mapped_tensors(const NameMap& map,
                                         const std::vector<nn::NamedParameter>& parameters) {
  return TensorMapper(map, parameters).take();
}

std::vector<int64_t> foreign_indices(const Permutation& permutation, int64_t size) {
  std::vector<int64_t> out(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i) {
    out[static_cast<size_t>(i)] = permutation ? permutation(i, size) : i;
  }
  return out;
}

NameMap without_prefix(NameMap map, std::string_view prefix) {
  const auto remove = [&](std::string& name) {
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  };
  for (NameMapping& mapping : map.mappings) remove(mapping.theirs);
  for (ExtraTensor& extra : map.extras) {
    remove(extra.theirs);
    remove(extra.same_as);
  }
  return map;
}

NameMap with_prefix(NameMap map, std::string_view prefix) {
  for (NameMapping& mapping : map.mappings) {
    if (mapping.theirs.find('/') == std::string::npos) mapping.theirs.insert(0, prefix);
  }
  std::vector<ExtraTensor> prefixed = map.extras;
  for (ExtraTensor& extra : prefixed) {
    extra.theirs.insert(0, prefix);
    if (!extra.same_as.empty()) extra.same_as.insert(0, prefix);
  }
  map.extras.insert(map.extras.end(), prefixed.begin(), prefixed.end());
  return map;
}

NameMap with_names_of_norms(NameMap map, const std::vector<std::string>& names) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"LayerNorm.weight", "LayerNorm.gamma"}, {"LayerNorm.bias", "LayerNorm.beta"}};
  for (const auto& [now, before] : kNames) {
    const auto is_older = [ending = before](const std::string& name) {
      return name.ends_with(ending);
    };
    if (std::ranges::none_of(names, is_older)) continue;
    for (NameMapping& mapping : map.mappings) {
      if (!mapping.theirs.ends_with(now)) continue;
      mapping.theirs.replace(mapping.theirs.size() - now.size(), now.size(), before);
    }
  }
  return map;
}

void check_tensors(const NameMap& map, const ForeignTensors& tensors,
                   const std::vector<nn::NamedParameter>& parameters) {
  checked_tensors(map, tensors, parameters);
}

Tensor read_parameters(const NameMap& map, const ForeignTensors& tensors,
                       const std::vector<nn::NamedParameter>& parameters) {
  const std::vector<MappedTensor> mapped = checked_tensors(map, tensors, parameters);
  Tensor out = nn::bind(parameters);
  for (const MappedTensor& wanted : mapped) {
    read_values(tensors, wanted);
    tensors.release(wanted.theirs);
  }
  return out;
}

void pack_parameters(const NameMap& map, const ForeignTensors& tensors,
                     const std::vector<nn::NamedParameter>& parameters, Rounding rounding) {
  const std::vector<MappedTensor> mapped = checked_tensors(map, tensors, parameters);
  std::vector<nn::NamedParameter> vectors;
  std::ranges::copy_if(parameters, std::back_inserter(vectors),
                       [](const nn::NamedParameter& one) { return !one.parameter->is_matrix(); });
  nn::bind(vectors);
  for (const MappedTensor& wanted : mapped) {
    const kernels::PackedType stored = tensors.type(wanted.theirs),
                              type = rounding.type(*wanted.parts.front().parameter, stored);
    const auto* blocks = std::get_if<kernels::BlockType>(&type);
    if (blocks != nullptr && type == stored && keeps_rows(wanted)) {
      for_each_in_blocks(tensors, wanted, *blocks, [&](size_t p, std::string_view bytes) {
        wanted.parts[p].parameter->packed =
            PackedWeight(*blocks, wanted.parts[p].parameter->shape, bytes);
      });
    } else {
      pack_values(tensors, wanted, blocks != nullptr && type == stored ? DType::kF32 : type);
    }
    tensors.release(wanted.theirs);
  }
}

StoredMatrices stored_parameters(const NameMap& map, const ForeignTensors& tensors,
                                 const std::vector<nn::NamedParameter>& parameters) {
  std::map<std::string, size_t> order;
  for (const auto& [name, p] : parameters) order[name] = order.size();
  StoredMatrices out;
  for (const MappedTensor& wanted : checked_tensors(map, tensors, parameters)) {
    const kernels::PackedType type = tensors.type(wanted.theirs);
    const auto* blocks = std::get_if<kernels::BlockType>(&type);
    if (blocks != nullptr && keeps_rows(wanted)) {
      for_each_in_blocks(tensors, wanted, *blocks, [&](size_t p, std::string_view bytes) {
        out.add(wanted.parts[p].name, *blocks, wanted.parts[p].parameter->shape, bytes);
      });
    } else {
      for (const auto& [name, part] : wanted.parts) part->value = Tensor::empty(part->shape);
      read_values(tensors, wanted);
      for (const auto& [name, part] : wanted.parts) out.add(name, part->value);
    }
    tensors.release(wanted.theirs);
  }
  std::ranges::sort(out.tensors, {}, [&](const auto& one) { return order[one.first]; });
  return out;
}

bool has_tensor(const NameMap& map, const std::vector<nn::NamedParameter>& parameters,
                std::string_view name) {
  const auto holds = [&](const std::string& ours, const Captures& captures) {
    return std::ranges::find(parameters, filled(ours, captures), &nn::NamedParameter::name) !=
           parameters.end();
  };
  return std::ranges::any_of(map.mappings, [&](const NameMapping& mapping) {
    const auto captures = captures_of(mapping.theirs, name);
    return captures && std::ranges::any_of(mapping.ours, [&](const std::string& ours) {
             return holds(ours, *captures);
           });
  });
}

formats::NamedTensors foreign_tensors_of(const NameMap& map,
                                         const std::vector<nn::NamedParameter>& parameters) {
  formats::NamedTensors out;
  for (const MappedTensor& mapped : mapped_tensors(map, parameters)) {
    const Tensor values = Tensor::empty(mapped.shape);
    for_each_run(mapped, [&](size_t part, int64_t ours, int64_t theirs, int64_t count) {
      copy_floats(values.data<float>() + theirs,
                  mapped.parts[part].parameter->value.data<float>() + ours, count,
                  -mapped.mapping->added);
    });
    out.emplace_back(mapped.theirs, values);
  }
  return out;
}

}  // namespace weft::model_file
