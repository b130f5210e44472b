// What PyTorch and Transformers give for kinds of positions and attention
// (tools/golden/attention_family.py).
#ifndef WEFT_TESTS_NN_FAMILY_GOLDEN_H_
#define WEFT_TESTS_NN_FAMILY_GOLDEN_H_

#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/support/paths.h"
#include "weft/tensor/tensor.h"

namespace weft::test {

using Json = nlohmann::json;

inline Json family_golden() {
  return Json::parse(std::ifstream(source_path("tests/golden/attention_family.json")));
}

// Rows of numbers as a tensor of F64.
inline Tensor matrix(const Json& rows) {
  std::vector<double> flat;
  for (const Json& row : rows) {
    for (const Json& x : row) flat.push_back(x);
  }
  return Tensor::from(flat, {std::ssize(rows), std::ssize(rows[0])});
}

}  // namespace weft::test

#endif  // WEFT_TESTS_NN_FAMILY_GOLDEN_H_
