// Options of the model that contradict each other are refused with a reason.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/options.h"
#include "weft/models/seq2seq/seq2seq.h"
#include "weft/options/json.h"

namespace weft::models {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Seq2SeqOptions small() {
  Seq2SeqOptions o;
  o.encoder.enc_depth = o.decoder.dec_depth = 1;
  o.encoder.dim_emb = 12;
  o.encoder.transformer.attention.heads = 4;
  o.encoder.transformer.feed_forward.inner = 8;
  return o;
}

// What the model says of the small one changed so; nothing where it takes it.
template <class Change>
std::string answer(Change change) {
  Seq2SeqOptions options = small();
  try {
    change(options);
    Seq2Seq(options, {.source_vocab = 5, .target_vocab = 5, .begin_id = 1, .end_id = 0});
  } catch (const OptionError& e) {
    return e.what();
  }
  return "";
}

TEST(Seq2SeqOptions, RefusePositionsThatDoNotFit) {
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--position rotary-2d"); }),
              HasSubstr("--position: rotary-2d encodes the row and column of a patch"));
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--position rotary"); }),
              HasSubstr("expected an even size of a head's keys, got 3"));
  EXPECT_EQ(answer([](auto& o) {
              test::set(o, "--position rotary"), o.encoder.transformer.attention.key_size = 4;
            }),
            "");
  EXPECT_THAT(
      answer([](auto& o) { test::set(o, "--position relative --relative-max-distance 16"); }),
      HasSubstr("--relative-max-distance: expected more than half of --relative-buckets"));
  for (const std::string position : {"rotary", "relative", "alibi"}) {
    EXPECT_THAT(answer([&](auto& o) {
                  o = {}, test::set(o, "--type cnn"),
                  test::set(o, fmt::format("--position {}", position));
                }),
                HasSubstr("--position: " + position +
                          " acts in self-attention, which --type cnn has none of; expected none, "
                          "index, sinusoidal or learned"));
  }
  for (const char* position : {"none", "index", "sinusoidal", "learned"}) {
    EXPECT_EQ(answer([&](auto& o) {
                o = {}, test::set(o, "--type cnn"),
                test::set(o, fmt::format("--position {}", position));
              }),
              "");
  }
}

TEST(Seq2SeqOptions, RefuseSymbolsThatTheVocabularyHasNot) {
  const auto make = [](int64_t begin, int64_t end) {
    Seq2Seq(small(), {.source_vocab = 9, .target_vocab = 5, .begin_id = begin, .end_id = end});
  };
  EXPECT_NO_THROW(make(4, 4));
  EXPECT_THAT([&] { make(5, 0); },
              ThrowsMessage<OptionError>(
                  HasSubstr("model: begin id 5 and end id 0 must be below the vocabulary size 5")));
  EXPECT_THAT([&] { make(1, 5); },
              ThrowsMessage<OptionError>(
                  HasSubstr("model: begin id 1 and end id 5 must be below the vocabulary size 5")));
}

TEST(Seq2SeqOptions, RefuseWhatBelongsToOtherPositions) {
  EXPECT_THAT(
      answer([](auto& o) { test::set(o, "--rotary-base 500000"); }),
      HasSubstr(
          "--rotary-base: belongs to --position rotary or rotary-2d; got it with sinusoidal"));
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--position-scale 2"); }),
              HasSubstr("--position-scale: belongs to --position index"));
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--relative-buckets 8"); }),
              HasSubstr("--relative-buckets: belongs to --position relative"));
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--relative-max-distance 64"); }),
              HasSubstr("--relative-max-distance: belongs to --position relative"));
  EXPECT_EQ(answer([](auto& o) { test::set(o, "--position index --position-scale 2"); }), "");
}

TEST(Seq2SeqOptions, RefuseTheWidthOfNoPrior) {
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--attention-prior-width 2"); }),
              HasSubstr("--attention-prior-width: belongs to --attention-prior diagonal or "
                        "monotonic; got it with none"));
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--attention-prior-ratio 2"); }),
              HasSubstr("--attention-prior-ratio: belongs to --attention-prior diagonal or "
                        "monotonic; got it with none"));
  EXPECT_EQ(answer([](auto& o) {
              test::set(o, "--attention-prior monotonic --attention-prior-width 2");
            }),
            "");
}

TEST(Seq2SeqOptions, RefuseWhatBelongsToAnotherKindOfAttention) {
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--attention local"); }),
              HasSubstr("--attention: local needs --attention-window; expected at least 1"));
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--attention block-sparse"); }),
              HasSubstr("block-sparse needs --attention-block"));
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--attention-window 3"); }),
              HasSubstr("--attention-window: belongs to --attention local; got it with full"));
  EXPECT_THAT(answer([](auto& o) {
                test::set(o, "--attention local --attention-window 3 --attention-global 1");
              }),
              HasSubstr("--attention-global: belongs to --attention block-sparse"));
  EXPECT_THAT(answer([](auto& o) { o.encoder.transformer.attention.key_heads = 3; }),
              HasSubstr("--transformer-key-heads: 3 heads of keys do not divide"));
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--attention linear --attention-window 3"); }),
              HasSubstr("--attention-window: belongs to --attention local; got it with linear"));
  EXPECT_THAT(
      answer([](auto& o) { test::set(o, "--attention linear --attention-activation relu"); }),
      HasSubstr("--attention-activation: --attention linear forms no scores"));
  EXPECT_THAT(
      answer([](auto& o) {
        test::set(o, "--attention linear-unnormalised"),
            o.encoder.transformer.attention.dropout = 0.1;
      }),
      HasSubstr(
          "--transformer-dropout-attention: --attention linear-unnormalised forms no weights"));
  for (const char* option :
       {"attention-activation relu", "transformer-dropout-attention 0.1", "transformer-key-heads 1",
        "attention-qk-norm l2", "position alibi", "position rotary"}) {
    const std::string name = std::string(option).substr(0, std::string(option).find(' '));
    EXPECT_THAT(answer([&](auto& o) {
                  test::set(o, fmt::format("--attention average --{}", option));
                  o.encoder.transformer.attention.key_size = 4;
                }),
                HasSubstr(fmt::format("--{}: --attention average ", name)));
  }
  EXPECT_THAT(answer([](auto& o) {
                o.encoder.transformer.attention.key_heads = 1,
                o.encoder.transformer.attention.value_size = 1;
              }),
              HasSubstr("--transformer-key-heads: one head of keys and values"));
  EXPECT_EQ(answer([](auto& o) {
              o.encoder.transformer.attention.key_heads = 1,
              o.encoder.transformer.attention.value_size = 2;
            }),
            "");
  EXPECT_THAT(answer([](auto& o) {
                test::set(o, "--attention linear"), o.encoder.transformer.attention.key_heads = 2;
              }),
              HasSubstr("--transformer-key-heads: --attention linear has a state for each head"));
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--attention linear --position alibi"); }),
              HasSubstr("--position: --attention linear forms no scores to add to"));
  EXPECT_THAT(answer([](auto& o) {
                test::set(o, "--attention linear --position rotary"),
                    o.encoder.transformer.attention.key_size = 4;
              }),
              HasSubstr("--position: --attention linear has positive queries and keys"));
  EXPECT_EQ(answer([](auto& o) {
              test::set(o, "--attention linear-unnormalised --position rotary"),
                  o.encoder.transformer.attention.key_size = 4;
            }),
            "");
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--attention linear --attention-qk-norm l2"); }),
              HasSubstr("--attention-qk-norm: --attention linear forms no scores to keep small"));
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--attention-in encoder"); }),
              HasSubstr("--attention-in: the other side's attention is full in any case"));
  EXPECT_THAT(
      answer([](auto& o) { test::set(o, "--attention-qk-norm layer"); }),
      HasSubstr("--attention-qk-norm: unknown value; expected one of none, rms, l2, got 'layer'"));
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--attention-activation tanh"); }),
              HasSubstr("--attention-activation: unknown value; expected one of softmax, relu"));
}

TEST(Seq2SeqOptions, RefuseLocalLayersThatDoNotFit) {
  const auto local = [](const char* flags) {
    return answer([&](auto& o) {
      test::set(o, "--attention local --attention-window 3");
      o.encoder.transformer.attention.key_size = 4;
      test::set(o, flags);
    });
  };
  EXPECT_EQ(local("--attention-full-every 2 --attention-full-first 2"), "");
  EXPECT_THAT(local("--attention-full-every 2 --attention-full-first 3"),
              HasSubstr("--attention-full-first: layer 3 is beyond the first 2"));
  EXPECT_THAT(local("--attention-full-first 2"), HasSubstr("--attention-full-first: layer 2"));
  EXPECT_THAT(local("--attention-full-every 2 --tied-layers 1"),
              HasSubstr("--tied-layers: layers that share their weights have one kind"));
  EXPECT_THAT(local("--attention-full-lowest 1 --tied-layers 1"),
              HasSubstr("expected --attention-full-every 0 and --attention-full-lowest 0"));
  EXPECT_EQ(local("--position rotary --rotary-local-base 100 --rotary-local-factor 2"), "");
  EXPECT_THAT(local("--position rotary --rotary-local-base 0.5"),
              HasSubstr("--rotary-local-base: expected 0, or at least 1, got 0.5"));
  EXPECT_THAT(local("--position rotary --rotary-local-factor 2"),
              HasSubstr("--rotary-local-factor: needs --rotary-local-base"));
  EXPECT_THAT(answer([](auto& o) {
                test::set(o, "--position rotary --rotary-local-base 100");
                o.encoder.transformer.attention.key_size = 4;
              }),
              HasSubstr("--rotary-local-base: rotates the local layers of --attention local; "
                        "expected 0 with full"));
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--attention-full-every 2"); }),
              HasSubstr("--attention-full-every: belongs to --attention local; got it with full"));
}

TEST(Seq2SeqOptions, RefuseToLeaveOutNormsThatAreNotFirst) {
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--transformer-first-norm false"); }),
              HasSubstr("--transformer-first-norm: post norms are after the sublayers"));
  EXPECT_THAT(answer([](auto& o) {
                test::set(o,
                          "--transformer-first-norm false --transformer-norm pre "
                          "--tied-layers 1");
              }),
              HasSubstr("--tied-layers: layers that share the first one's weights"));
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--norm-kind rms --norm-bias false"); }),
              HasSubstr("--norm-bias: belongs to --norm-kind layer; got it with rms"));
}

TEST(Seq2SeqOptions, RefuseASoftCapOfNoScores) {
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--attention linear --attention-soft-cap 5"); }),
              HasSubstr("--attention-soft-cap: --attention linear forms no scores"));
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--attention-soft-cap 1e-9"); }),
              HasSubstr("--attention-soft-cap: expected a number from 1e-06 to 1000000, or 0"));
}

TEST(Seq2SeqOptions, RefuseWhatLinformersAndSynthesizersCannotDo) {
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--attention linformer --attention-keys 4"); }),
              HasSubstr("--attention-in: --attention linformer mixes keys of whole sequences"));
  const auto linformer = [](auto& o) {
    test::set(o, "--attention linformer --attention-keys 4 --attention-in encoder");
  };
  EXPECT_EQ(answer(linformer), "");
  EXPECT_THAT(answer([&](auto& o) { linformer(o), test::set(o, "--attention-keys 0"); }),
              HasSubstr("--attention: linformer needs --attention-keys; expected at least 1"));
  EXPECT_THAT(answer([&](auto& o) { linformer(o), test::set(o, "--position alibi"); }),
              HasSubstr("--position: --attention linformer scores mixtures of rows"));
  EXPECT_THAT(answer([&](auto& o) {
                linformer(o), test::set(o, "--position rotary"),
                    o.encoder.transformer.attention.key_size = 4;
              }),
              HasSubstr("--position: --attention linformer mixes keys, each of which is rotated"));
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--attention-keys 4"); }),
              HasSubstr("--attention-keys: belongs to --attention linformer; got it with full"));
  EXPECT_THAT(answer([](auto& o) {
                test::set(o, "--attention synthesizer-dense --attention-qk-norm rms");
              }),
              HasSubstr("--attention-qk-norm: --attention synthesizer-dense forms no products"));
  EXPECT_THAT(answer([](auto& o) {
                test::set(o, "--attention synthesizer-random --position rotary"),
                    o.encoder.transformer.attention.key_size = 4;
              }),
              HasSubstr("--position: --attention synthesizer-random has no queries and keys"));
}

TEST(Seq2SeqOptions, RefuseWhatClustersAndSortedBlocksCannotDo) {
  const auto clustered = [](auto& o) {
    test::set(o, "--attention clustered --attention-clusters 3");
  };
  EXPECT_EQ(answer(clustered), "");
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--attention clustered"); }),
              HasSubstr("--attention: clustered needs --attention-clusters"));
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--attention-clusters 2"); }),
              HasSubstr("--attention-clusters: belongs to --attention clustered"));
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--attention-clustering hash"); }),
              HasSubstr("--attention-clustering: belongs to --attention clustered; got it with"));
  EXPECT_THAT(answer([&](auto& o) { clustered(o), test::set(o, "--attention-clustering hash"); }),
              HasSubstr("--attention-clusters: hashing has a bucket on both sides"));
  EXPECT_THAT(answer([&](auto& o) { clustered(o), test::set(o, "--attention-rounds 2"); }),
              HasSubstr("--attention-rounds: belongs to --attention-clustering hash"));
  EXPECT_THAT(answer([&](auto& o) { clustered(o), o.encoder.transformer.attention.key_heads = 2; }),
              HasSubstr("--transformer-key-heads: --attention clustered has keys that are"));
  EXPECT_THAT(answer([&](auto& o) { clustered(o), test::set(o, "--attention-qk-norm l2"); }),
              HasSubstr("--attention-qk-norm: --attention clustered norms its keys in any case"));
  EXPECT_THAT(answer([&](auto& o) { clustered(o), test::set(o, "--position alibi"); }),
              HasSubstr("--position: --attention clustered groups rows, whose distances"));
  EXPECT_THAT(answer([&](auto& o) {
                clustered(o), test::set(o, "--position rotary"),
                    o.encoder.transformer.attention.key_size = 4;
              }),
              HasSubstr("--position: --attention clustered groups rows by what they are"));
  for (const char* name : {"relu", "relu2", "sigmoid"}) {
    EXPECT_THAT(answer([&](auto& o) {
                  clustered(o), test::set(o, fmt::format("--attention-activation {}", name));
                }),
                HasSubstr("--attention-activation: --attention clustered hides a row from itself"));
  }
  EXPECT_EQ(answer([&](auto& o) { clustered(o), test::set(o, "--attention-activation entmax15"); }),
            "");
  const auto sinkhorn = [](auto& o) {
    test::set(o, "--attention sinkhorn --attention-block 3 --attention-in encoder");
  };
  EXPECT_EQ(answer(sinkhorn), "");
  EXPECT_THAT(answer([&](auto& o) { sinkhorn(o), test::set(o, "--attention-in decoder"); }),
              HasSubstr("--attention-in: --attention sinkhorn sorts by means of whole blocks"));
  EXPECT_EQ(answer([&](auto& o) {
              sinkhorn(o), test::set(o, "--attention-in all --generation mask-predict");
            }),
            "");
  EXPECT_THAT(answer([&](auto& o) { sinkhorn(o), test::set(o, "--attention-block 0"); }),
              HasSubstr("--attention: sinkhorn needs --attention-block"));
  EXPECT_THAT(
      answer([&](auto& o) { sinkhorn(o), o.encoder.transformer.attention.key_heads = 2; }),
      HasSubstr("--transformer-key-heads: --attention sinkhorn sorts the keys of each head"));
  EXPECT_THAT(answer([&](auto& o) { sinkhorn(o), test::set(o, "--position relative"); }),
              HasSubstr("--position: --attention sinkhorn sorts blocks, whose distances"));
  EXPECT_THAT(answer([&](auto& o) {
                sinkhorn(o), test::set(o, "--position rotary"),
                    o.encoder.transformer.attention.key_size = 4;
              }),
              HasSubstr("--position: --attention sinkhorn mixes keys"));
  EXPECT_THAT(answer([](auto& o) { test::set(o, "--attention-sorting-steps 3"); }),
              HasSubstr("--attention-sorting-steps: belongs to --attention sinkhorn; got it with"));
}

// As the first release wrote it, of a model with --norm-kind batch and --position relative: files
// of equal models have equal bytes.
TEST(Seq2SeqOptions, StandInFilesAsTheyAlwaysDid) {
  const std::string text =
      R"({"type":"transformer","enc-depth":1,"dec-depth":1,"dim-emb":8,"transformer-heads":2,)"
      R"("transformer-dim-ffn":16,"transformer-dim-key":0,"transformer-dim-value":0,)"
      R"("attention-scale":0.0,"transformer-ffn-activation":"relu",)"
      R"("transformer-ffn-gated":false,"attention-bias":true,"output-bias":true,)"
      R"("transformer-norm":"post","norm-kind":"batch","norm-epsilon":1e-05,)"
      R"("norm-momentum":0.3,"residual-scale":"1","drop-path":0.0,"tied-layers":[],)"
      R"("position":"relative","max-positions":512,"position-scale":1.0,"rotary-base":10000.0,)"
      R"("relative-buckets":8,"relative-max-distance":128,"attention":"full",)"
      R"("attention-window":0,"attention-block":0,"attention-global":0,"attention-keys":0,)"
      R"("attention-clusters":0,"attention-clustering":"centroids","attention-rounds":1,)"
      R"("attention-sorting-steps":5,"attention-in":"all","attention-qk-norm":"none",)"
      R"("attention-activation":"softmax","transformer-key-heads":0,"attention-prior":"none",)"
      R"("attention-prior-width":3.0,"attention-prior-ratio":1.0,"tied-embeddings":false,)"
      R"("tied-embeddings-all":false,"transformer-dropout":0.1,)"
      R"("transformer-dropout-attention":0.0,"transformer-dropout-ffn":0.0,"rnn-cell":"lstm",)"
      R"("rnn-attention":"bahdanau","rnn-input-feeding":false,"enc-type":"auto",)"
      R"("dropout-rnn":0.1,"cnn-width":3,"generation":"left-to-right",)"
      R"("length-from":"classifier","length-difference":32,"length-ratio":1.5,)"
      R"("length-offset":5,"ctc-upsampling":2})";
  const auto options = options::options_from_json<Seq2SeqOptions>(text, "model");
  EXPECT_EQ(options.encoder.transformer.norm.kind.get<nn::BatchNormOptions>().momentum, 0.3);
  EXPECT_TRUE(options.encoder.transformer.norm.kind.is<nn::BatchNormOptions>());
  EXPECT_EQ(options.encoder.position.kind.get<nn::RelativePositionOptions>().buckets, 8);
  EXPECT_EQ(options::options_to_json(options), text);
}

// What later versions added stands in the files of models that use it.
TEST(Seq2SeqOptions, StandInFilesWhereTheyAreUsed) {
  for (const char* const flags :
       {"--transformer-ffn-bias false", "--attention-key-bias false",
        "--attention-output-bias false", "--attention-query-bias false",
        "--attention-value-bias false", "--norm-bias false",
        "--transformer-norm pre --transformer-first-norm false", "--attention-soft-cap 50",
        "--output-soft-cap 30",
        "--attention local --attention-full-every 6 --attention-full-first 6",
        "--position rotary --rotary-local-base 100 --rotary-local-factor 2",
        "--position rotary --rotary-scaling linear",
        "--position rotary --rotary-scaling ntk --rotary-factor 3",
        "--position rotary --rotary-scaling yarn --rotary-factor 4 --rotary-trained-positions 64 "
        "--rotary-beta-fast 16 --rotary-beta-slow 2 --rotary-magnitude 1.5",
        "--position rotary-2d --rotary-scaling llama3 --rotary-factor 8 --rotary-low-factor 2 "
        "--rotary-high-factor 3"}) {
    Seq2SeqOptions o;
    test::set(o, flags);
    const std::string text = options::options_to_json(o);
    EXPECT_NE(text, options::options_to_json(Seq2SeqOptions())) << flags;
    const auto back = options::options_from_json<Seq2SeqOptions>(text, "model");
    EXPECT_EQ(options::options_to_json(back), text) << flags;
    std::istringstream words(flags);
    for (std::string word; words >> word;) {
      if (!word.starts_with("--")) continue;
      EXPECT_THAT(text, HasSubstr('"' + word.substr(2) + '"'));
    }
  }
}

}  // namespace
}  // namespace weft::models
