// weft manual: manual pages, in the language of man(7).
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "apps/weft/command.h"
#include "apps/weft/manual/described_commands.h"
#include "weft/core/files/atomic_file.h"
#include "weft/core/log.h"
#include "weft/core/text/counted.h"
#include "weft/settings.h"

namespace weft::app {
namespace {

struct ManualOptions {
  std::string output;

  template <class V>
  void fields(V& v) {
    v("output", output,
      {.help = "folder of the pages, weft.1, weft-translate.1 and so on; made where it is missing",
       .letter = 'o',
       .required = true});
  }
};

// "weft-train-tagging"
std::string page_name(std::string_view command) {
  std::string out = "weft-" + std::string(command);
  std::ranges::replace(out, ' ', '-');
  return out;
}

// Escapes backslashes, hyphens, and a first character that would begin a request.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  const bool is_request = out.starts_with('.') || out.starts_with('\'');
  return is_request ? "\\&" + out : out;
}

std::string heading(std::string_view name, std::string_view summary) {
  std::string upper(name);
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format(".TH {} 1 \"\" \"weft {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
                     escaped(upper), version(), escaped(name), escaped(summary));
}

std::string option_text(const DescribedOption& option) {
  std::string flags;
  if (option.letter != 0) flags = fmt::format("\\-{}, ", option.letter);
  flags += "\\-\\-" + escaped(option.text.name);
  const std::string value =
      option.text.value.empty() ? "" : fmt::format(" \\fI{}\\fR", escaped(option.text.value));
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", flags, value, escaped(option.text.description));
}

std::string page_of(const DescribedCommand& command) {
  std::string out = heading(page_name(command.name), command.summary);
  out += fmt::format(".SH SYNOPSIS\n.B {}\n.SH OPTIONS\n", escaped(command.usage));
  std::string group = "\n";  // differs from every title
  for (const DescribedOption& option : command.options) {
    if (option.group != group && !option.group.empty()) {
      out += fmt::format(".SS {}\n", escaped(option.group));
    }
    group = option.group;
    out += option_text(option);
  }
  return out + ".SH SEE ALSO\n.BR weft (1)\n";
}

std::string overview_page(const std::vector<DescribedCommand>& commands) {
  std::string out = heading("weft", "trains, runs and measures Transformer models");
  out += ".SH SYNOPSIS\n.B weft\n.I COMMAND\n.RI [ options ]\n.SH COMMANDS\n";
  for (const DescribedCommand& command : commands) {
    out += fmt::format(".TP\n.BR {} (1)\n{}\n", escaped(page_name(command.name)),
                       escaped(command.summary));
  }
  return out +
         ".SH EXIT STATUS\n0 on success; 1 for an error; 2 for an option that is invalid or "
         "contradicts another or the files; 128 and the number of a signal that stopped a "
         "training or the transcription of a pipe.\n";
}

}  // namespace

int run_manual(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<ManualOptions>(info, args);
  if (!options) return 0;
  std::error_code error;
  std::filesystem::create_directories(options->output, error);
  if (error) fail<FileError>(options->output, "cannot make this folder: {}", error.message());
  const std::vector<DescribedCommand> commands = described_commands();
  const auto write = [&](const std::string& name, const std::string& page) {
    write_file(options->output + "/" + name + ".1", page);
  };
  write("weft", overview_page(commands));
  for (const DescribedCommand& command : commands) write(page_name(command.name), page_of(command));
  log::info("wrote {} to {}", counted(std::ssize(commands) + 1, "page"), options->output);
  return 0;
}

}  // namespace weft::app
