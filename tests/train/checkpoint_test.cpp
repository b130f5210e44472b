#include "weft/train/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/captured_log.h"
#include "tests/support/kept_threads.h"
#include "tests/train/small_training.h"
#include "weft/core/parallel.h"

namespace weft::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Metadata = std::map<std::string, std::string>;

// Rewrites a training state with modified tensors or metadata.
template <class Edit>
void rewrite_state(const std::string& path, formats::WithChecksum with_checksum, Edit edit) {
  formats::NamedTensors tensors;
  Metadata metadata;
  {
    const formats::SafetensorsFile file(path);
    metadata = file.metadata();
    for (const std::string& name : file.names()) {
      tensors.emplace_back(name, file.tensor(name).clone());
    }
  }
  edit(tensors, metadata);
  formats::save_safetensors(path, tensors, metadata, {}, with_checksum);
}

TEST(Checkpoint, ReportsTensorsThatAreMissingOrOfAnotherSize) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  train(o);
  o.loop.after = options::Period::updates(13);
  const std::string path = folder.path(test::kToyState), state = test::read_bytes(path);
  const auto message_with = [&](const auto& change) {
    folder.file(test::kToyState, state);
    rewrite_state(path, formats::WithChecksum::kYes,
                  [&](formats::NamedTensors& tensors, Metadata&) { change(tensors); });
    return message_of(o);
  };
  EXPECT_THAT(message_with([](auto& all) {
                std::erase_if(all, [](const auto& t) { return t.first == "adam.second"; });
              }),
              HasSubstr(path + ": no tensor 'adam.second'"));
  EXPECT_THAT(message_with([](auto& all) {
                for (auto& [name, x] : all) {
                  if (name == "weights") x = Tensor::zeros({3});
                }
              }),
              HasSubstr("tensor 'weights' has the wrong size or type"));
}

// States of earlier versions do not have --valid-first.
TEST(Checkpoint, KeepsWhenValidationBegan) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  o.validation.valid_sets = o.data.train_sets;
  o.loop.after = options::Period::updates(2);
  train(o);
  const std::string path = folder.path(test::kToyState);
  const auto resumed = [&](options::Period given) {
    TranslationOptions out = o;
    out.validation.valid_first = given;
    options::OptionTable table;
    table.add(out);
    keep_options(path, options::AnyOptions(out), earlier_defaults<TranslationOptions>(), table);
    return out.validation.valid_first;
  };
  EXPECT_EQ(resumed(options::Period::epochs(1)), options::Period::epochs(1));
  rewrite_state(path, formats::WithChecksum::kYes, [](auto&, Metadata& metadata) {
    std::string& text = metadata.at("weft.training-options");
    const std::string member = "\"valid-first\":\"1e\",";
    ASSERT_THAT(text, HasSubstr(member));
    text.erase(text.find(member), member.size());
  });
  EXPECT_EQ(resumed(options::Period::epochs(1)), options::Period::updates(0));
  EXPECT_EQ(resumed(options::Period::epochs(2)), options::Period::epochs(2));
}

struct AddedOptions : TrainOptions {
  static constexpr EarlierDefault kEarlierDefaults[] = {{"patch-size", "4"}};
};

// A task's list is joined to that of all tasks.
TEST(Checkpoint, KnowsTheEarlierDefaultsOfEveryOption) {
  const auto names = [](const std::vector<EarlierDefault>& all) {
    std::vector<std::string_view> out;
    for (const EarlierDefault& one : all) out.push_back(one.option);
    return out;
  };
  EXPECT_THAT(names(earlier_defaults<AddedOptions>()),
              ElementsAre("valid-first", "weight-decay-on", "patch-size"));
  EXPECT_THAT(names(earlier_defaults<TranslationOptions>()),
              ElementsAre("valid-first", "weight-decay-on"));
}

TEST(Checkpoint, IsNamedAfterTheModelAndHasOneLock) {
  EXPECT_EQ(checkpoint_path("a/model.safetensors"), "a/model.training.safetensors");
  EXPECT_EQ(checkpoint_path("a/model"), "a/model.training.safetensors");
  EXPECT_EQ(lock_path("a/model.safetensors"), "a/model.safetensors.lock");
  EXPECT_EQ(lock_path("a/model"), "a/model.safetensors.lock");
  EXPECT_EQ(lock_path("model.bin"), "model.bin.safetensors.lock");
}

TEST(Checkpoint, RefusesOtherFiles) {
  const Scratch folder;
  const TranslationOptions o = small(folder);
  train(o);
  const std::string state = folder.path("model.training.safetensors");
  folder.file("model.training.safetensors", test::read_bytes(o.loop.model));
  EXPECT_THAT(message_of(o), HasSubstr("expected a training state"));
  EXPECT_THAT(message_of(o), HasSubstr(state));
}

TEST(Checkpoint, IsRefusedForAnyChangedByte) {
  const Scratch folder;
  TranslationOptions o = small(folder, 20);
  o.loop.after = options::Period::updates(1);
  o.model.encoder.dim_emb = 4;
  o.model.encoder.transformer.feed_forward.inner = 4;
  train(o);
  const std::string whole = test::read_bytes(folder.path(test::kToyState));
  State now;
  const auto error_of = [&](const std::string& bytes) -> std::string {
    const std::string path = folder.file("changed.training.safetensors", bytes);
    model_file::TranslatorSession session =
        model_file::load<model_file::TranslatorSession>(o.loop.model);
    const Tensor weights = session.parameters.clone();
    Optimizer optimizer(o.optimizer, weights);
    std::deque<Tensor> snapshots;
    State state = now;
    try {
      load_checkpoint(path, options::AnyOptions(o), {state, weights, optimizer, snapshots});
    } catch (const FormatError& error) {
      return error.what();
    } catch (const OptionError&) {
      return "the text";  // of which `now` knows nothing: the bytes are good
    }
    return "";
  };
  ASSERT_EQ(error_of(whole), "the text");
  for (size_t i = 0; i < whole.size(); i += 11) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ (1 << i % 8));
    EXPECT_THAT(error_of(changed), HasSubstr("changed.training.safetensors: ")) << i;
  }
}

TEST(Checkpoint, OfFormatVersion0IsRead) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  train(o);
  o.loop.after = options::Period::updates(13);
  const std::string path = folder.path(test::kToyState);
  rewrite_state(path, formats::WithChecksum::kNo, [](auto&, auto&) {});
  EXPECT_THAT(message_of(o), HasSubstr(path + ": no checksum; expected one in format version 1"));
  rewrite_state(path, formats::WithChecksum::kNo, [](auto&, auto& metadata) {
    std::string& state = metadata.at("weft.training-state");
    state.replace(state.find(",\"threads\""), std::string::npos, "}");
  });
  const test::KeptThreads kept;
  set_threads(threads() + 1);
  const test::CapturedLog told;
  EXPECT_EQ(train(o), Ending::kFinished);
  EXPECT_EQ(told.warnings(), "");
}

TEST(Checkpoint, OfALaterFormatIsRefused) {
  const Scratch folder;
  const TranslationOptions o = small(folder);
  train(o);
  rewrite_state(folder.path(test::kToyState), formats::WithChecksum::kYes,
                [](auto&, auto& metadata) {
                  metadata.at("weft.training-state") = "{\"format-version\": 99, \"new-field\": 1}";
                });
  EXPECT_THAT(message_of(o), HasSubstr("format version 99; this program reads up to 1"));
}

TEST(Checkpoint, WarnsOfAChangedNumberOfThreads) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  const test::KeptThreads kept;
  set_threads(1);
  train(o);
  const auto warnings_with = [&](int threads, int updates) {
    set_threads(threads);
    o.loop.after = options::Period::updates(updates);
    const test::CapturedLog told;
    EXPECT_EQ(train(o), Ending::kFinished);
    return told.warnings();
  };
  EXPECT_EQ(warnings_with(1, 13), "");
  EXPECT_EQ(
      warnings_with(2, 14),
      folder.path(test::kToyState) +
          ": training began with 1 thread, now there are 2: sums round differently, so "
          "the result will not be bit-identical to an uninterrupted run; hint: --threads 1\n");
  EXPECT_EQ(warnings_with(1, 15), "");  // that of the start
}

}  // namespace
}  // namespace weft::train
