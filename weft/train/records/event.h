// Events of TensorBoard: messages of tensorflow/core/util/event.proto and framework/summary.proto,
// written by field number. A record of an event file (weft/formats/tfrecord.h) is one Event.
#ifndef WEFT_TRAIN_RECORDS_EVENT_H_
#define WEFT_TRAIN_RECORDS_EVENT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "weft/data/images/image.h"
#include "weft/data/protobuf.h"
#include "weft/train/records/parts.h"

namespace weft::train {

// When an event happened.
struct EventTime {
  double wall = 0;  // seconds since 1970
  int64_t step = 0;
};

// The first event of a file.
std::string version_event(const EventTime& time);

// A SessionLog START: what earlier files hold of this step and later ones is void.
std::string restart_event(const EventTime& time);

// Values by tag: one event.
class Summary {
 public:
  void scalar(std::string_view tag, double value);
  void histogram(std::string_view tag, const Histogram& histogram);
  void image(std::string_view tag, const data::Image& image);  // as PNG
  void text(std::string_view tag, std::string_view markdown);

  std::string event(const EventTime& time) const;

 private:
  void add(std::string_view tag, data::ProtobufWriter value);

  data::ProtobufWriter values_;
};

// The step of an event. Throws FormatError, naming `where`, for bytes that are not an event.
int64_t step_of(std::string_view event, std::string_view where);

}  // namespace weft::train

#endif  // WEFT_TRAIN_RECORDS_EVENT_H_
