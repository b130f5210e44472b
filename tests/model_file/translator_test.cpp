#include "weft/model_file/translator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/captured_log.h"
#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "weft/data/text/vocabulary.h"
#include "weft/formats/safetensors.h"
#include "weft/tensor/quantise.h"

namespace weft::model_file {
namespace {

using test::Scratch;

data::TokeniserPtr vocabulary(const Scratch& folder, const char* name, const char* words) {
  return data::load_tokeniser_file(folder.file(name, std::string("</s>\n<unk>\n<s>\n") + words));
}

models::Seq2SeqOptions small() {
  models::Seq2SeqOptions o;
  o.encoder.enc_depth = o.decoder.dec_depth = 1;
  o.encoder.dim_emb = 8;
  o.encoder.transformer.attention.heads = 2;
  o.encoder.transformer.feed_forward.inner = 16;
  return o;
}

class Seq2SeqFile : public testing::Test {
 protected:
  Seq2SeqFile()
      : path_(folder_.path("model.safetensors")),
        session_(new_translator(small(),
                                {vocabulary(folder_, "a.txt", "one\ntwo\n"),
                                 vocabulary(folder_, "b.txt", "uno\ndue\ntre\n")},
                                7)) {
    save(path_, session_, session_.parameters);
  }
  std::string load_error() const {
    try {
      load<TranslatorSession>(path_);
    } catch (const FormatError& error) {
      return error.what();
    }
    return "no error";
  }
  // Writes the file again with other tensors or metadata.
  template <class Edit>
  void rewrite(Edit edit, formats::WithChecksum with_checksum = formats::WithChecksum::kYes) const {
    formats::NamedTensors tensors;
    const formats::SafetensorsFile file(path_);
    for (const std::string& name : file.names())
      tensors.emplace_back(name, file.tensor(name).clone());
    auto metadata = file.metadata();
    edit(tensors, metadata);
    formats::save_safetensors(path_, tensors, metadata, file.aliases(), with_checksum);
  }

  Scratch folder_;
  std::string path_;
  TranslatorSession session_;
};

TEST_F(Seq2SeqFile, RoundTrips) {
  const TranslatorSession loaded = load<TranslatorSession>(path_);
  ASSERT_EQ(loaded.parameters.size(), session_.parameters.size());
  EXPECT_EQ(std::memcmp(loaded.parameters.bytes(), session_.parameters.bytes(),
                        static_cast<size_t>(loaded.parameters.size()) * 4),
            0);
  EXPECT_EQ(loaded.source().encode("one two"), session_.source().encode("one two"));
  EXPECT_EQ(loaded.target().encode("tre uno"), session_.target().encode("tre uno"));
  EXPECT_EQ(loaded.model.options.encoder.transformer.feed_forward.inner, 16);
}

TEST_F(Seq2SeqFile, KeepsTheLengthPenalty) {
  EXPECT_EQ(load<TranslatorSession>(path_).normalize, 1);
  session_.normalize = 0.6;
  save(path_, session_, session_.parameters);
  const TranslatorSession loaded = load<TranslatorSession>(path_);
  EXPECT_EQ(loaded.normalize, 0.6);
  save_rounded(path_, loaded, Precision::kInt8);
  EXPECT_EQ(load_packed<TranslatorSession>(path_, Precision::kStored).normalize, 0.6);
}

TEST_F(Seq2SeqFile, IsUsedInPlace) {
  const TranslatorSession loaded = load<TranslatorSession>(path_);
  const std::byte* begin = loaded.parameters.bytes();
  EXPECT_EQ(loaded.model.source.table.value.bytes(), begin);
  save(folder_.path("again.safetensors"), session_, loaded.parameters);
  EXPECT_TRUE(test::read_bytes(path_) == test::read_bytes(folder_.path("again.safetensors")));
}

TEST_F(Seq2SeqFile, KeepsOneCopyOfASharedVocabulary) {
  models::Seq2SeqOptions tied = small();
  tied.tied_embeddings_all = true;
  const auto shared = vocabulary(folder_, "c.txt", "one\nuno\n");
  TranslatorSession session = new_translator(tied, {shared, shared}, 1);
  save(path_, session, session.parameters);
  EXPECT_EQ(formats::SafetensorsFile(path_).aliases().at("vocab.target"), "vocab.source");
  const TranslatorSession loaded = load<TranslatorSession>(path_);
  EXPECT_EQ(loaded.target().size(), 5);
}

TEST_F(Seq2SeqFile, HasNoInt4) {
  EXPECT_EQ(
      test::message_of<OptionError>([&] { save_rounded(path_, session_, Precision::kInt4); }),
      "--precision: a model of type 'seq2seq' has no int4; expected int8, bfloat16 or float32");
  EXPECT_THROW(load_packed<TranslatorSession>(path_, Precision::kInt4), OptionError);
}

TEST_F(Seq2SeqFile, IsRoundedAndConvertedBack) {
  const auto& exact = session_.model.source.table.value;
  for (const auto& [precision, type] :
       {std::pair(Precision::kInt8, DType::kI8), std::pair(Precision::kBFloat16, DType::kBF16),
        std::pair(Precision::kFloat32, DType::kF32)}) {
    const std::string rounded = folder_.path("rounded.safetensors");
    save_rounded(rounded, session_, precision);
    const TranslatorSession packed = load_packed<TranslatorSession>(rounded, Precision::kStored);
    EXPECT_EQ(packed.model.source.table.packed.type(), kernels::PackedType(type));
    EXPECT_FALSE(packed.model.source.table.value);
    EXPECT_EQ(load_packed<TranslatorSession>(rounded, Precision::kFloat32)
                  .model.source.table.packed.type(),
              kernels::PackedType(DType::kF32));
    EXPECT_EQ(load_packed<TranslatorSession>(path_, precision).model.source.table.packed.type(),
              kernels::PackedType(type));
    const TranslatorSession converted = load<TranslatorSession>(rounded);
    const Tensor expected =
        type == DType::kI8 ? dequantise_rows(quantise_rows(exact)) : exact.to(type).to(DType::kF32);
    EXPECT_TRUE(test::same_bits(converted.model.source.table.value, expected));
    EXPECT_TRUE(test::same_bits(converted.model.decoder.output_bias.value,
                                session_.model.decoder.output_bias.value));
    EXPECT_TRUE(test::same_bits(packed.model.decoder.output_bias.value,
                                session_.model.decoder.output_bias.value));
  }
}

TEST_F(Seq2SeqFile, ReportsScalesThatAreMissingOrOfTheWrongShape) {
  save_rounded(path_, session_, Precision::kInt8);
  rewrite([](auto& tensors, auto&) {
    for (auto& [name, tensor] : tensors) {
      if (name == "model.encoder.layers.0.fc2.weight.scales") tensor = Tensor::zeros({3});
    }
  });
  EXPECT_THAT(load_error(),
              testing::HasSubstr("fc2.weight.scales' has the wrong shape; expected [8]"));
  rewrite([](auto& tensors, auto&) {
    std::erase_if(tensors, [](const auto& t) {
      return t.first == "model.encoder.layers.0.fc2.weight.scales";
    });
  });
  EXPECT_THAT(load_error(),
              testing::HasSubstr("no tensor 'model.encoder.layers.0.fc2.weight.scales'"));
}

TEST(PrecisionNamed, RefusesOtherNames) {
  EXPECT_EQ(precision_named("int8"), Precision::kInt8);
  EXPECT_THROW(precision_named("int2"), OptionError);
}

TEST_F(Seq2SeqFile, ReportsMissingUnexpectedAndMisshapenTensors) {
  rewrite([](auto& tensors, auto&) { tensors.emplace_back("extra", Tensor::zeros({1})); });
  EXPECT_THAT(load_error(), testing::HasSubstr("tensor 'extra' is not part of the model"));
  rewrite([](auto& tensors, auto&) {
    std::erase_if(tensors, [](const auto& t) {
      return t.first == "extra" || t.first == "model.encoder.layers.0.fc2.weight";
    });
  });
  EXPECT_THAT(load_error(), testing::HasSubstr("no tensor 'model.encoder.layers.0.fc2.weight'"));
  rewrite([](auto& tensors, auto&) {
    tensors.emplace_back("model.encoder.layers.0.fc2.weight", Tensor::zeros({16, 8}));
  });
  EXPECT_THAT(load_error(), testing::HasSubstr("wrong shape; expected [8, 16] F32"));
}

TEST_F(Seq2SeqFile, RefusesOptionsItCannotRead) {
  rewrite([](auto&, auto& metadata) {
    metadata["weft.options"] = "{\"format-version\": 99, \"new-option\": 1}";
  });
  EXPECT_THAT(load_error(), testing::HasSubstr("format version 99"));
  rewrite([](auto&, auto& metadata) { metadata["weft.options"] = "{\"enc-dpeth\": 2}"; });
  EXPECT_THAT(load_error(), testing::HasSubstr("enc-dpeth"));
  rewrite([](auto&, auto& metadata) { metadata.clear(); });
  EXPECT_THAT(load_error(), testing::HasSubstr("expected a model file written by Weft"));
}

// Enables the checks during its lifetime.
struct ChecksModelFiles {
  ChecksModelFiles() { check_model_files(true); }
  ~ChecksModelFiles() { check_model_files(false); }
};

TEST_F(Seq2SeqFile, IsRefusedForAnyChangedByteIfVerified) {
  const ChecksModelFiles checks;
  load<TranslatorSession>(path_);
  for (const Precision precision : {Precision::kFloat32, Precision::kInt8}) {
    save_rounded(path_, session_, precision);
    load_packed<TranslatorSession>(path_, Precision::kStored);
    const std::string whole = test::read_bytes(path_);
    for (size_t i = 0; i < whole.size(); i += 7) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ (1 << i % 8));
      folder_.file("model.safetensors", changed);
      EXPECT_NE(load_error(), "no error") << i;
    }
  }
}

TEST_F(Seq2SeqFile, HasItsChecksumFromFormatVersion2On) {
  const auto none = [](auto&, auto&) {};
  rewrite(none, formats::WithChecksum::kNo);
  EXPECT_THAT(load_error(), testing::HasSubstr(path_ + ": no checksum; expected one in format"));
  rewrite(
      [](auto&, auto& metadata) {
        std::string& options = metadata.at("weft.options");
        const std::string version = "\"format-version\":2";
        options.replace(options.find(version), version.size(), "\"format-version\":1");
      },
      formats::WithChecksum::kNo);
  const test::CapturedLog told;
  EXPECT_EQ(load_error(), "no error");
  EXPECT_EQ(told.text(), "");
  const ChecksModelFiles checks;
  EXPECT_EQ(load_error(), "no error");
  EXPECT_THAT(told.warnings(), testing::HasSubstr(path_ + " has no checksum"));
}

TEST_F(Seq2SeqFile, RefusesOptionsThatContradictEachOtherOrAreOutOfRange) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"transformer-heads": 3})", ": contradicting options: --transformer-heads: 3"},
      {R"({"attention-scale": 1e-300})",
       ": contradicting options: --attention-scale: expected a number from 1e-06"},
      {R"({"attention-scale": 1e9})", ": attention-scale: out of range"},
      {R"({"enc-depth": 65536})", ": enc-depth: out of range"},
      {R"({"enc-depth": 1000, "dec-depth": 1000})", ": no tensor 'model."},
      {R"({"dim-emb": 65536, "transformer-dim-ffn": 1048576})", "has the wrong shape"},
  };
  for (const auto& [options, expected] : cases) {
    rewrite([&](auto&, auto& metadata) {
      auto all = nlohmann::json::parse(metadata["weft.options"]);
      all.update(nlohmann::json::parse(options));
      metadata["weft.options"] = all.dump();
    });
    EXPECT_THAT(load_error(), testing::StartsWith(path_));
    EXPECT_THAT(load_error(), testing::HasSubstr(expected));
    save(path_, session_, session_.parameters);
  }
}

TEST_F(Seq2SeqFile, RefusesVocabulariesOfAnotherSize) {
  rewrite([&](auto& tensors, auto&) {
    for (auto& [name, tensor] : tensors) {
      if (name != "vocab.source") continue;
      const std::string bytes = session_.target().serialise();
      const std::vector<uint8_t> other(bytes.begin(), bytes.end());
      tensor = Tensor::from(other, {static_cast<int64_t>(other.size())});
    }
  });
  EXPECT_THAT(load_error(), testing::HasSubstr("vocabularies of 6 and 6 entries"));
}

TEST_F(Seq2SeqFile, IsOnlyCombinedWithTheSameVocabularies) {
  const auto message = [&](const TranslatorSession& other) -> std::string {
    try {
      check_vocabularies(session_, other, "other.safetensors", "the first model");
    } catch (const OptionError& error) {
      return error.what();
    }
    return "";
  };
  const data::TokeniserPtr source = vocabulary(folder_, "c.txt", "one\ntwo\n");
  const data::TokeniserPtr target = vocabulary(folder_, "d.txt", "uno\ndue\ntre\n");
  TranslatorSession other = new_translator(small(), {source, target}, 8);
  EXPECT_EQ(message(other), "");
  other.model.dims.begin_id = 0;
  EXPECT_EQ(message(other),
            "other.safetensors: its begin or end symbol differs from that of the first model; "
            "expected the same");
  other.model.dims.target_vocab = 7;
  EXPECT_THAT(message(other), testing::HasSubstr("its number of output tokens differs"));
  EXPECT_THAT(message(new_translator(small(), {target, target}, 8)),
              testing::HasSubstr("its source vocabulary differs"));
  EXPECT_THAT(message(new_translator(small(), {source, source}, 8)),
              testing::HasSubstr("its target vocabulary differs"));
}

}  // namespace
}  // namespace weft::model_file
