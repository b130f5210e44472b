// How reports and errors name a data set that is read from several files.
#ifndef WEFT_DATA_FILE_NAMES_H_
#define WEFT_DATA_FILE_NAMES_H_

#include <string>
#include <vector>

namespace weft::data {

// "a.tsv + b.tsv"
inline std::string joined_names(const std::vector<std::string>& files) {
  std::string out;
  for (const std::string& file : files) out += (out.empty() ? "" : " + ") + file;
  return out;
}

}  // namespace weft::data

#endif  // WEFT_DATA_FILE_NAMES_H_
