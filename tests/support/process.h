// Runs programs as child processes of a test.
#ifndef WEFT_TESTS_SUPPORT_PROCESS_H_
#define WEFT_TESTS_SUPPORT_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace weft::test {

struct ProcessOptions {
  std::string input = {};  // standard input
  std::vector<std::string> environment =
      {};                        // "NAME=value", in addition to this process's environment
  std::string folder = {};       // working directory; empty: that of this process
  std::string output_path = {};  // redirects standard output to a file
  double time_limit = 300;       // seconds, after which it is killed
};

struct ProcessResult {
  int status = -1;  // exit status; -1 when a signal ended it
  int signal = 0;   // the signal that ended it; 0 when it exited
  bool timed_out = false;
  std::string output;
  std::string errors;
};

class Process {
 public:
  // Starts argv[0]. Throws std::runtime_error on failure.
  explicit Process(std::vector<std::string> argv, ProcessOptions options = {});
  ~Process();  // kills it if it is still running
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return pid_; }
  bool is_running();
  void send(int signal) const;
  // The output written so far.
  std::string output() const;
  std::string errors() const;
  // Waits until its standard error contains `text`. Returns false if it exits or times out first.
  bool wait_for_error_text(const std::string& text);
  // Waits until it exits; kills it at the time limit.
  ProcessResult wait();

 private:
  bool expired() const;

  ProcessOptions options_;
  double started_ = 0;
  pid_t pid_ = -1;
  int output_ = -1;
  int errors_ = -1;
  bool ended_ = false;
  int wait_status_ = 0;
};

ProcessResult run_process(std::vector<std::string> argv, ProcessOptions options = {});

}  // namespace weft::test

#endif  // WEFT_TESTS_SUPPORT_PROCESS_H_
