// What the profile is told of a kernel's work.
#include "weft/kernels/profiled.h"

#include <gtest/gtest.h>

#include <vector>

#include "weft/core/profile.h"
#include "weft/kernels/ref/backend.h"

namespace weft::kernels {
namespace {

TEST(ProfiledBackend, CountsTheProductsOfEveryHeadOfQueries) {
  const std::vector<int32_t> offsets = {0, 3, 5};  // 9 + 4 pairs
  std::vector<float> q(5 * 8), k(5 * 4), v(5 * 6), out(5 * 12);
  const auto view = [](std::vector<float>& x, int64_t cols) {
    return View{x.data(), DType::kF32, 5, cols, cols, 5};
  };
  Attention a;
  a.q = view(q, 8), a.k = view(k, 4), a.v = view(v, 6), a.out = view(out, 12);
  a.q_offsets = a.k_offsets = offsets;
  a.heads = 4, a.key_heads = 2;
  profile::start(false);
  ProfiledBackend(ref_backend()).attention(a);
  profile::stop();
  ASSERT_EQ(profile::entries().size(), 1u);
  EXPECT_EQ(profile::entries().front().flop, 2 * 13 * (8 + 12));
}

}  // namespace
}  // namespace weft::kernels
