// A fixture with small models of all kinds, and files that they read.
#ifndef WEFT_TESTS_API_SMALL_MODEL_TEST_H_
#define WEFT_TESTS_API_SMALL_MODEL_TEST_H_

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/model_file/small_chat_model.h"
#include "tests/support/small_models.h"
#include "weft/weft.h"

namespace weft::test {

// The models of write_small_models(), and `chat`.
class SmallModelTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch_ = new Scratch();
    write_small_models(*scratch_);
    const auto chat = model_file::small_chat_model();
    model_file::save(scratch_->path("chat"), chat, chat.parameters);
  }
  static void TearDownTestSuite() {
    delete scratch_;
    scratch_ = nullptr;
  }
  static std::string path(std::string_view name) { return scratch_->path(name); }
  static std::string file(std::string_view name, std::string_view text) {
    return scratch_->file(name, text);
  }
  static Model model(std::string_view name) { return load(path(name)); }

  inline static Scratch* scratch_ = nullptr;
};

}  // namespace weft::test

#endif  // WEFT_TESTS_API_SMALL_MODEL_TEST_H_
