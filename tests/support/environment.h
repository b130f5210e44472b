// Sets an environment variable during its lifetime.
#ifndef WEFT_TESTS_SUPPORT_ENVIRONMENT_H_
#define WEFT_TESTS_SUPPORT_ENVIRONMENT_H_

#include <cstdlib>
#include <optional>
#include <string>

namespace weft::test {

class ScopedEnvironment {
 public:
  ScopedEnvironment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;
  ~ScopedEnvironment() {
    if (before_) {
      setenv(name_.c_str(), before_->c_str(), 1);
    } else {
      unsetenv(name_.c_str());
    }
  }

 private:
  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace weft::test

#endif  // WEFT_TESTS_SUPPORT_ENVIRONMENT_H_
