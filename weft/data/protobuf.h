// Protocol buffers on the wire: a message's fields read one by one, every length checked, and
// written one by one. (protobuf.dev/programming-guides/encoding)
#ifndef WEFT_DATA_PROTOBUF_H_
#define WEFT_DATA_PROTOBUF_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weft::data {

// The bytes must outlive the reader. Errors are FormatErrors at `where`.
class ProtobufReader {
 public:
  ProtobufReader(std::string_view bytes, std::string_view where) : rest_(bytes), where_(where) {}

  // Goes to the next field; false at the end. Throws where one is cut off or malformed; groups,
  // which were given up long ago, count as malformed.
  bool next();

  uint32_t field() const { return field_; }  // of the current field, its number
  // The current field's value; throws where the field is of another type.
  uint64_t integer() const;
  float number() const;
  std::string_view bytes() const;

 private:
  enum class Wire { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  uint64_t read_varint();
  std::string_view read_bytes(uint64_t size);
  void require(Wire wire) const;

  std::string_view rest_;
  std::string_view where_;
  uint32_t field_ = 0;
  Wire wire_ = Wire::kVarint;
  uint64_t integer_ = 0;
  std::string_view bytes_;  // of a fixed or length-delimited field
};

class ProtobufWriter {
 public:
  void integer(uint32_t field, uint64_t value);
  void number(uint32_t field, float value);
  void real(uint32_t field, double value);
  void reals(uint32_t field, std::span<const double> values);  // packed
  void bytes(uint32_t field, std::string_view value);

  const std::string& text() const { return text_; }

 private:
  void varint(uint64_t value);

  std::string text_;
};

}  // namespace weft::data

#endif  // WEFT_DATA_PROTOBUF_H_
