#include "weft/nn/recurrent/decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::nn {
namespace {

std::vector<std::string> names_of(RecurrentDecoder& decoder) {
  std::vector<std::string> out;
  for (const NamedParameter& p : parameters_of(decoder)) out.push_back(p.name);
  return out;
}

TEST(RecurrentDecoder, HasTheParametersOfItsKindAlone) {
  RngStreams dropouts;
  RecurrentDecoder plain({.features = 4, .copies_start = true}, dropouts);
  EXPECT_THAT(names_of(plain), testing::ElementsAre("layers.0.weight_ih", "layers.0.weight_hh",
                                                    "layers.0.bias_ih", "layers.0.bias_hh"));
  RecurrentDecoder attending(
      {.features = 4, .memory_width = 8, .last_size = 8, .attention = SourceAttention::kBahdanau},
      dropouts);
  EXPECT_THAT(names_of(attending),
              testing::IsSupersetOf({"start.0.weight", "attention.score", "attention.key.weight",
                                     "attention.input.weight", "readout.weight"}));
}

}  // namespace
}  // namespace weft::nn
