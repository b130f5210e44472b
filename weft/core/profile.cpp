#include "weft/core/profile.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>

#include "weft/core/timer.h"

namespace weft::profile {
namespace {

constinit thread_local bool is_recording = false;

struct State {
  bool keeps_events = false;
  Timer timer;
  double stopped_at = 0;
  std::deque<Entry> entries;  // few; addresses stay valid
  std::vector<Event> events;
};

State& state() {
  thread_local State instance;
  return instance;
}

Entry& entry_named(std::string_view name) {
  auto& all = state().entries;
  const auto found = std::ranges::find(all, name, &Entry::name);
  return found != all.end() ? *found : all.emplace_back(Entry{.name = name});
}

}  // namespace

void start(bool keep_events) {
  State& s = state();
  s.entries.clear();
  s.events.clear();
  s.keeps_events = keep_events;
  is_recording = true;
  s.timer.restart();
}

void stop() {
  State& s = state();
  if (is_recording) s.stopped_at = s.timer.seconds();
  is_recording = false;
}

bool is_on() { return is_recording; }

Span::Span(std::string_view name, double flop, double bytes)
    : entry_(is_on() ? &entry_named(name) : nullptr) {
  if (entry_ == nullptr) return;
  ++entry_->calls;
  entry_->flop += flop;
  entry_->bytes += bytes;
  begin_ = state().timer.seconds();
}

Span::~Span() {
  if (entry_ == nullptr) return;
  State& s = state();
  const double length = s.timer.seconds() - begin_;
  entry_->seconds += length;
  if (s.keeps_events) s.events.push_back({entry_->name, begin_ * 1e6, length * 1e6});
}

std::vector<Entry> entries() {
  std::vector<Entry> all(state().entries.begin(), state().entries.end());
  std::ranges::stable_sort(all, std::greater(), &Entry::seconds);
  return all;
}

const std::vector<Event>& events() { return state().events; }

double seconds() { return is_on() ? state().timer.seconds() : state().stopped_at; }

std::string table() {
  const double all = std::max(seconds(), 1e-9);
  std::string out = fmt::format("{:<28}{:>7}{:>10}{:>10}{:>10}{:>9}\n", "where", "share", "calls",
                                "seconds", "GFLOP/s", "GB/s");
  double covered = 0;
  const auto rate = [](double amount, double time) {
    return amount > 0 && time > 0 ? fmt::format("{:.1f}", amount / time / 1e9) : std::string("-");
  };
  for (const Entry& e : entries()) {
    covered += e.seconds;
    out += fmt::format("{:<28}{:>6.1f}%{:>10}{:>10.3f}{:>10}{:>9}\n", e.name, 100 * e.seconds / all,
                       e.calls, e.seconds, rate(e.flop, e.seconds), rate(e.bytes, e.seconds));
  }
  return out + fmt::format("{:<28}{:>6.1f}%{:>10}{:>10.3f}\n", "outside all spans",
                           100 * (all - covered) / all, "", all - covered);
}

}  // namespace weft::profile
