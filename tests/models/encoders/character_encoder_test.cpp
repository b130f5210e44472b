// Words from their characters, against PyTorch's nn.Embedding and nn.Conv1d. The numbers are
// written by tools/golden/character_cnn.py.
#include "weft/models/encoders/character_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/paths.h"
#include "tests/support/tensors.h"
#include "weft/formats/safetensors.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::models {
namespace {

using testing::ElementsAre;

TEST(CharacterEncoder, GivesTheValuesAndGradientsOfPyTorch) {
  const formats::SafetensorsFile file(test::source_path("tests/golden/character_cnn.safetensors"));
  const auto golden = [&](const std::string& name) { return file.tensor(name).to(DType::kF64); };
  const auto ids = file.tensor("ids").span<int32_t>();
  data::Tokens characters;
  characters.add(ids);
  CharacterOptions options{.features = 4, .dropout = 0};
  options.kind = CharacterCnnOptions{.widths = {3, 5}, .filters = 3};
  nn::RngStreams dropouts;
  CharacterEncoder encoder(options, 9, 6, dropouts);
  const auto named = nn::parameters_of(encoder);
  const Tensor flat = nn::bind(named, DType::kF64);
  for (const auto& [name, p] : named) {
    backend_of(flat)(kernels::Copy{.x = golden(name), .y = p->value});
  }
  autograd::Tape tape;
  nn::Context context{.tape = &tape};
  const ops::LayoutPtr words = ops::make_layout({{0, 3}});
  const Tensor found = encoder({.ids = ops::make_ids(characters.ids),
                                .characters = rows_of_words(characters, 0),
                                .words = words},
                               context);  // [W, D]
  EXPECT_LT(test::distance(found, golden("words")), 1e-6);
  autograd::Gradients gradients(flat);
  tape.backward(found, golden("weights"), gradients);
  for (const auto& [name, p] : named) {
    EXPECT_LT(test::distance(gradients.of(p->value), golden("grad." + name)), 1e-6) << name;
  }
}

TEST(RowsOfWords, EndWithTheEndSymbolAndCountTheWordsOfEachExample) {
  data::Tokens characters;
  characters.add(std::vector<int32_t>{2, 5, 0, 2, 0});
  characters.add(std::vector<int32_t>{2, 7, 7, 0});
  characters.segments.first = 3;
  const ops::LayoutPtr rows = rows_of_words(characters, 0);
  EXPECT_THAT(rows->segments.offsets, ElementsAre(0, 3, 5, 9));
  EXPECT_THAT(rows->position, ElementsAre(0, 1, 2, 0, 1, 0, 1, 2, 3));
  // An example's dropout is the same in whatever batch it is.
  data::Tokens second;
  second.add(characters[1]);
  second.segments.first = 4;
  const ops::LayoutPtr alone = rows_of_words(second, 0);
  EXPECT_EQ(alone->sequence[0], rows->sequence[5]);
  EXPECT_NE(rows->sequence[0], rows->sequence[3]);
}

}  // namespace
}  // namespace weft::models
