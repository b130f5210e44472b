// A program in a terminal: a pseudo terminal, whose other end the test holds.
#ifndef WEFT_TESTS_SUPPORT_TERMINAL_H_
#define WEFT_TESTS_SUPPORT_TERMINAL_H_

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace weft::test {

class Terminal {
 public:
  // Starts argv[0] in this folder. Throws std::runtime_error on failure.
  Terminal(std::vector<std::string> argv, const std::string& folder);
  ~Terminal();  // kills it if it is still running
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // As if it were typed; "\x03" is Ctrl-C, "\x04" Ctrl-D.
  void type(std::string_view keys) const;
  // Waits until the screen shows this text behind what was waited for before; false where the
  // program ends, or shows nothing for a minute.
  bool shows(std::string_view text);
  // Waits for more of the screen, likewise.
  bool read_more();
  // All that it has shown.
  const std::string& screen() const { return screen_; }
  // Waits for its end; its exit status, -1 where a signal ended it.
  int end();

 private:
  pid_t pid_ = -1;
  int master_ = -1;
  std::string screen_;
  size_t seen_ = 0;
};

}  // namespace weft::test

#endif  // WEFT_TESTS_SUPPORT_TERMINAL_H_
