// Files of a model's folder.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_PATHS_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_PATHS_H_

#include <string>

namespace weft::model_file {

// The path of a file in a folder.
std::string path_in(const std::string& folder, const char* name);

// Throws FileError where the system does not say, as for a cycle of links.
bool file_exists(const std::string& path);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_PATHS_H_
