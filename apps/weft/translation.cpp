#include "apps/weft/translation.h"

#include <charconv>
#include <memory>

namespace weft::app {
namespace {

int64_t parse_count(const std::string& text) {
  int64_t count = -1;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || stop != end || count < 0) {
    fail<OptionError>("--shortlist", "expected FILE [FIRST BEST], numbers from 0, got '{}'", text);
  }
  return count;
}

decode::ShortlistOptions shortlist_options(const std::vector<std::string>& values) {
  decode::ShortlistOptions out{.path = values.front()};
  if (values.size() > 3) {
    fail<OptionError>("--shortlist", "expected FILE [FIRST BEST], got {} values", values.size());
  }
  if (values.size() > 1) out.first = parse_count(values[1]);
  if (values.size() > 2) out.best = parse_count(values[2]);
  return out;
}

}  // namespace

std::vector<model_file::TranslatorSession> load_sessions(const TranslationOptions& options) {
  auto sessions = options.models.load<model_file::TranslatorSession>();
  for (size_t i = 1; i < sessions.size(); ++i) {
    model_file::check_vocabularies(sessions.front(), sessions[i], options.models.paths[i],
                                   "the first model");
  }
  return sessions;
}

predict::Translator make_translator(const std::vector<model_file::TranslatorSession>& sessions,
                                    const TranslationOptions& options) {
  predict::Translator translator(sessions, options.decode,
                                 options.banned_words.empty()
                                     ? std::vector<std::string>()
                                     : data::read_lines(options.banned_words));
  if (!options.constraints.empty()) {
    translator.check_left_to_right("--constraints");  // before the file is read
    translator.use_constraints({options.constraints, sessions.front().target()});
  }
  if (!options.draft.empty()) {
    translator.draft_by(std::make_shared<const model_file::TranslatorSession>(
                            model_file::load_packed<model_file::TranslatorSession>(
                                options.draft, options.models.weights())),
                        options.draft);
  }
  if (!options.draft_memory.empty()) {
    translator.draft_by(predict::DraftMemory(options.draft_memory, sessions.front().source(),
                                             sessions.front().target()));
  }
  if (!options.shortlist.empty()) {
    translator.check_left_to_right("--shortlist");
    const model_file::TranslatorSession& first = sessions.front();
    translator.use_shortlist(
        {shortlist_options(options.shortlist), first.source(), first.target()});
  }
  return translator;
}

}  // namespace weft::app
