// Marian models against Transformers: tools/golden/marian.py made the folders in tests/golden.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/support/options.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "weft/core/error.h"
#include "weft/data/text/mapped_tokeniser.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/data/text/sentencepiece.h"
#include "weft/formats/safetensors.h"
#include "weft/model_file/hugging_face/folder.h"
#include "weft/model_file/translator.h"

namespace weft::model_file {
namespace {

using testing::HasSubstr;

const std::string kGolden = test::source_path("tests/golden/");

TranslatorSession read_marian(const std::string& folder) {
  return HuggingFaceModel(folder).load<TranslatorSession>();
}

// A new model with these vocabularies is unchanged after a round trip through the folder.
void expect_to_come_back(const std::vector<data::TokeniserPtr>& tokenisers,
                         const models::Seq2SeqOptions& options) {
  const test::Scratch folder;
  TranslatorSession session = new_translator(options, tokenisers, 1);
  write_hugging_face(folder.path("hf"), session);
  TranslatorSession again = read_marian(folder.path("hf"));
  save(folder.path("one"), session, session.parameters);
  save(folder.path("two"), again, again.parameters);
  EXPECT_TRUE(test::read_bytes(folder.path("one")) == test::read_bytes(folder.path("two")));
}

models::Seq2SeqOptions one_layer() {
  models::Seq2SeqOptions out;
  out.encoder.enc_depth = out.decoder.dec_depth = 1;
  out.encoder.dim_emb = 7;
  out.encoder.transformer.attention.heads = 1;
  out.encoder.transformer.feed_forward.inner = 5;
  return out;
}

TEST(MarianFolder, KeepsEveryKindOfVocabulary) {
  const models::Seq2SeqOptions apart = one_layer();
  models::Seq2SeqOptions tied = apart;
  tied.tied_embeddings_all = true;
  tied.decoder.output_bias = false;
  const auto subwords = [](int64_t size) {
    const std::vector<std::string> lines = {"one two three", "a quick test of all", "two by two"};
    return data::load_sentencepiece(data::train_sentencepiece(lines, {.size = size}, "test"), "");
  };
  const auto words = [](std::vector<std::string> tokens) {
    return data::make_plain_tokeniser(data::Vocabulary(std::move(tokens), "test"));
  };
  const auto joint = subwords(25);
  const data::TokeniserPtr mapped = std::make_shared<data::MappedTokeniser>(
      joint, data::Vocabulary({"\xE2\x96\x81two", "</s>", "a", "<unk>", "<pad>"}, "test"));
  expect_to_come_back({joint, joint}, tied);
  expect_to_come_back({subwords(24), subwords(27)}, apart);
  expect_to_come_back({words({"a", "b"}), words({"a", "b", "c"})}, apart);
  expect_to_come_back({words({"a", " "}), words({"x"})}, apart);
  expect_to_come_back({mapped, mapped}, tied);
}

TEST(MarianFolder, NamesActivationsAsTransformersDoes) {
  const test::Scratch folder;
  TranslatorSession session = read_marian(kGolden + "marian_shared");
  test::set(session.model.options, "--transformer-ffn-activation gelu-tanh");
  write_hugging_face(folder.path("new"), session);
  const TranslatorSession read = read_marian(folder.path("new"));
  EXPECT_EQ(read.model.options.encoder.transformer.feed_forward.activation.name(), "gelu-tanh");
  EXPECT_THAT(test::read_bytes(folder.path("new/config.json")), HasSubstr("\"gelu_pytorch_tanh\""));
}

// A copy of a golden folder for a test to modify.
class DamagedMarian : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::copy(kGolden + "marian_shared", folder_.folder(),
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::overwrite_existing);
  }
  void set(const char* field, const nlohmann::json& value) const {
    auto config = nlohmann::json::parse(test::read_bytes(folder_.path("config.json")));
    config[field] = value;
    folder_.file("config.json", config.dump());
  }
  // Writes the weights anew, changed by `change`.
  template <class Change>
  void rewrite(Change change) const {
    const std::string path = folder_.path("model.safetensors");
    std::map<std::string, Tensor> tensors;
    {
      const formats::SafetensorsFile file(path);
      for (const std::string& name : file.names()) tensors[name] = file.tensor(name).clone();
    }
    change(tensors);
    formats::save_safetensors(path, {tensors.begin(), tensors.end()});
  }
  std::string message() const {
    try {
      read_marian(folder_.folder());
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  test::Scratch folder_;
};

TEST_F(DamagedMarian, ReportsTheField) {
  const std::tuple<const char*, nlohmann::json, const char*> cases[] = {
      {"normalize_before", true, "'normalize_before' is not supported as true"},
      {"model_type", "bart", "'model_type' is not supported as \"bart\"; expected marian"},
      {"activation_function", "tanh",
       "'activation_function' is not supported as \"tanh\"; expected relu, gelu, "
       "gelu_pytorch_tanh, gelu_new, swish, silu"},
      {"d_model", "big", "field 'd_model': dim-emb: expected a whole number"},
      {"d_model", 12.5, "field 'd_model': dim-emb: "},
      {"encoder_layers", 0, "field 'encoder_layers': enc-depth: out of range; expected a whole"},
      {"decoder_ffn_dim", 21,
       "'encoder_ffn_dim' 20 and 'decoder_ffn_dim' 21 are not supported; expected equal values"},
      {"eos_token_id", 99, "end id 99 must be below the vocabulary size 15"},
      {"architectures",
       {"MarianModel"},
       "'architectures' is not supported as [\"MarianModel\"]; expected [\"MarianMTModel\"]"},
      {"tie_word_embeddings", 1, "'tie_word_embeddings': expected true or false, got 1"},
      {"tie_word_embeddings", false, "'tie_word_embeddings' is false while"},
      {"rotary_dim", 4, "'rotary_dim' is not supported"},
      {"vocab_size", 16, "'vocab_size' 16 and 'decoder_vocab_size' 15 differ"},
      {"d_model", 13, "contradicting options: --transformer-heads"},
      {"d_model", nullptr, "no field 'd_model'"},
  };
  const std::string before = test::read_bytes(folder_.path("config.json"));
  for (const auto& [field, value, expected] : cases) {
    folder_.file("config.json", before);
    set(field, value);
    EXPECT_THAT(message(), HasSubstr(expected));
    EXPECT_THAT(message(), HasSubstr(folder_.folder()));
  }
}

TEST_F(DamagedMarian, ReadsTheLengthPenalty) {
  EXPECT_EQ(read_marian(folder_.folder()).normalize, 1);
  set("length_penalty", 0.6);
  EXPECT_EQ(read_marian(folder_.folder()).normalize, 0.6);
  folder_.file("generation_config.json", R"({"num_beams": 4})");
  EXPECT_EQ(read_marian(folder_.folder()).normalize, 0.6);
  folder_.file("generation_config.json", R"({"length_penalty": 0.8})");
  TranslatorSession session = read_marian(folder_.folder());
  EXPECT_EQ(session.normalize, 0.8);
  write_hugging_face(folder_.path("hf"), session);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("hf/generation_config.json")));
  EXPECT_EQ(read_marian(folder_.path("hf")).normalize, 0.8);
  set("length_penalty", -1);
  EXPECT_THAT(message(),
              HasSubstr("config.json: field 'length_penalty': normalize: out of range; expected"));
}

TEST_F(DamagedMarian, ReportsTheTensor) {
  const std::string name = "model.encoder.layers.0.fc1.weight";
  const auto read_after = [&](const auto& change) {
    SetUp();
    rewrite(change);
    return message();
  };
  using Tensors = std::map<std::string, Tensor>;
  EXPECT_THAT(read_after([&](Tensors& all) { all.erase(name); }), HasSubstr("no tensor '" + name));
  EXPECT_THAT(read_after([&](Tensors& all) {
                all[name] = Tensor::zeros({2, 2});
              }),
              HasSubstr("'" + name + "' has the wrong shape; expected [20, 12], got [2, 2]"));
  EXPECT_THAT(read_after([&](Tensors& all) { all["extra"] = Tensor::zeros({1}); }),
              HasSubstr("tensor 'extra' is not part of the model"));
  EXPECT_THAT(read_after([&](Tensors& all) {
                all["lm_head.weight"] = Tensor::zeros({15, 12});
              }),
              HasSubstr("'lm_head.weight' differs from 'model.shared.weight'"));
  const std::string positions = "model.encoder.embed_positions.weight";
  EXPECT_THAT(read_after([&](Tensors& all) {
                all[positions] = Tensor::zeros({4, 12});
              }),
              HasSubstr("is not Marian's sinusoidal encoding"));
}

TEST_F(DamagedMarian, AcceptsRedundantTensors) {
  rewrite([](std::map<std::string, Tensor>& all) {
    all["lm_head.weight"] = all["model.shared.weight"];
    const Tensor table = Tensor::empty({5, 12});
    for (int64_t p = 0; p < 5; ++p) {
      for (int64_t i = 0; i < 6; ++i) {
        const double angle = static_cast<double>(p) / std::pow(10000.0, static_cast<double>(i) / 6);
        table.data<float>()[p * 12 + i] = static_cast<float>(std::sin(angle));
        table.data<float>()[p * 12 + 6 + i] = static_cast<float>(std::cos(angle));
      }
    }
    all["model.encoder.embed_positions.weight"] = table;
  });
  EXPECT_EQ(message(), "no error");
}

TEST_F(DamagedMarian, ReadsShards) {
  const TranslatorSession whole = read_marian(folder_.folder());
  formats::NamedTensors shards[2];
  Json files = Json::object();
  {
    const formats::SafetensorsFile file(folder_.path("model.safetensors"));
    for (const std::string& name : file.names()) {
      const size_t shard = files.size() % 2;
      shards[shard].emplace_back(name, file.tensor(name).clone());
      files[name] = shard == 0 ? "a.safetensors" : "b.safetensors";
    }
  }
  std::filesystem::remove(folder_.path("model.safetensors"));
  formats::save_safetensors(folder_.path("a.safetensors"), shards[0]);
  formats::save_safetensors(folder_.path("b.safetensors"), shards[1]);
  folder_.file("model.safetensors.index.json", Json{{"weight_map", files}}.dump());
  EXPECT_TRUE(test::same_bits(read_marian(folder_.folder()).parameters, whole.parameters));
}

TEST_F(DamagedMarian, ReportsTheToken) {
  folder_.file("vocab.json", R"({"</s>": 0, "<unk>": 1, "a": 1})");
  EXPECT_THAT(message(), HasSubstr("id 1 of \"a\""));
  folder_.file("vocab.json", "[");
  EXPECT_THAT(message(), HasSubstr("not a JSON vocabulary"));
}

TEST_F(DamagedMarian, RefusesSizesThatNoFileHas) {
  const std::tuple<const char*, int64_t, const char*> cases[] = {
      {"encoder_layers", 65536, "enc-depth: out of range; expected a whole number from 1 to 1000"},
      {"encoder_layers", 1000, "no tensor 'model.encoder.layers.2."},
      {"max_position_embeddings", int64_t{1} << 30, "max-positions: out of range"},
  };
  const std::string before = test::read_bytes(folder_.path("config.json"));
  for (const auto& [field, value, expected] : cases) {
    folder_.file("config.json", before);
    set(field, value);
    EXPECT_THAT(message(), HasSubstr(expected));
  }
  folder_.file("config.json", before);
  set("d_model", 49152);  // three heads divide it
  EXPECT_THAT(message(), HasSubstr("'model.shared.weight' has the wrong shape; expected"));
  folder_.file("config.json", before);
  for (const char* side : {"vocab_size", "decoder_vocab_size"}) set(side, 1 << 30);
  EXPECT_THAT(message(),
              HasSubstr("vocab.json: 15 tokens; expected 1073741824, as in config.json"));
}

TEST_F(DamagedMarian, RefusesPipesAndLinkCycles) {
  for (const char* name : {"config.json", "model.safetensors", "vocab.json", "target_vocab.json",
                           "source.spm", "target.spm"}) {
    const std::string path = folder_.path(name);
    SetUp();
    std::filesystem::remove(path);
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    EXPECT_EQ(message(), path + ": is a pipe or a device; expected a regular file");
    std::filesystem::remove(path);
    std::filesystem::create_symlink(name, path);
    EXPECT_EQ(message(), path + ": cannot be opened: Too many levels of symbolic links");
    std::filesystem::remove(path);
  }
}

TEST_F(DamagedMarian, DoesNotTreatPiecesAsWords) {
  std::string vocabulary = test::read_bytes(folder_.path("vocab.json"));
  EXPECT_EQ(message(), "no error");  // words
  const auto json = nlohmann::json::parse(vocabulary);
  auto pieces = nlohmann::json::object();
  for (const auto& [token, id] : json.items()) {
    pieces[token.starts_with("<") ? token : "\xE2\x96\x81" + token] = id;
  }
  folder_.file("vocab.json", pieces.dump());
  const std::string path = folder_.path("source.spm");
  EXPECT_THAT(message(), testing::StartsWith(
                             path + ": no such file, and the vocabulary contains SentencePiece "
                                    "pieces, such as '"));
  EXPECT_THAT(message(), HasSubstr("'; expected source.spm and target.spm"));
  folder_.file("tokenizer.json", "{}");
  EXPECT_THAT(message(), HasSubstr("'; tokenizer.json is not supported; expected source.spm"));
  std::filesystem::remove(folder_.path("vocab.json"));
  EXPECT_EQ(message(),
            folder_.path("vocab.json") +
                ": no such file; tokenizer.json is not supported; expected it, source.spm "
                "and target.spm");
}

TEST_F(DamagedMarian, ExplainsHowToConvertOtherFormats) {
  const std::string weights = folder_.path("model.safetensors");
  std::filesystem::rename(weights, folder_.path("tf_model.h5"));
  EXPECT_THAT(message(), testing::StartsWith(
                             weights + ": no such file, and tf_model.h5 is not supported; hint: "));
  EXPECT_THAT([] { read_marian("Helsinki-NLP/opus-mt-en-it"); },
              testing::ThrowsMessage<FileError>(
                  testing::StartsWith("Helsinki-NLP/opus-mt-en-it: no such folder; hint: save a "
                                      "model of the Hugging Face Hub")));
}

TEST_F(DamagedMarian, RefusesToWriteUnsupportedModels) {
  const std::pair<const char*, void (*)(models::Seq2SeqOptions&)> all[] = {
      {"--transformer-norm",
       [](models::Seq2SeqOptions& o) { test::set(o, "--transformer-norm pre"); }},
      {"--norm-kind", [](models::Seq2SeqOptions& o) { test::set(o, "--norm-kind rms"); }},
      {"--residual-scale",
       [](models::Seq2SeqOptions& o) { o.encoder.transformer.residual_scale = "2"; }},
      {"--tied-layers", [](models::Seq2SeqOptions& o) { o.encoder.transformer.tied_layers = {1}; }},
      {"--position", [](models::Seq2SeqOptions& o) { test::set(o, "--position alibi"); }},
      {"--attention", [](models::Seq2SeqOptions& o) { test::set(o, "--attention local"); }},
      {"--attention-qk-norm",
       [](models::Seq2SeqOptions& o) { test::set(o, "--attention-qk-norm l2"); }},
      {"--attention-activation",
       [](models::Seq2SeqOptions& o) { test::set(o, "--attention-activation relu"); }},
      {"--transformer-key-heads",
       [](models::Seq2SeqOptions& o) { o.encoder.transformer.attention.key_heads = 1; }},
      {"--prune-heads",
       [](models::Seq2SeqOptions& o) { test::set(o, "--prune-heads decoder-cross.1.2"); }},
      {"--transformer-ffn-bias",
       [](models::Seq2SeqOptions& o) { o.encoder.transformer.feed_forward.bias = false; }},
      {"--attention-prior",
       [](models::Seq2SeqOptions& o) { test::set(o, "--attention-prior diagonal"); }},
      {"--generation", [](models::Seq2SeqOptions& o) { test::set(o, "--generation ctc"); }},
  };
  for (const auto& [option, change] : all) {
    TranslatorSession session = read_marian(folder_.folder());
    change(session.model.options);
    try {
      write_hugging_face(folder_.path("new"), session);
      ADD_FAILURE() << option;
    } catch (const OptionError& e) {
      EXPECT_THAT(e.what(), testing::StartsWith(std::string(option) +
                                                ": Marian models in Transformers support only "));
    }
    EXPECT_FALSE(std::filesystem::exists(folder_.path("new")));
    EXPECT_FALSE(std::filesystem::exists(folder_.path("new.partial")));
  }
}

}  // namespace
}  // namespace weft::model_file
