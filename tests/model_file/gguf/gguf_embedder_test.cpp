// Embedders as GGUF: tools/golden/gguf_encoder.py made the file, with names of llama.cpp's package.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model_file/encoder_folder.h"
#include "tests/support/errors.h"
#include "tests/support/options.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "weft/formats/gguf.h"
#include "weft/formats/gguf_writer.h"
#include "weft/model_file/any_encoder.h"
#include "weft/model_file/gguf/gguf_export.h"
#include "weft/model_file/gguf/gguf_model.h"
#include "weft/model_file/hugging_face/logits.h"

namespace weft::model_file {
namespace {

using formats::GgufType;
using testing::HasSubstr;

std::string golden_embedder() { return test::source_path("tests/golden/encoders/bert/model.gguf"); }

// Of BERT's form; its rows are whole blocks of Q8_0.
const std::string kBertFlags =
    "--dim-emb 32 --enc-depth 1 --transformer-heads 2 --transformer-dim-ffn 64 --position learned "
    "--max-positions 24 --embedding-scale 1 --embedding-norm true --begin-symbol true "
    "--token-types 2 --transformer-ffn-activation gelu --norm-kind layer ";

EmbedderSession read_embedder(const std::string& path) {
  return GgufModel(path).load<EmbedderSession>();
}

TEST(GgufEmbedder, GivesTheVectorsOfSentenceTransformers) {
  const EmbedderSession session = read_embedder(golden_embedder());
  const std::string vectors = test::source_path("tests/golden/encoders/bert/vectors.safetensors");
  EXPECT_LT(largest_logit_difference(session, vectors), 1e-5);
}

TEST(GgufEmbedder, IsTheModelOfTheFolder) {
  const EmbedderSession folder = EncoderFolder("bert").read();
  const EmbedderSession session = read_embedder(golden_embedder());
  EXPECT_TRUE(test::same_bits(session.parameters, folder.parameters));
  EXPECT_EQ(session.max_length, 22);
  for (const char* text : {"a bad dog", "ABC, d\xC3\xA9!", "[MASK] q \xE4\xB8\xAD", ""}) {
    EXPECT_EQ(session.tokeniser->encode(text), folder.tokeniser->encode(text)) << text;
  }
  EXPECT_EQ(kind_of_model(golden_embedder()), "embedder");
}

// Without those of training.
nlohmann::json options_of(const EmbedderSession& session) {
  auto out = nlohmann::json::parse(session.contents().options);
  for (const char* name : {"transformer-dropout", "transformer-dropout-attention"}) out.erase(name);
  return out;
}

TEST(GgufEmbedder, ComesBackToTheByte) {
  const test::Scratch scratch;
  const std::string path = scratch.path("model.gguf"), again = scratch.path("again.gguf");
  EmbedderSession model = EncoderFolder("bert").read();
  for (const char* pooling : {"mean", "first", "last"}) {
    for (const int64_t length : {22, 9}) {
      model.model.options.pooling.select(pooling);
      model.max_length = length;
      model.similarity = length == 9 ? "dot" : "cosine";
      model.model.options.normalise = length != 9;
      if (length == 9) model.prompts = {};
      write_gguf(path, model, GgufType::kF32);
      const EmbedderSession back = read_embedder(path);
      EXPECT_EQ(options_of(back), options_of(model));
      EXPECT_TRUE(test::same_bits(back.parameters, model.parameters));
      write_gguf(again, back, GgufType::kF32);
      EXPECT_EQ(test::read_bytes(again), test::read_bytes(path));
    }
  }
}

// What llama.cpp adds has to be in F32.
TEST(GgufEmbedder, IsRoundedInMatricesOnly) {
  const test::Scratch scratch;
  const std::string path = scratch.path("model.gguf");
  write_gguf(path, EncoderFolder("bert").read(), GgufType::kF16);
  const std::string bytes = test::read_bytes(path);
  for (const auto& tensor : formats::parse_gguf(path, bytes).tensors) {
    const bool is_matrix = tensor.name == "token_embd.weight" ||
                           (tensor.name.starts_with("blk") && tensor.name.ends_with("weight") &&
                            tensor.name.find("norm") == std::string::npos);
    EXPECT_EQ(tensor.type, is_matrix ? GgufType::kF16 : GgufType::kF32) << tensor.name;
  }
}

// Of whole blocks: the matrices are multiplied as they are, and kept in a model file.
TEST(GgufEmbedder, KeepsItsBlocks) {
  models::EmbedderOptions options;
  test::set(options, kBertFlags);
  EmbedderSession model = new_embedder(options, EncoderFolder("bert").read().tokeniser, 1);
  model.max_length = 20;
  const test::Scratch scratch;
  const std::string path = scratch.path("model.gguf"), stored = scratch.path("stored");
  data::Tokens text;
  text.add(model.tokeniser->encode("a bad dog"));
  for (const GgufType type : {GgufType::kQ8_0, GgufType::kQ4_0}) {
    write_gguf(path, model, type);
    GgufModel(path).save_stored<EmbedderSession>(stored);
    const auto direct = load_any_packed<EmbedderSession>(path, Precision::kStored);
    const auto kept = load_any_packed<EmbedderSession>(stored, Precision::kStored);
    const Tensor x = direct.model(text, {}), y = kept.model(text, {}), z = model.model(text, {});
    EXPECT_TRUE(test::same_bits(x, y));
    double cosine = 0;
    for (int64_t i = 0; i < x.size(); ++i) cosine += x.data<float>()[i] * z.data<float>()[i];
    EXPECT_GT(cosine, type == GgufType::kQ8_0 ? 0.999 : 0.97);
    EXPECT_LT(cosine, 0.9999999);
  }
}

TEST(GgufEmbedder, StartsATraining) {
  const PretrainedEncoder encoder = load_encoder(golden_embedder());
  EXPECT_TRUE(test::same_bits(encoder.parameters, EncoderFolder("bert").read().parameters));
}

// The golden file with another field; null: without it.
std::string message_with(const std::string& field, const nlohmann::ordered_json& value) {
  const test::Scratch scratch;
  const std::string bytes = test::read_bytes(golden_embedder());
  formats::GgufContents contents = formats::parse_gguf("golden", bytes);
  contents.metadata[field] = value;
  if (value.is_null()) contents.metadata.erase(field);
  const GgufTensors read(golden_embedder());
  std::vector<formats::GgufTensorToWrite> tensors;
  for (const auto& one : contents.tensors) {
    tensors.push_back({one.name, read.float32(one.name), GgufType::kF32});
  }
  const std::string path = scratch.path("bad.gguf");
  formats::save_gguf(path, contents.metadata, tensors);
  std::string message = test::message_of<FormatError>([&] { read_embedder(path); });
  EXPECT_EQ(message.find(path), 0) << message;
  return message;
}

TEST(GgufEmbedder, RefusesWhatItDoesNotHaveByName) {
  EXPECT_THAT(message_with("bert.pooling_type", 4), HasSubstr("expected 1 (mean)"));
  EXPECT_THAT(message_with("bert.pooling_type", nullptr), HasSubstr("'pooling_type'"));
  EXPECT_THAT(message_with("bert.attention.causal", true), HasSubstr("'attention.causal'"));
  EXPECT_THAT(message_with("bert.unheard_of", 1), HasSubstr("unheard_of"));
  EXPECT_THAT(message_with("bert.max_length", 23), HasSubstr("'max_length': expected 1 to 22"));
  EXPECT_THAT(message_with("bert.block_count", 3), HasSubstr("blk.2"));
  for (const nlohmann::ordered_json& length :
       {nlohmann::ordered_json(1), nlohmann::ordered_json(-5), nlohmann::ordered_json(INT64_MIN),
        nlohmann::ordered_json(UINT64_MAX)}) {
    EXPECT_THAT(message_with("bert.context_length", length), HasSubstr("'context_length'"));
  }
  EXPECT_THAT(message_with("tokenizer.ggml.bos_token_id", nullptr), HasSubstr("no symbols"));
  EXPECT_THAT(message_with("tokenizer.ggml.token_type_count", 7),
              HasSubstr("token_type_count is 7; expected 2, the rows of their table"));
}

TEST(GgufEmbedder, WritesNoModelThatGgufDoesNotHave) {
  const test::Scratch scratch;
  const auto message = [&](const EmbedderSession& session) {
    const std::string path = scratch.path("model.gguf");
    std::string out =
        test::message_of<OptionError>([&] { write_gguf(path, session, GgufType::kF32); });
    EXPECT_TRUE(scratch.names().empty());
    return out;
  };
  for (const char* name : {"roberta", "modernbert"}) {
    EXPECT_THAT(message(EncoderFolder(name).read()), HasSubstr("'BPE'; expected WordPiece"));
  }
  EXPECT_THAT(message(EncoderFolder("xlm_roberta").read()),
              HasSubstr("'Unigram'; expected WordPiece"));
  EXPECT_THAT(message(EncoderFolder("bert_dense").read()), HasSubstr("--dense-sizes"));
  const data::TokeniserPtr tokeniser = EncoderFolder("bert").read().tokeniser;
  const auto message_of_options = [&](const std::string& flags) {
    models::EmbedderOptions options;
    test::set(options, kBertFlags + flags);
    EmbedderSession session = new_embedder(options, tokeniser, 1);
    session.max_length = 20;
    return message(session);
  };
  for (const char* option :
       {"--transformer-norm pre", "--norm-kind rms", "--position sinusoidal", "--embedding-scale 2",
        "--embedding-norm false", "--transformer-ffn-activation relu", "--pooling max",
        "--attention-qk-norm rms"}) {
    const std::string text = option;
    EXPECT_THAT(message_of_options(text), testing::StartsWith(text.substr(0, text.find(' '))));
  }
  EXPECT_THAT(message_of_options("--max-positions 2"), testing::StartsWith("--"));
}

}  // namespace
}  // namespace weft::model_file
