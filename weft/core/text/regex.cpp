#include "weft/core/text/regex.h"

#include <oniguruma.h>

#include "weft/core/error.h"

namespace weft {
namespace {

// Steps back in a match; in the whole search twenty times as many.
constexpr unsigned long kMaxRetries = 1'000'000;
constexpr size_t kMaxPattern = 20'000;  // bytes
constexpr unsigned int kMaxNesting = 200;

const OnigUChar* bytes_of(std::string_view text) {
  return reinterpret_cast<const OnigUChar*>(text.data());
}

std::string message_of(int code, OnigErrorInfo* info) {
  OnigUChar text[ONIG_MAX_ERROR_MESSAGE_LEN];
  const int length = info == nullptr ? onig_error_code_to_str(text, code)
                                     : onig_error_code_to_str(text, code, info);
  return {reinterpret_cast<const char*>(text), static_cast<size_t>(length)};
}

void start_library() {
  static const bool once = [] {
    OnigEncoding encodings[] = {ONIG_ENCODING_UTF8};
    onig_initialize(encodings, 1);
    onig_set_parse_depth_limit(kMaxNesting);
    return true;
  }();
  (void)once;
}

struct Region {
  OnigRegion* found = onig_region_new();
  OnigMatchParam* limits = onig_new_match_param();

  Region() {
    onig_initialize_match_param(limits);
    onig_set_retry_limit_in_match_of_match_param(limits, kMaxRetries);
    onig_set_retry_limit_in_search_of_match_param(limits, 20 * kMaxRetries);
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region() {
    onig_region_free(found, 1);
    onig_free_match_param(limits);
  }
};

}  // namespace

struct Regex::Program {
  regex_t* code = nullptr;
  ~Program() { onig_free(code); }
};

Regex::Regex(std::string_view pattern, std::string_view where) : pattern_(pattern), where_(where) {
  start_library();
  if (pattern.size() > kMaxPattern) {
    fail<FormatError>(where, "a regular expression of {} bytes; expected {} at most",
                      pattern.size(), kMaxPattern);
  }
  auto program = std::make_shared<Program>();
  OnigErrorInfo info;
  const int code = onig_new(&program->code, bytes_of(pattern), bytes_of(pattern) + pattern.size(),
                            ONIG_OPTION_NONE, ONIG_ENCODING_UTF8, ONIG_SYNTAX_DEFAULT, &info);
  if (code != ONIG_NORMAL) {
    fail<FormatError>(where, "the regular expression {}: {}", quote(pattern),
                      message_of(code, &info));
  }
  program_ = std::move(program);
}

std::optional<RegexMatch> Regex::search(std::string_view text, size_t from) const {
  thread_local Region region;
  const OnigUChar* begin = bytes_of(text);
  const OnigUChar* end = begin + text.size();
  const int place = onig_search_with_param(program_->code, begin, end, begin + from, end,
                                           region.found, ONIG_OPTION_NONE, region.limits);
  if (place == ONIG_MISMATCH) return {};
  if (place < 0) {
    fail<FormatError>(where_, "the regular expression {} on a text of {} bytes: {}",
                      quote(pattern_), text.size(), message_of(place, nullptr));
  }
  return RegexMatch{static_cast<size_t>(region.found->beg[0]),
                    static_cast<size_t>(region.found->end[0])};
}

}  // namespace weft
