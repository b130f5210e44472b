// A profile of named spans with their arithmetic and memory traffic. Each thread has its own
// profile, active between start() and stop(), and does not see the spans of other threads. An
// inactive span costs one branch.
#ifndef WEFT_CORE_PROFILE_H_
#define WEFT_CORE_PROFILE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::profile {

// The totals of all spans of one name.
struct Entry {
  std::string_view name;
  int64_t calls = 0;
  double seconds = 0;
  double flop = 0;   // floating-point operations
  double bytes = 0;  // read and written
};

// One span, microseconds since start().
struct Event {
  std::string_view name;
  double begin = 0, length = 0;
};

// Clears the profile and starts recording; with `keep_events` each span is recorded individually
// too.
void start(bool keep_events);
void stop();
bool is_on();

// Measures the time from construction to destruction, both on one thread. Spans must not be nested.
// `name` must outlive the profile.
class Span {
 public:
  explicit Span(std::string_view name, double flop = 0, double bytes = 0);
  ~Span();
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  Entry* entry_;
  double begin_ = 0;
};

// Sorted by time, longest first.
std::vector<Entry> entries();
const std::vector<Event>& events();
double seconds();

// A text table of the entries: name, percentage of the time since start(), calls, seconds, GFLOP/s,
// GB/s. The last line is the time outside all spans.
std::string table();

}  // namespace weft::profile

#endif  // WEFT_CORE_PROFILE_H_
