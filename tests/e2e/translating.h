// A folder with a small model and source lines, for translation tests.
#ifndef WEFT_TESTS_E2E_TRANSLATING_H_
#define WEFT_TESTS_E2E_TRANSLATING_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/decode/small_session.h"
#include "tests/e2e/program.h"

namespace weft::test {

inline std::vector<std::string> split_lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

// The number of equal lines at equal positions. Fails the test if the numbers of lines differ.
inline int64_t lines_alike(const std::string& a, const std::string& b) {
  const std::vector<std::string> x = split_lines(a), y = split_lines(b);
  EXPECT_EQ(x.size(), y.size());
  int64_t count = 0;
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) count += x[i] == y[i];
  return count;
}

// The model is the file "model" in the working directory.
class Translating : public testing::Test {
 protected:
  explicit Translating(int lines) {
    save("model", decode::small_session(decode::small_options()));
    for (const std::string& line : decode::random_lines(lines)) text_ += line + "\n";
  }

  void save(const std::string& name, model_file::TranslatorSession session) const {
    model_file::save(scratch_.path(name), session, session.parameters);
  }
  ProcessResult run(std::vector<std::string> args, const std::string& input = "") const {
    return run_weft(std::move(args), {.input = input, .folder = scratch_.folder()});
  }

  Scratch scratch_;
  std::string text_;  // the lines
};

}  // namespace weft::test

#endif  // WEFT_TESTS_E2E_TRANSLATING_H_
