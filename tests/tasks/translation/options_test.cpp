// Round trips of all training options through YAML.
#include "weft/tasks/translation/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "weft/options/option_value.h"
#include "weft/options/yaml.h"

namespace weft::tasks {
namespace {

using options::Option;

struct Table : options::OptionTable {
  TranslationOptions train;
  Table() { add(train); }
};

// Sets an option to a valid value that differs from its default.
struct Change {
  const options::Meta& meta;

  void operator()(bool* x) const { *x = !*x; }
  void operator()(int64_t* x) const { *x += static_cast<double>(*x) < meta.max ? 1 : -1; }
  void operator()(double* x) const {  // to a number with many digits
    const double bound = *x < meta.max ? meta.max : meta.min;
    *x = std::isinf(bound) ? *x + 1.0 / 3 : *x + (bound - *x) / 3;
  }
  template <class T>
  void operator()(std::optional<T>* x) const {
    (*this)(&x->emplace());
  }
  void operator()(std::string* x) const {
    const std::vector<std::string> choices = options::split_choices(meta.choices);
    *x = choices.empty() ? "a \"b\": #c\\ \xC3\xA9" : choices[choices.front() == *x ? 1 : 0];
  }
  void operator()(options::Selection* x) const { x->select(x->index() == 0 ? 1 : 0); }
  void operator()(options::Period* x) const { *x = options::Period::targets(123457); }
  void operator()(std::vector<int64_t>* x) const { *x = {7, 3}; }
  void operator()(std::vector<double>* x) const { *x = {1.0 / 3, 1e-9, 0.1 + 0.2}; }
  void operator()(std::vector<std::string>* x) const {
    const std::vector<std::string> choices = options::split_choices(meta.choices);
    *x = {"", "- a: b", "null"};
    if (!choices.empty()) *x = {choices.back(), choices.front()};
  }
};

TEST(TranslationOptions, RoundTripInYaml) {
  for (const options::Dump mode : {options::Dump::kFull, options::Dump::kMinimal}) {
    Table source, target;
    for (const Option& option : source.options()) {
      std::visit(Change{option.meta}, option.slot());
      EXPECT_NE(options::values_of(option), option.defaults) << option.name;
    }
    const std::string yaml = options::to_yaml(source, mode);
    options::read_yaml(target, options::parse_yaml(yaml, "dump"));
    ASSERT_EQ(target.options().size(), source.options().size());
    for (size_t i = 0; i < source.options().size(); ++i) {
      const Option &sent = source.options()[i], &got = target.options()[i];
      std::visit(
          [&](auto* value) {
            const auto* back = std::get<decltype(value)>(got.slot());
            if constexpr (std::is_same_v<decltype(value), options::Selection*>) {
              EXPECT_EQ(back->name(), value->name()) << sent.name;
            } else {
              EXPECT_TRUE(*back == *value) << sent.name;
            }
          },
          sent.slot());
    }
  }
}

TEST(TranslationOptions, AreReadFromYamlByTheirNamesAndAliases) {
  Table table;
  const TranslationOptions& o = table.train;
  options::read_yaml(table, options::parse_yaml("train-sets: [a.src, a.trg]\n"
                                                "mini-batch-words: 1e4\n"
                                                "enc-depth: 3\n"
                                                "dec-depth: 2\n"
                                                "transformer-tied-layers: [1, 1, 3]\n"
                                                "attention-prior-width: 2.5\n"
                                                "guided-alignment: links\n"
                                                "teacher-temperature: 2\n"
                                                "optimizer-params: [0.9, 0.999, 1e-8]\n"
                                                "lr: 0.001\n"
                                                "lr-warmup: 16000\n"
                                                "update-freq: 4\n"
                                                "after: 100Ku\n"
                                                "save-freq: 1.5Gt\n"
                                                "valid-freq: 2e\n"
                                                "valid-metrics: [bleu, chrf]\n"
                                                "overwrite: true\n",
                                                "a.yml"));
  using Texts = std::vector<std::string>;
  EXPECT_EQ(o.data.train_sets, (Texts{"a.src", "a.trg"}));
  EXPECT_EQ(o.batching.mini_batch_words, 10000);
  EXPECT_EQ(o.model.encoder.enc_depth, 3);
  EXPECT_EQ(o.model.decoder.dec_depth, 2);
  EXPECT_EQ(o.model.encoder.transformer.tied_layers, (std::vector<int64_t>{1, 1, 3}));
  EXPECT_EQ(o.model.encoder_decoder.prior.get<nn::MonotonicPriorOptions>().width, 2.5);
  EXPECT_EQ(o.objective.guidance.guided_alignment, Texts{"links"});
  EXPECT_EQ(std::get<DistillationOptions>(o.objective.kinds).temperature, 2);
  EXPECT_EQ(o.optimizer.kind.get<train::Adam>().params, (std::vector<double>{0.9, 0.999, 1e-8}));
  EXPECT_EQ(o.schedule.learn_rate, 0.001);
  EXPECT_EQ(o.schedule.warmup, 16000);
  EXPECT_EQ(o.loop.optimizer_delay, 4);
  EXPECT_EQ(o.loop.after, options::Period::updates(100000));
  EXPECT_EQ(o.loop.save_freq, options::Period::targets(1500000000));
  EXPECT_EQ(o.validation.valid_freq, options::Period::epochs(2));
  EXPECT_EQ(o.validation.valid_metrics, (Texts{"bleu", "chrf"}));
  EXPECT_TRUE(o.loop.overwrite);
}

}  // namespace
}  // namespace weft::tasks
