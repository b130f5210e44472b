// Encoders against sentence-transformers: tools/golden/encoders.py made the folders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "tests/model_file/encoder_folder.h"
#include "tests/support/errors.h"
#include "weft/data/labels/labelled_corpus.h"
#include "weft/model_file/hugging_face/logits.h"

namespace weft::model_file {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kEncoders[] = {"bert",        "bert_dense", "roberta",
                                     "xlm_roberta", "distilbert", "modernbert"};
constexpr const char* kClassifiers[] = {"bert_classifier", "roberta_classifier",
                                        "xlm_roberta_classifier", "distilbert_classifier",
                                        "modernbert_classifier"};
constexpr const char* kTaggers[] = {"bert_tagger", "roberta_tagger", "distilbert_tagger",
                                    "modernbert_tagger"};
constexpr const char* kMaskedLms[] = {"bert_masked_lm", "roberta_masked_lm",
                                      "xlm_roberta_masked_lm", "distilbert_masked_lm",
                                      "modernbert_masked_lm"};

void expect_same_weights(const std::string& path, const std::string& other) {
  const formats::SafetensorsFile x(path), y(other);
  for (const std::string& name : y.names()) {
    if (!x.has(name) && name.starts_with("pooler.")) continue;  // which is not read
    ASSERT_TRUE(x.has(name)) << name;
    ASSERT_EQ(x.shape(name), y.shape(name)) << name;
    const Tensor a = x.tensor(name), b = y.tensor(name);
    EXPECT_EQ(std::memcmp(a.bytes(), b.bytes(), static_cast<size_t>(a.size()) * 4), 0) << name;
  }
}

TEST(Encoders, GiveTheVectorsOfSentenceTransformers) {
  for (const char* name : kEncoders) {
    const EncoderFolder folder(name);
    EXPECT_LT(largest_logit_difference(folder.read(), folder.path("vectors.safetensors")), 1e-5)
        << name;
  }
}

TEST(Encoders, HaveTheWeightsOfTorchSave) {
  const EncoderFolder folder("bert");
  const EmbedderSession expected = folder.read();
  std::filesystem::remove(folder.path("model.safetensors"));
  folder.file("pytorch_model.bin",
              test::read_bytes(test::source_path("tests/golden/torch/bert.bin")));
  EXPECT_TRUE(test::same_bits(folder.read().parameters, expected.parameters));
}

TEST(Encoders, GiveTheLogitsOfTransformers) {
  const auto check = [](const char* name, const auto& session, const EncoderFolder& folder) {
    EXPECT_LT(largest_logit_difference(session, folder.path("logits.safetensors")), 1e-5) << name;
  };
  for (const char* name : kClassifiers) {
    const EncoderFolder folder(name);
    check(name, folder.read<ClassifierSession>(), folder);
  }
  for (const char* name : kTaggers) {
    const EncoderFolder folder(name);
    check(name, folder.read<TaggerSession>(), folder);
  }
  for (const char* name : kMaskedLms) {
    const EncoderFolder folder(name);
    check(name, folder.read<MaskedLmSession>(), folder);
  }
}

// A folder is written as it was read, but for what is not read.
template <class Session>
void expect_round_trip(const char* name) {
  SCOPED_TRACE(name);
  const EncoderFolder folder(name);
  Session session = folder.read<Session>();
  write_hugging_face(folder.path("hf"), session);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path("hf"))) {
    if (entry.path().filename() != "model.safetensors") continue;
    const auto part = std::filesystem::relative(entry.path(), folder.path("hf"));
    expect_same_weights(entry.path().string(), folder.path(part.string()));
  }
  auto again = HuggingFaceModel(folder.path("hf"), Session::kKind).load<Session>();
  EXPECT_EQ(again.contents().options, session.contents().options);
  EXPECT_TRUE(test::same_bits(again.parameters, session.parameters));
  const Json config = Json::parse(test::read_bytes(folder.path("hf/config.json")));
  const Json before = Json::parse(test::read_bytes(folder.path("config.json")));
  EXPECT_EQ(config.at("model_type"), before.at("model_type"));
  EXPECT_EQ(config.at("architectures"), before.at("architectures"));
  const bool has_numbers = before.value("problem_type", Json()) == "regression";
  if (!has_numbers) {
    EXPECT_EQ(config.value("id2label", Json()), before.value("id2label", Json()));
  }
  for (const char* field : {"problem_type", "pad_token_id", "classifier_pooling"}) {
    if (config.contains(field) && before.contains(field)) {
      EXPECT_EQ(config.at(field), before.at(field)) << field;
    }
  }
}

TEST(Encoders, RoundTrip) {
  for (const char* name : kEncoders) expect_round_trip<EmbedderSession>(name);
  for (const char* name : kTaggers) expect_round_trip<TaggerSession>(name);
  for (const char* name : kClassifiers) expect_round_trip<ClassifierSession>(name);
  for (const char* name : kMaskedLms) expect_round_trip<MaskedLmSession>(name);
}

TEST(Encoders, ReadWhatLabelsAre) {
  using testing::ElementsAre;
  const auto one = EncoderFolder("bert_classifier").read<ClassifierSession>();
  EXPECT_TRUE(one.model.options.has_one_label());
  EXPECT_THAT(one.labels().names(), ElementsAre("O", "B-X", "I-X"));
  EXPECT_EQ(one.max_length, 18);
  const auto several = EncoderFolder("roberta_classifier").read<ClassifierSession>();
  EXPECT_EQ(several.model.options.labels.name(), "several");
  const auto numbers = EncoderFolder("distilbert_classifier").read<ClassifierSession>();
  EXPECT_TRUE(numbers.model.options.has_numbers());
  EXPECT_THAT(numbers.labels().names(), ElementsAre("1", "2", "3"));
  EXPECT_THAT(numbers.numbers.deviation, ElementsAre(1, 1, 1));
  EXPECT_THAT(EncoderFolder("modernbert_tagger").read<TaggerSession>().labels().front().names(),
              ElementsAre("O", "B-X", "I-X"));
}

// Word by word as the whole text, although its words begin with a space.
TEST(Encoders, EncodeTheWordsOfTaggers) {
  for (const char* name : kTaggers) {
    const auto session = EncoderFolder(name).read<TaggerSession>();
    ASSERT_TRUE(session.model.options.with_begin());
    const std::vector<std::string_view> words = {"the", "cat", "sat", "the"};
    const data::EncodedText encoded = data::encode_text(
        session.tokeniser(), {.by_word = true, .with_begin = true}, "the cat sat the", words);
    std::vector<int32_t> expected = session.tokeniser().encode("the cat sat the");
    expected.insert(expected.begin(), session.tokeniser().begin_id());
    expected.push_back(session.tokeniser().end_id());
    EXPECT_EQ(encoded.ids, expected) << name;
    EXPECT_EQ(encoded.words.size(), words.size());
  }
}

TEST(Encoders, ReadTheFilesOfSentenceTransformers) {
  const EmbedderSession session = EncoderFolder("bert_dense").read();
  const models::EmbedderOptions& o = session.model.options;
  EXPECT_THAT(o.dense.sizes, ElementsAre(10, 6));
  EXPECT_EQ(o.dense.activation.name(), "tanh");
  EXPECT_TRUE(o.pools_first());
  EXPECT_FALSE(o.normalise);
  EXPECT_EQ(o.encoder.embedding.token_types, 3);
  EXPECT_EQ(session.max_length, 18);
  EXPECT_EQ(*session.prompts.find("query"), "cat: ");
  EXPECT_EQ(session.similarity, "cosine");
}

// As in folders that are no sentence-transformers': a mean of states.
TEST(Encoders, ReadAFolderOfTransformersAlone) {
  const EncoderFolder folder("bert");
  for (const char* name :
       {"modules.json", "sentence_bert_config.json", "config_sentence_transformers.json"}) {
    std::filesystem::remove(folder.path(name));
  }
  const EmbedderSession session = folder.read();
  EXPECT_EQ(session.model.options.pooling.name(), "mean");
  EXPECT_FALSE(session.model.options.normalise);
  EXPECT_TRUE(session.prompts.names.empty());
}

// As published models have them: a head, and names of before.
TEST(Encoders, ReadFoldersOfModelsWithAHead) {
  const EncoderFolder folder("bert");
  const formats::SafetensorsFile file(folder.path("model.safetensors"));
  formats::NamedTensors tensors = {{"cls.predictions.bias", Tensor::zeros({48})}};
  for (const std::string& name : file.names()) {
    std::string there = "bert." + name;
    if (there.ends_with("LayerNorm.weight")) there.replace(there.size() - 6, 6, "gamma");
    if (there.ends_with("LayerNorm.bias")) there.replace(there.size() - 4, 4, "beta");
    tensors.emplace_back(there, file.tensor(name).clone());
  }
  const std::string config = test::read_bytes(folder.path("config.json"));
  Json fields = Json::parse(config);
  fields["architectures"] = {"BertForMaskedLM"};
  folder.file("config.json", fields.dump());
  formats::save_safetensors(folder.path("model.safetensors"), tensors);
  EXPECT_LT(largest_logit_difference(folder.read(), folder.path("vectors.safetensors")), 1e-5);
}

TEST(Encoders, ReadTheVocabularyOfBert) {
  const EncoderFolder folder("bert");
  const EmbedderSession before = folder.read();
  std::string tokens;
  for (int32_t id = 0; id < before.tokeniser->size(); ++id) {
    tokens += std::string(before.tokeniser->piece(id)) + "\n";
  }
  std::filesystem::remove(folder.path("tokenizer.json"));
  EXPECT_THAT(test::message_of<FileError>([&] { folder.read(); }),
              HasSubstr("tokenizer.json: no such file, and no vocab.txt; expected a tokeniser"));
  folder.file("vocab.txt", tokens);
  const EmbedderSession session = folder.read();
  for (const char* text : {"A cat, the CATS!", "mat\tthat", "zz"}) {
    EXPECT_EQ(session.tokeniser->encode(text), before.tokeniser->encode(text)) << text;
  }
  EXPECT_EQ(session.model.dims.begin_id, 2);
  folder.file("vocab.txt", tokens + "##s\n");
  EXPECT_THAT(test::message_of<FormatError>([&] { folder.read(); }),
              HasSubstr("vocab.txt: token '##s' is there twice"));
  folder.file("vocab.txt", tokens + "\xff\n");
  EXPECT_THAT(test::message_of<FormatError>([&] { folder.read(); }),
              HasSubstr("vocab.txt: token 44 is not UTF-8"));
  folder.file("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n");
  EXPECT_THAT(test::message_of<FormatError>([&] { folder.read(); }),
              HasSubstr("no token \"[MASK]\"; expected it, as the mask_token"));
}

TEST(Encoders, ReportTheField) {
  const std::tuple<const char*, const char*, Json, const char*> cases[] = {
      {"config.json", "hidden_act", "tanh", "'hidden_act' is not supported as \"tanh\""},
      {"config.json", "position_embedding_type", "relative_key",
       "'position_embedding_type' is not supported as \"relative_key\"; expected \"absolute\""},
      {"config.json", "is_decoder", true, "'is_decoder' is not supported as true"},
      {"config.json", "new_field", 1, "field 'new_field' is not supported"},
      {"config.json", "type_vocab_size", 1, "token_type_embeddings.weight' has the wrong shape"},
      {"config.json", "vocab_size", 40, "a vocabulary of 44 entries; expected at most 40"},
      {"config.json",
       "architectures",
       {"BertForQuestionAnswering"},
       "'architectures' is not supported as [\"BertForQuestionAnswering\"]; expected "
       "[\"BertModel\"] or [\"BertForMaskedLM\"]"},
      {"1_Pooling/config.json", "pooling_mode", "median",
       "pooling median is not supported; expected one of cls, max, mean"},
      {"1_Pooling/config.json",
       "pooling_mode",
       {"mean", "max"},
       "pooling mean and max is not supported"},
      {"1_Pooling/config.json", "include_prompt", false,
       "'prompts' is not supported together with 'include_prompt' false"},
      {"1_Pooling/config.json", "embedding_dimension", 8,
       "'embedding_dimension' is not supported as 8; expected 16"},
      {"1_Pooling/config.json", "other", true, "field 'other' is not supported"},
      {"2_Dense/config.json", "activation_function", "torch.nn.modules.activation.ELU",
       "'activation_function' is not supported as \"torch.nn.modules.activation.ELU\""},
      {"2_Dense/config.json", "use_residual", true, "'use_residual' is not supported as true"},
      {"2_Dense/config.json", "in_features", 8, "'in_features' is not supported as 8"},
      {"3_Dense/config.json", "bias", false,
       "field 'bias': differs from that of the layer before; expected true in all"},
      {"sentence_bert_config.json", "max_seq_length", 2,
       "'max_seq_length': expected more than the 2 special symbols, got 2"},
      {"sentence_bert_config.json", "do_lower_case", "yes", "expected true or false"},
      {"config_sentence_transformers.json", "prompts", {"a"}, "expected an object of texts"},
      {"config_sentence_transformers.json", "similarity_fn_name", "other", "'similarity_fn_name'"},
      {"config_sentence_transformers.json", "default_prompt_name", "x",
       "default-prompt 'x' is none of its prompts"},
  };
  const EncoderFolder folder("bert_dense");
  for (const auto& [file, field, value, expected] : cases) {
    EXPECT_THAT(folder.message_with(file, field, value), HasSubstr(expected)) << field;
  }
}

TEST(Encoders, ReportTheModule) {
  const EncoderFolder folder("bert_dense");
  const auto message = [&](const Json& modules) {
    folder.file("modules.json", modules.dump());
    return test::message_of<Error>([&] { folder.read(); });
  };
  const auto module = [](const char* type, const char* path) {
    return Json{{"type", type}, {"path", path}};
  };
  const std::string models = "sentence_transformers.models.";
  const Json encoder = module((models + "Transformer").c_str(), "");
  const Json pooling = module((models + "Pooling").c_str(), "1_Pooling");
  EXPECT_THAT(message({{"a", 1}}), HasSubstr("expected a list of 1 to 64 objects"));
  EXPECT_THAT(message(Json::array({pooling})), HasSubstr("module 0 is 'Pooling'; expected"));
  EXPECT_THAT(message({encoder, pooling, module((models + "LSTM").c_str(), "2_LSTM")}),
              HasSubstr("module 2 ('LSTM') is not supported"));
  EXPECT_THAT(message({encoder, pooling, module("custom.Module", "2_X")}),
              HasSubstr("module \"custom.Module\" is not supported"));
  EXPECT_THAT(message({encoder, module((models + "Pooling").c_str(), "../1_Pooling")}),
              HasSubstr("expected the name of a folder"));
  EXPECT_THAT(message(Json::array({encoder})), HasSubstr("module 1 is missing; expected Pooling"));
  const Json dense = module((models + "Dense").c_str(), "2_Dense");
  folder.file("modules.json", Json{encoder, pooling, dense}.dump());
  EXPECT_EQ(folder.read().model.width(), 10);
  std::filesystem::rename(folder.path("2_Dense/model.safetensors"),
                          folder.path("2_Dense/pytorch_model.bin"));
  EXPECT_THAT(message({encoder, pooling, dense}),
              HasSubstr("2_Dense/pytorch_model.bin: no zip archive"));
}

// Those of Weft's models have a mean and a deviation besides, which an output layer there has not.
TEST(Encoders, WriteNumbersAsTheOutputLayerComputesThem) {
  const EncoderFolder folder("distilbert_classifier");
  auto session = folder.read<ClassifierSession>();
  session.numbers = {.mean = {1, -20, 300}, .deviation = {2, 0.5, 40}};
  session.max_length = 1000;  // that training allowed, with fewer positions
  write_hugging_face(folder.path("raw"), session);
  const auto raw =
      HuggingFaceModel(folder.path("raw"), ClassifierSession::kKind).load<ClassifierSession>();
  EXPECT_THAT(raw.numbers.mean, testing::ElementsAre(0, 0, 0));
  EXPECT_EQ(raw.max_length, session.model.options.table_capacity() - 2);
  data::Tokens text;
  text.add(session.text.tokeniser->encode("the cat sat"), session.text.tokeniser->end_id());
  const Tensor before = session.model.logits(text, {}), after = raw.model.logits(text, {});
  for (size_t i = 0; i < 3; ++i) {
    const double number = before.data<float>()[i] * session.numbers.deviation[i];
    EXPECT_NEAR(after.data<float>()[i], number + session.numbers.mean[i], 1e-4) << i;
  }
}

// As of one that is tuned from an embedder.
TEST(Encoders, SayWhatClassifiersOfTransformersHave) {
  const EncoderFolder folder("bert_classifier");
  auto session = folder.read<ClassifierSession>();
  test::set(session.model.options, "--pooling mean --head-activation none");
  EXPECT_EQ(test::message_of<OptionError>([&] { write_hugging_face(folder.path("new"), session); }),
            "--pooling: BERT models in Transformers support only \"first\", got \"mean\"");
}

TEST(Encoders, RefuseToWriteOptionsThatTransformersDoesNotHave) {
  const std::pair<const char*, void (*)(EmbedderSession&)> all[] = {
      {"--pooling", [](EmbedderSession& s) { test::set(s.model.options, "--pooling attention"); }},
      {"--transformer-norm",
       [](EmbedderSession& s) { test::set(s.model.options, "--transformer-norm pre"); }},
      {"--embedding-scale",
       [](EmbedderSession& s) { test::set(s.model.options, "--embedding-scale 2"); }},
  };
  for (const auto& [option, change] : all) {
    const EncoderFolder folder("bert");
    EmbedderSession session = folder.read();
    change(session);
    EXPECT_THAT(
        test::message_of<OptionError>([&] { write_hugging_face(folder.path("new"), session); }),
        testing::StartsWith(option));
  }
}

}  // namespace
}  // namespace weft::model_file
