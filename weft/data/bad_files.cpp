#include "weft/data/bad_files.h"

#include <fmt/format.h>

#include "weft/core/counted.h"
#include "weft/core/log.h"

namespace weft::data {

void SkippedFiles::add(const std::string& fault) {
  if (rule_ == BadFiles::kRefuse) throw FormatError(fault);
  constexpr int64_t kNamed = 10;
  ++count_;
  if (count_ <= kNamed) log::warn("{}: left out", fault);
  if (count_ == kNamed + 1) log::warn("more files are left out, which are counted and not named");
}

std::string SkippedFiles::report() const {
  return count_ == 0 ? "" : fmt::format("; {} left out", counted(count_, "file"));
}

}  // namespace weft::data
