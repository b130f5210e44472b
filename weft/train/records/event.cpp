#include "weft/train/records/event.h"

#include "weft/data/images/png.h"

namespace weft::train {
namespace {

using data::ProtobufWriter;

// Field numbers.
namespace event {
constexpr uint32_t kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5, kSessionLog = 7;
}
namespace value {
constexpr uint32_t kTag = 1, kSimple = 2, kImage = 4, kHistogram = 5, kTensor = 8, kMetadata = 9;
}

ProtobufWriter begin(const EventTime& time) {
  ProtobufWriter out;
  out.real(event::kWallTime, time.wall);
  out.integer(event::kStep, static_cast<uint64_t>(time.step));
  return out;
}

}  // namespace

std::string version_event(const EventTime& time) {
  ProtobufWriter out = begin(time);
  out.bytes(event::kFileVersion, "brain.Event:2");
  return out.text();
}

std::string restart_event(const EventTime& time) {
  constexpr uint32_t kStatus = 1, kStart = 1;
  ProtobufWriter log, out = begin(time);
  log.integer(kStatus, kStart);
  out.bytes(event::kSessionLog, log.text());
  return out.text();
}

void Summary::add(std::string_view tag, ProtobufWriter value) {
  constexpr uint32_t kValue = 1;
  value.bytes(value::kTag, tag);
  values_.bytes(kValue, value.text());
}

void Summary::scalar(std::string_view tag, double value) {
  ProtobufWriter out;
  out.number(value::kSimple, static_cast<float>(value));
  add(tag, std::move(out));
}

void Summary::histogram(std::string_view tag, const Histogram& histogram) {
  constexpr uint32_t kMin = 1, kMax = 2, kCount = 3, kSum = 4, kSquares = 5, kLimits = 6, kBins = 7;
  ProtobufWriter message, out;
  message.real(kMin, histogram.min);
  message.real(kMax, histogram.max);
  message.real(kCount, static_cast<double>(histogram.count));
  message.real(kSum, histogram.sum);
  message.real(kSquares, histogram.sum_of_squares);
  message.reals(kLimits, histogram.limits);
  message.reals(kBins, histogram.counts);
  out.bytes(value::kHistogram, message.text());
  add(tag, std::move(out));
}

void Summary::image(std::string_view tag, const data::Image& image) {
  constexpr uint32_t kHeight = 1, kWidth = 2, kColours = 3, kEncoded = 4;
  ProtobufWriter message, out;
  message.integer(kHeight, static_cast<uint64_t>(image.height));
  message.integer(kWidth, static_cast<uint64_t>(image.width));
  message.integer(kColours, static_cast<uint64_t>(image.channels));
  message.bytes(kEncoded, data::encode_png(image));
  out.bytes(value::kImage, message.text());
  add(tag, std::move(out));
}

void Summary::text(std::string_view tag, std::string_view markdown) {
  constexpr uint32_t kPluginData = 1, kPluginName = 1;
  constexpr uint32_t kType = 1, kShape = 2, kStrings = 8, kDimension = 2, kSize = 1;
  constexpr uint64_t kString = 7;  // DT_STRING
  ProtobufWriter plugin, metadata, dimension, shape, tensor, out;
  plugin.bytes(kPluginName, "text");
  metadata.bytes(kPluginData, plugin.text());
  dimension.integer(kSize, 1);
  shape.bytes(kDimension, dimension.text());
  tensor.integer(kType, kString);
  tensor.bytes(kShape, shape.text());
  tensor.bytes(kStrings, markdown);
  out.bytes(value::kMetadata, metadata.text());
  out.bytes(value::kTensor, tensor.text());
  add(tag, std::move(out));
}

std::string Summary::event(const EventTime& time) const {
  ProtobufWriter out = begin(time);
  out.bytes(event::kSummary, values_.text());
  return out.text();
}

int64_t step_of(std::string_view event, std::string_view where) {
  int64_t step = 0;
  for (data::ProtobufReader in(event, where); in.next();) {
    if (in.field() == event::kStep) step = static_cast<int64_t>(in.integer());
  }
  return step;
}

}  // namespace weft::train
