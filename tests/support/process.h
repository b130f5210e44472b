// Programs as children of a test: run to their end, or started, watched and killed.
#ifndef WEFT_TESTS_SUPPORT_PROCESS_H_
#define WEFT_TESTS_SUPPORT_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace weft::test {

struct ProcessOptions {
  std::string input = {};                     // its standard input
  std::vector<std::string> environment = {};  // "NAME=value", beside this process's own
  std::string folder = {};                    // its working directory; empty: this process's
  std::string output_path = {};  // standard output goes there instead of into the result
  double time_limit = 300;       // seconds; then it is killed
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
  // Starts argv[0]; throws std::runtime_error when that fails.
  explicit Process(std::vector<std::string> argv, ProcessOptions options = {});
  ~Process();  // kills it if it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return pid_; }
  bool is_running();
  void send(int signal) const;
  // What it has written so far.
  std::string output() const;
  std::string errors() const;
  // Waits until `text` stands in its standard error; false when it ended or took too long first.
  bool wait_for_error_text(const std::string& text);
  // Waits for its end, or kills it at the time limit.
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
