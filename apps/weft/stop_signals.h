// Ctrl-C and SIGTERM as the end of an input instead of the program.
#ifndef APPS_WEFT_STOP_SIGNALS_H_
#define APPS_WEFT_STOP_SIGNALS_H_

namespace weft::app {

// While it lives, the signals do not end the program; those that are ignored stay so. One at a
// time.
class StopSignals {
 public:
  // Throws FileError.
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Waits until there is something to be read from a file, or it has ended; false where a signal
  // has come.
  bool wait_for(int file) const;
  // The first that has come; 0: none.
  int signal() const;
  // The same, from then on as if it had not come.
  int take() const;

 private:
  int read_end_, write_end_;  // of a pipe that the handler writes to, which ends a wait
};

}  // namespace weft::app

#endif  // APPS_WEFT_STOP_SIGNALS_H_
