// Frequencies of scaled rotary positions against those of Transformers
// (tools/golden/rotary_scaling.py).
#include "weft/nn/position/rotary_scaling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/nn/family_golden.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"
#include "weft/nn/position/position.h"

namespace weft::nn {
namespace {

using json = test::Json;
using testing::HasSubstr;

ops::RotaryFrequencies frequencies_of(const json& c) {
  const RotaryDims dims{c.at("base"), c.at("head_size").get<int64_t>() / 2};
  const json& o = c.at("options");
  const std::string kind = c.at("kind");
  if (kind == "linear") return LinearRotaryScaling{o.at("factor")}.frequencies(dims);
  if (kind == "ntk") return NtkRotaryScaling{o.at("factor")}.frequencies(dims);
  if (kind == "llama3") {
    return Llama3RotaryScaling{o.at("factor"), o.at("trained_positions"), o.at("low_factor"),
                               o.at("high_factor")}
        .frequencies(dims);
  }
  YarnRotaryScaling yarn{o.at("factor"), o.at("trained_positions")};
  yarn.beta_fast = o.value("beta_fast", yarn.beta_fast);
  yarn.beta_slow = o.value("beta_slow", yarn.beta_slow);
  yarn.magnitude = o.value("magnitude", yarn.magnitude);
  return yarn.frequencies(dims);
}

TEST(RotaryScaling, HasTheFrequenciesOfTransformers) {
  const json cases = test::golden_numbers("rotary_scaling");
  for (const json& c : cases) {
    SCOPED_TRACE(c.dump());
    const ops::RotaryFrequencies found = frequencies_of(c);
    EXPECT_NEAR(found.magnitude, c.at("magnitude"), 1e-12);
    ASSERT_EQ(found.rates.size(), c.at("rates").size());
    for (size_t f = 0; f < found.rates.size(); ++f) {
      EXPECT_NEAR(found.rates[f] / c.at("rates")[f].get<double>(), 1, 3e-6) << f;  // of floats
    }
  }
}

TEST(RotaryScaling, IsAnOptionOfRotaryPositions) {
  RotaryPositionOptions options;
  options.scaling = LinearRotaryScaling{4};
  const PositionDims dims{.features = 12, .heads = 3, .head_size = 8};
  EXPECT_THAT(options.make(dims).frequencies->rates,
              testing::Pointwise(testing::DoubleEq(),
                                 LinearRotaryScaling{4}.frequencies({10000, 4}).rates));
}

TEST(RotaryScaling, RefusesOptionsThatContradict) {
  const auto message = [](RotaryScalings scaling, double base) {
    PositionOptions position;
    RotaryPositionOptions rotary;
    rotary.base = base;
    rotary.scaling = std::move(scaling);
    position.kind = rotary;
    return test::message_of<OptionError>([&] { position.check(); });
  };
  EXPECT_THAT(message(YarnRotaryScaling{}, 1), HasSubstr("--rotary-base: expected over 1"));
  YarnRotaryScaling yarn;
  yarn.beta_slow = 32;
  EXPECT_THAT(message(yarn, 100), HasSubstr("--rotary-beta-fast: expected over"));
  Llama3RotaryScaling llama;
  llama.high_factor = 1;
  EXPECT_THAT(message(llama, 100), HasSubstr("--rotary-high-factor: expected over"));
}

}  // namespace
}  // namespace weft::nn
