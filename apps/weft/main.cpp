// The program: runs the subcommand and turns exceptions into a one-line error and an exit status.
#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <csignal>
#include <iostream>
#include <new>

#include "apps/weft/command.h"
#include "apps/weft/commands.h"
#include "apps/weft/logging.h"
#include "weft/core/error.h"
#include "weft/core/text/nearest.h"
#include "weft/settings.h"
#include "weft/train.h"

namespace weft::app {
namespace {

constexpr int kFailure = 1;
constexpr int kBadOptions = 2;

std::string overview() {
  std::string out =
      "Trains, runs and measures Transformer sequence models.\n\n"
      "usage: weft <command> [options]\n\n";
  for (const Command& command : commands())
    out += fmt::format("  {:<12}{}\n", command.info.name, command.info.summary);
  return out +
         "\nweft <command> --help lists a command's options; weft --version prints the version.\n"
         "\nexit status: 0 on success; 1 for an error; 2 for an option that is invalid or\n"
         "contradicts another or the files; 128 + the signal's number if a signal stopped "
         "training\nor the transcription of a pipe\n";
}

int print_overview(const CommandInfo&, const Args&) {
  print(overview());
  return 0;
}

int print_version(const CommandInfo&, const Args&) {
  print(fmt::format("weft {}\n", version()));
  return 0;
}

Command find_command(const Args& args) {
  if (args.empty())
    fail<OptionError>("arguments", "no command given; hint: weft --help lists the commands");
  const std::string& wanted = args.front();
  if (wanted == "--help" || wanted == "-h" || wanted == "help") return {{}, print_overview};
  if (wanted == "--version") return {{}, print_version};
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (command.info.name == wanted) return command;
    names.emplace_back(command.info.name);
  }
  fail<OptionError>("arguments", "unknown command {}; expected one of {}{}", quote(wanted),
                    fmt::format("{}", fmt::join(names, ", ")), nearest_hint(wanted, names));
}

// Reports the exception that is being handled, and returns its exit status.
int status_of_exception() {
  try {
    throw;
  } catch (const OptionError& error) {
    report_error(error.what());
    return kBadOptions;
  } catch (const Error& error) {
    report_error(error.what());
  } catch (const std::bad_alloc&) {
    report_error("out of memory; hint: smaller batches or a smaller model need less");
  } catch (const std::exception& error) {
    report_error(fmt::format("internal error: {}", error.what()));
  } catch (...) {
    report_error("internal error: an exception of unknown type");
  }
  return kFailure;
}

// Where the address space is limited, threads share one heap. glibc reserves 64 MB for the heap of
// each other thread, at any time, and oneDNN crashes when it then finds no memory.
void share_heap_if_limited() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    mallopt(M_ARENA_MAX, 1);
  }
}

}  // namespace
}  // namespace weft::app

int main(int argc, char** argv) {
  using namespace weft::app;
  share_heap_if_limited();
  // A closed pipe is then reported as an error of write().
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // the same for a file size limit
  int status = 0;
  try {
    const Args args(argv + std::min(argc, 1), argv + argc);
    const Command command = find_command(args);
    status = command.run(command.info, Args(args.begin() + 1, args.end()));
  } catch (...) {
    status = status_of_exception();
  }
  try {
    flush_output();
  } catch (...) {
    const int failed = status_of_exception();
    if (status == 0) status = failed;
  }
  record_end(status);
  if (status == 0 && !log_is_complete()) status = kFailure;
  if (status != 0) weft::end_all_ranks(status);  // otherwise the other ranks would wait
  return status;
}
