// Damaged JSON: one value of it, at any depth, is another one or missing.
#ifndef WEFT_TESTS_SUPPORT_DAMAGE_H_
#define WEFT_TESTS_SUPPORT_DAMAGE_H_

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>

namespace weft::test {

// The same for the same seed.
class Numbers {
 public:
  explicit Numbers(uint32_t seed) : engine_(seed) {}
  size_t below(size_t n) { return engine_() % n; }

 private:
  std::mt19937 engine_;
};

void damage(nlohmann::ordered_json& json, Numbers& numbers);

}  // namespace weft::test

#endif  // WEFT_TESTS_SUPPORT_DAMAGE_H_
