// What PyTorch and Transformers give for kinds of positions and attention
// (tools/golden/attention_family.py).
#ifndef WEFT_TESTS_NN_FAMILY_GOLDEN_H_
#define WEFT_TESTS_NN_FAMILY_GOLDEN_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/paths.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/nn/parameters.h"

namespace weft::test {

using Json = nlohmann::json;

// tests/golden/NAME.json
inline Json golden_numbers(const std::string& name) {
  return Json::parse(std::ifstream(source_path("tests/golden/" + name + ".json")));
}
inline Json family_golden() { return golden_numbers("attention_family"); }

// Rows of numbers as a tensor of F64.
inline Tensor matrix(const Json& rows) {
  std::vector<double> flat;
  for (const Json& row : rows) {
    for (const Json& x : row) flat.push_back(x);
  }
  return Tensor::from(flat, {std::ssize(rows), std::ssize(rows[0])});
}

// Gives a module, which has exactly these parameters, their values in F64.
template <class M>
void set_parameters(M& module, const Json& parameters) {
  const std::vector<nn::NamedParameter> named = nn::parameters_of(module);
  nn::bind(named, DType::kF64);
  ASSERT_EQ(named.size(), parameters.size());
  for (const nn::NamedParameter& p : named) {
    ASSERT_TRUE(parameters.contains(p.name)) << p.name;
    const Tensor given = matrix(parameters.at(p.name));
    backend_of(given)(kernels::Copy{.x = given, .y = p.parameter->value});
  }
}

}  // namespace weft::test

#endif  // WEFT_TESTS_NN_FAMILY_GOLDEN_H_
