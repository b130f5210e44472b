#include "weft/model_file/masked_lm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model_file/encoder_folder.h"
#include "tests/model_file/small_masked_lm.h"
#include "weft/model_file/any_encoder.h"

namespace weft::model_file {
namespace {

using testing::HasSubstr;

TEST(MaskedLmFile, ComesBackAsItWas) {
  const test::Scratch folder;
  MaskedLmSession session = small_masked_lm("--head-activation relu --output-bias false");
  session.max_length = 5;
  save(folder.path("m"), session, session.parameters);
  const auto loaded = load<MaskedLmSession>(folder.path("m"));
  EXPECT_TRUE(test::same_bits(loaded.parameters, session.parameters));
  EXPECT_EQ(loaded.contents().options, session.contents().options);
  EXPECT_EQ(loaded.max_length, 5);
  EXPECT_EQ(loaded.tokeniser->encode("w1 w2"), session.tokeniser->encode("w1 w2"));
  EXPECT_FALSE(loaded.model.output_bias.is_present());
}

// A vocabulary without a mask symbol gets one more row.
TEST(MaskedLmFile, HasAMaskSymbol) {
  const MaskedLmSession plain = small_masked_lm();
  EXPECT_EQ(plain.model.dims.mask_id, plain.tokeniser->size());
  EXPECT_EQ(plain.model.dims.vocab, plain.tokeniser->size() + 1);
  EXPECT_EQ(plain.mask_text(), "[MASK]");
  const auto read = EncoderFolder("roberta_masked_lm").read<MaskedLmSession>();
  EXPECT_EQ(read.model.dims.mask_id, 4);
  EXPECT_EQ(read.mask_text(), "<mask>");
}

TEST(MaskedLmFile, RefusesWhatDoesNotFit) {
  models::MaskedLmOptions options;
  EXPECT_THAT(test::message_of<OptionError>([&] {
                models::MaskedLm(options, {{.vocab = 8}, 8});
              }),
              HasSubstr("the id 8 of the mask symbol; expected one below the vocabulary size 8"));
}

// By the same rows as the model: the mask symbol's, which is last, is left out.
TEST(MaskedLmFile, GivesItsEncoderToOthers) {
  const test::Scratch folder;
  const MaskedLmSession session = small_masked_lm();
  save(folder.path("m"), session, session.parameters);
  const EmbedderSession embedder = load_any_embedder(folder.path("m"));
  EXPECT_EQ(embedder.model.dims.vocab, session.tokeniser->size());
  EXPECT_EQ(embedder.model.options.pooling.name(), "mean");
  data::Tokens texts;
  std::vector<int32_t> ids = embedder.tokeniser->encode("w1 w2 w3");
  ids.insert(ids.begin(), embedder.tokeniser->begin_id());
  texts.add(ids, embedder.tokeniser->end_id());
  EXPECT_TRUE(test::same_bits(embedder.model.encoder(texts, {}).states,
                              session.model.encoder(texts, {}).states));
  const PretrainedEncoder encoder = load_encoder(folder.path("m"));
  EXPECT_EQ(encoder.encoder.dims.vocab, session.model.dims.vocab);
}

// As published models are: read as what is asked for.
TEST(MaskedLmFile, IsAnEmbedderWhereOneIsAskedFor) {
  const EncoderFolder folder("bert_masked_lm");
  EXPECT_EQ(kind_of_model(folder.path()), "masked-lm");
  EXPECT_EQ(HuggingFaceModel(folder.path(), EmbedderSession::kKind).kind(), "embedder");
  EXPECT_EQ(load_any_embedder(folder.path()).model.options.pooling.name(), "mean");
  EXPECT_EQ(load_encoder(folder.path()).encoder.dims.vocab, 48);
}

TEST(MaskedLmFile, RefusesAnOutputLayerOfItsOwn) {
  const EncoderFolder folder("bert_masked_lm");
  const formats::SafetensorsFile file(folder.path("model.safetensors"));
  formats::NamedTensors tensors;
  for (const std::string& name : file.names()) {
    tensors.emplace_back(name, file.tensor(name).clone());
  }
  tensors.emplace_back("cls.predictions.decoder.weight", Tensor::zeros({48, 16}));
  formats::save_safetensors(folder.path("model.safetensors"), tensors);
  EXPECT_THAT(test::message_of<FormatError>([&] { folder.read<MaskedLmSession>(); }),
              HasSubstr("'cls.predictions.decoder.weight' differs from "
                        "'bert.embeddings.word_embeddings.weight', to which it is tied"));
}

TEST(MaskedLmFile, IsNotWrittenWithoutAMaskSymbol) {
  const EncoderFolder folder("bert_masked_lm");
  auto session = folder.read<MaskedLmSession>();
  session.model.dims.mask_id = session.tokeniser->size();
  EXPECT_THAT(
      test::message_of<OptionError>([&] { write_hugging_face(folder.path("new"), session); }),
      HasSubstr("--to-hf: the tokeniser has no mask symbol"));
}

}  // namespace
}  // namespace weft::model_file
