// Captures log messages during a test.
#ifndef WEFT_TESTS_SUPPORT_CAPTURED_LOG_H_
#define WEFT_TESTS_SUPPORT_CAPTURED_LOG_H_

#include <cmath>
#include <string>

#include "weft/core/log.h"

namespace weft::test {

// Captures all messages during its lifetime.
class CapturedLog {
 public:
  CapturedLog() {
    log::set_sink([this](log::Level level, std::string_view line) {
      text_.append(line).append("\n");
      if (level == log::Level::kWarning) warnings_.append(line).append("\n");
    });
  }
  ~CapturedLog() { log::set_sink({}); }
  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;

  const std::string& text() const { return text_; }
  const std::string& warnings() const { return warnings_; }
  // The number that was told last of a metric, as in "accuracy 0.75"; NaN if none was.
  double last_value(const std::string& metric) const {
    const size_t at = text_.rfind(metric + " ");
    return at == std::string::npos ? NAN : std::stod(text_.substr(at + metric.size() + 1));
  }

 private:
  std::string text_, warnings_;
};

}  // namespace weft::test

#endif  // WEFT_TESTS_SUPPORT_CAPTURED_LOG_H_
