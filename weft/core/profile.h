// Where time goes: spans by name, with the arithmetic and the memory traffic they stand for. Each
// thread has a profile of its own, on between its start() and its stop(), and sees no other
// thread's spans. Off, a span costs one test.
#ifndef WEFT_CORE_PROFILE_H_
#define WEFT_CORE_PROFILE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::profile {

// What the spans of one name add up to.
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

// Forgets what was recorded and records from now on; with `keep_events` every span by itself too.
void start(bool keep_events);
void stop();
bool is_on();

// Measures from its making to its end, both in one thread. Spans do not lie in one another; `name`
// must outlive the profile.
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

// Since start(), the longest first.
std::vector<Entry> entries();
const std::vector<Event>& events();
double seconds();

// The entries as lines: name, share of the time since start(), calls, seconds, GFLOP/s, GB/s; what
// no span covers is the last line.
std::string table();

}  // namespace weft::profile

#endif  // WEFT_CORE_PROFILE_H_
