#include "apps/weft/translation.h"

#include <unistd.h>

#include <iostream>

namespace weft::app {

infer::Session load_session(const TranslationOptions& options) {
  return infer::load_packed(options.model, infer::precision_named(options.precision));
}

decode::Translator make_translator(const infer::Session& session,
                                   const TranslationOptions& options) {
  return decode::Translator(session, options.decode,
                            options.banned_words.empty() ? std::vector<std::string>()
                                                         : data::read_lines(options.banned_words));
}

LineSource::LineSource(const std::string& path) {
  if (path != "stdin") file_.emplace(path);
}

bool LineSource::next(decode::SourceLine& line) {
  if (file_) {
    if (!file_->next()) return false;
    line = {std::string(file_->line()), file_->is_too_long()};
    return true;
  }
  line.is_over_long = false;
  if (!std::getline(std::cin, line.text)) return false;
  if (line.text.ends_with('\r')) line.text.pop_back();
  return true;
}

bool LineSource::is_interactive() const { return !file_ && ::isatty(STDIN_FILENO) == 1; }

}  // namespace weft::app
