// A program that is asked and answers, line by line, through pipes that stay open.
#ifndef WEFT_TESTS_SUPPORT_CONVERSATION_H_
#define WEFT_TESTS_SUPPORT_CONVERSATION_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace weft::test {

class Conversation {
 public:
  // Starts argv[0] in this folder. Throws std::runtime_error on failure.
  Conversation(std::vector<std::string> argv, const std::string& folder);
  ~Conversation();  // kills it if it is still running
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  // Writes to its standard input, which stays open.
  void say(const std::string& text) const;
  // The next line of its standard output; nothing where it ends, or says nothing for a minute.
  std::optional<std::string> answer();
  // Closes its standard input and waits for its end; its exit status, -1 where a signal ended it.
  int end();
  void send(int signal) const;
  // What it wrote to standard error.
  std::string errors() const;

 private:
  pid_t pid_ = -1;
  int input_ = -1, output_ = -1, errors_ = -1;  // of this process
  std::string read_;                            // of the output, without a whole line
};

}  // namespace weft::test

#endif  // WEFT_TESTS_SUPPORT_CONVERSATION_H_
