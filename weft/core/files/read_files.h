// Which files this process reads, so that it does not write over one of them.
#ifndef WEFT_CORE_FILES_READ_FILES_H_
#define WEFT_CORE_FILES_READ_FILES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace weft {

// The files that open_for_reading() opens on any thread while this object exists: also those whose
// paths stand in other files or that lie in a folder, which no option names. They are known by
// device and inode, so through links and any spelling of a path.
class ReadFiles {
 public:
  ReadFiles();
  ~ReadFiles();
  ReadFiles(const ReadFiles&) = delete;
  ReadFiles& operator=(const ReadFiles&) = delete;

  // Adds a file that is yet to be read; nothing where there is none.
  void add(const std::string& path);
  bool has(const std::string& path) const;
  // Whether one of the files is named in this folder; it may be a link to another.
  bool has_in(const std::string& folder) const;
  // Throws OptionError, naming `option`, if one of the files is at `path`.
  void check_output(std::string_view option, const std::string& path) const;

  // For open_for_reading().
  static void note(const std::string& path, uint64_t device, uint64_t inode);

 private:
  struct Set;
  std::unique_ptr<Set> files_;
};

}  // namespace weft

#endif  // WEFT_CORE_FILES_READ_FILES_H_
