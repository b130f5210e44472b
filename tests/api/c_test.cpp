#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "bindings/c/weft_c.h"
#include "tests/support/scratch.h"
#include "tests/support/small_models.h"

namespace weft {
namespace {

using testing::HasSubstr;

class CInterface : public testing::Test {
 protected:
  CInterface() { test::write_small_models(scratch_); }
  ~CInterface() override {
    weft_results_free(results_);
    weft_predictor_free(predictor_);
    weft_model_free(model_);
  }

  void predict(const char* name, const std::vector<const char*>& inputs) {
    ASSERT_EQ(weft_load(scratch_.path(name).c_str(), nullptr, 0, &model_), WEFT_OK);
    ASSERT_EQ(weft_make_predictor(model_, nullptr, 0, &predictor_), WEFT_OK);
    ASSERT_EQ(weft_predict(predictor_, inputs.data(), inputs.size(), &results_), WEFT_OK)
        << weft_error_message();
  }

  test::Scratch scratch_;
  weft_model* model_ = nullptr;
  weft_predictor* predictor_ = nullptr;
  weft_results* results_ = nullptr;
};

TEST_F(CInterface, GivesTextNumbersAndFaults) {
  predict("classifier", {"w1 w2", "\xFF"});
  EXPECT_STREQ(weft_model_kind(model_), "classifier");
  ASSERT_EQ(weft_results_count(results_), 2u);
  size_t size = 0;
  const float* const numbers = weft_results_numbers(results_, 0, &size);
  ASSERT_EQ(size, 3u);
  EXPECT_NEAR(numbers[0] + numbers[1] + numbers[2], 1, 1e-5);
  EXPECT_THAT(weft_results_json(results_, 0), HasSubstr("\"labels\":[\""));
  EXPECT_EQ(weft_results_fault(results_, 0), nullptr);
  EXPECT_STREQ(weft_results_fault(results_, 1), "not UTF-8");
  EXPECT_THAT(weft_results_json(results_, 1), HasSubstr("\"fault\":\"not UTF-8\""));
  EXPECT_EQ(weft_results_text(results_, 2), nullptr);
  EXPECT_EQ(weft_results_json(results_, 2), nullptr);
  EXPECT_EQ(weft_results_numbers(results_, 2, &size), nullptr);
  EXPECT_EQ(size, 0u);
}

TEST_F(CInterface, PredictsByModelsOfEachKind) {
  for (const char* const name : {"translator", "tagger", "embedder", "pictures", "detector"}) {
    const std::string path = scratch_.path("0.png");
    const bool is_picture = name == std::string("pictures") || name == std::string("detector");
    predict(name, {is_picture ? path.c_str() : "w1 w2"});
    EXPECT_EQ(weft_results_fault(results_, 0), nullptr) << name;
    weft_results_free(results_);
    weft_predictor_free(predictor_);
    weft_model_free(model_);
    results_ = nullptr;
    predictor_ = nullptr;
    model_ = nullptr;
  }
  ASSERT_EQ(weft_load(scratch_.path("motion").c_str(), nullptr, 0, &model_), WEFT_OK);
  EXPECT_EQ(weft_make_predictor(model_, nullptr, 0, &predictor_), WEFT_OPTION_ERROR);
}

TEST_F(CInterface, SaysWhatIsWrong) {
  EXPECT_EQ(weft_load("missing", nullptr, 0, &model_), WEFT_FILE_ERROR);
  EXPECT_THAT(weft_error_message(), HasSubstr("missing"));
  std::thread([] { EXPECT_STREQ(weft_error_message(), ""); }).join();
  EXPECT_EQ(weft_load(scratch_.path("0.png").c_str(), nullptr, 0, &model_), WEFT_FORMAT_ERROR);
  EXPECT_EQ(weft_load(nullptr, nullptr, 0, &model_), WEFT_OPTION_ERROR);
  EXPECT_EQ(weft_load("missing", nullptr, 1, &model_), WEFT_OPTION_ERROR);
  const weft_option wrong = {"precision", "int7"};
  EXPECT_EQ(weft_load(scratch_.path("tagger").c_str(), &wrong, 1, &model_), WEFT_OPTION_ERROR);
  EXPECT_THAT(weft_error_message(), HasSubstr("precision"));
  EXPECT_EQ(model_, nullptr);
  EXPECT_EQ(weft_use_threads(0), WEFT_OPTION_ERROR);
  EXPECT_EQ(weft_convert(nullptr, 0), WEFT_OPTION_ERROR);
  EXPECT_EQ(weft_train("nothing", nullptr, 0, nullptr, nullptr), WEFT_OPTION_ERROR);
}

TEST_F(CInterface, StreamsUntilItsReaderHasEnough) {
  predict("translator", {"w1 w2"});
  std::string heard;
  const weft_on_text all = [](const char* text, size_t size, void* user) {
    static_cast<std::string*>(user)->append(text, size);
    return 1;
  };
  ASSERT_EQ(weft_stream(predictor_, "w1 w2", all, &heard), WEFT_OK);
  EXPECT_EQ(heard, weft_results_text(results_, 0));
  EXPECT_EQ(weft_stream(predictor_, "w1", nullptr, nullptr), WEFT_OPTION_ERROR);
}

TEST_F(CInterface, TrainsUntilItIsStopped) {
  const std::string text = scratch_.file("text.tsv", "x\ta b\ny\tc d\n"),
                    model = scratch_.path("trained"), words = scratch_.path("words.vocab");
  const std::vector<weft_option> options = {{"train-sets", text.c_str()},
                                            {"vocabs", words.c_str()},
                                            {"model", model.c_str()},
                                            {"after", "9u"},
                                            {"dim-emb", "16"},
                                            {"enc-depth", "1"},
                                            {"transformer-heads", "2"}};
  int64_t updates = 0;
  const weft_on_update stop = [](int64_t update, double, double, void* user) {
    *static_cast<int64_t*>(user) = update;
    return update < 3 ? 1 : 0;
  };
  ASSERT_EQ(weft_train("classification", options.data(), options.size(), stop, &updates), WEFT_OK)
      << weft_error_message();
  EXPECT_EQ(updates, 3);
}

}  // namespace
}  // namespace weft
