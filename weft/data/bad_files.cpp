#include "weft/data/bad_files.h"

#include <fmt/format.h>

#include "weft/core/log.h"
#include "weft/core/text/counted.h"

namespace weft::data {

void SkippedFiles::add(const std::string& fault) {
  if (params_ == BadFiles::kRefuse) throw FormatError(fault);
  constexpr int64_t kNamed = 10;
  if (++count_ == 1) first_fault_ = fault;
  if (params_ != BadFiles::kSkip) return;
  if (count_ <= kNamed) log::warn("{}: left out", fault);
  if (count_ == kNamed + 1) log::warn("more files are left out, which are counted and not named");
}

std::string SkippedFiles::report() const {
  return count_ == 0 ? "" : fmt::format("; {} left out", counted(count_, "file"));
}

}  // namespace weft::data
