// TFRecord: records of any length, each with checksums of its length and its data.
// (tensorflow.org/tutorials/load_data/tfrecord)
#ifndef WEFT_FORMATS_TFRECORD_H_
#define WEFT_FORMATS_TFRECORD_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::formats {

// CRC-32C (Castagnoli), as in RFC 3720, B.4.
uint32_t crc32c(std::string_view bytes);

// The record as it is in a file.
std::string tfrecord(std::string_view data);

// Walks through the records of a file. The bytes must outlive the reader.
class TfrecordReader {
 public:
  explicit TfrecordReader(std::string_view file) : file_(file) {}

  // Goes to the next record; false at the end, and at a record that is cut off or damaged.
  bool next();
  std::string_view data() const { return data_; }
  // Bytes of the file up to the end of this record; 0 before the first.
  size_t end() const { return end_; }

 private:
  std::string_view file_, data_;
  size_t end_ = 0;
};

}  // namespace weft::formats

#endif  // WEFT_FORMATS_TFRECORD_H_
