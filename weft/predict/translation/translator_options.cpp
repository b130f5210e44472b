#include "weft/predict/translation/translator_options.h"

#include <charconv>
#include <memory>

#include "weft/data/text/text_file.h"

namespace weft::predict {
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

Translator make_translator(std::span<const model_file::TranslatorSession> sessions,
                           const TranslatorOptions& options, model_file::Precision draft_weights) {
  Translator translator(sessions, options.decode,
                        options.banned_words.empty() ? std::vector<std::string>()
                                                     : data::read_lines(options.banned_words));
  const model_file::TranslatorSession& first = sessions.front();
  if (!options.constraints.empty()) {
    translator.check_left_to_right("--constraints");  // before the file is read
    translator.use_constraints({options.constraints, first.target()});
  }
  if (!options.draft.empty()) {
    auto small =
        model_file::load_packed<model_file::TranslatorSession>(options.draft, draft_weights);
    translator.draft_by(std::make_shared<const model_file::TranslatorSession>(std::move(small)),
                        options.draft);
  }
  if (!options.draft_memory.empty()) {
    translator.draft_by(DraftMemory(options.draft_memory, first.source(), first.target()));
  }
  if (!options.shortlist.empty()) {
    translator.check_left_to_right("--shortlist");
    translator.use_shortlist(
        {shortlist_options(options.shortlist), first.source(), first.target()});
  }
  return translator;
}

}  // namespace weft::predict
