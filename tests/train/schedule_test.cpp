#include "weft/train/schedule/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "weft/core/error.h"
#include "weft/options/option_table.h"

namespace weft::train {
namespace {

ScheduleOptions options(const char* kind) {
  ScheduleOptions o;
  o.kind.select(kind);
  o.learn_rate = 0.01;
  o.warmup = 100;
  o.kind.each([](auto& one) {
    if constexpr (requires { one.final_rate; }) one.updates = 300, one.final_rate = 0.001;
  });
  return o;
}

TEST(Schedule, RisesLinearlyDuringTheWarmUp) {
  for (const char* kind : {"inverse-sqrt", "linear", "cosine", "constant"}) {
    const Schedule schedule(options(kind));
    EXPECT_DOUBLE_EQ(schedule.rate(1), 0.0001) << kind;
    EXPECT_DOUBLE_EQ(schedule.rate(50), 0.005) << kind;
    EXPECT_DOUBLE_EQ(schedule.rate(100), 0.01) << kind;
  }
}

TEST(Schedule, DecaysByItsKind) {
  EXPECT_DOUBLE_EQ(Schedule(options("inverse-sqrt")).rate(400), 0.005);
  EXPECT_DOUBLE_EQ(Schedule(options("linear")).rate(200), 0.0055);
  EXPECT_DOUBLE_EQ(Schedule(options("cosine")).rate(200), 0.0055);
  EXPECT_NEAR(Schedule(options("cosine")).rate(150), 0.001 + 0.009 * (1 + std::sqrt(0.5)) / 2,
              1e-12);
  EXPECT_DOUBLE_EQ(Schedule(options("constant")).rate(1000000), 0.01);
}

TEST(Schedule, StaysAtTheFinalRate) {
  for (const char* kind : {"linear", "cosine"}) {
    EXPECT_DOUBLE_EQ(Schedule(options(kind)).rate(300), 0.001) << kind;
    EXPECT_DOUBLE_EQ(Schedule(options(kind)).rate(5000), 0.001) << kind;
  }
}

TEST(Schedule, DecaysUntilTheEndOfTraining) {
  for (const char* kind : {"linear", "cosine"}) {
    ScheduleOptions o = options(kind);
    o.kind.each([](auto& one) {
      if constexpr (requires { one.final_rate; }) one.updates = 0;
    });
    o.validate();
    EXPECT_DOUBLE_EQ(Schedule(o.for_length(500)).rate(300), 0.0055) << kind;
    EXPECT_DOUBLE_EQ(Schedule(o.for_length(500)).rate(500), 0.001) << kind;
    EXPECT_DOUBLE_EQ(Schedule(o.for_length(60)).rate(60), 0.006) << kind;
    o.warmup_ratio = 0.5;
    EXPECT_DOUBLE_EQ(Schedule(o.for_length(500)).rate(250), 0.01) << kind;
    EXPECT_DOUBLE_EQ(Schedule(o.for_length(500, 100)).rate(100), 0.01) << kind;
    EXPECT_DOUBLE_EQ(Schedule(o.for_length(500, 100)).rate(500), 0.001) << kind;
  }
}

TEST(Schedule, WithoutAWarmUpBeginsAtThePeakRate) {
  ScheduleOptions o = options("inverse-sqrt");
  o.warmup = 0;
  EXPECT_DOUBLE_EQ(Schedule(o).rate(1), 0.01);
}

TEST(Schedule, RefusesADecayThatEndsBeforeItBegins) {
  ScheduleOptions o = options("linear");
  o.kind.get<LinearDecay>().updates = 100;
  EXPECT_THROW(Schedule{o}, OptionError);
  o = options("cosine");
  o.kind.get<CosineDecay>().final_rate = 0.02;
  EXPECT_THROW(Schedule{o}, OptionError);
}

TEST(Schedule, RefusesDecayOptionsWithoutADecay) {
  for (const char* kind : {"inverse-sqrt", "constant"}) {
    for (const char* option : {"lr-decay-updates", "lr-final"}) {
      ScheduleOptions o;
      options::OptionTable table;
      table.add(o);
      table.assign({option, {"1"}, option});
      table.assign({"lr-schedule", {kind}, "lr-schedule"});
      EXPECT_THROW(table.check_scopes(), OptionError) << kind << option;
    }
  }
}

}  // namespace
}  // namespace weft::train
