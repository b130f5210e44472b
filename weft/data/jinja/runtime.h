// What a rendering may use, and what all of its values share.
#ifndef WEFT_DATA_JINJA_RUNTIME_H_
#define WEFT_DATA_JINJA_RUNTIME_H_

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <memory>
#include <vector>

#include "weft/core/error.h"
#include "weft/data/jinja/value.h"

namespace weft::data::jinja {

// Why a rendering fails; the evaluator adds the file, the line and the column.
class RenderError : public Error {
 public:
  using Error::Error;
};

// Throws RenderError.
template <class... Values>
[[noreturn]] void refuse(MessageText<sizeof...(Values)> text, const Values&... values) {
  throw RenderError(message(text, {MessageValue(values)...}));
}

// Templates come from anywhere, so that what they may use is limited.
struct Limits {
  int64_t steps = 20'000'000;   // evaluated nodes, and elements of sequences
  int64_t bytes = 256ll << 20;  // of all texts and sequences that are made
  int64_t depth = 800;          // of nested evaluations, macros within macros among them
  int64_t value_depth = 200;    // of lists within lists
};

class Runtime {
 public:
  explicit Runtime(const std::tm& now, const Limits& limits = {}) : now_(now), limits_(limits) {}
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  const std::tm& now() const { return now_; }
  const Limits& limits() const { return limits_; }

  // Throw RenderError where more is used than the limits allow.
  void use_steps(int64_t count = 1);
  void use_bytes(size_t count);
  // The steps of reading this many bytes.
  void use_scan(size_t count) { use_steps(static_cast<int64_t>(count / 256)); }
  // The most steps of searching a text of `size` bytes for a part, which may almost be everywhere.
  void use_search(size_t size, size_t part) {
    use_scan(part > size ? size : (size - part + 1) * std::max<size_t>(part, 1));
  }

  // Values, whose memory is counted. Lists that are too deep are refused.
  Value text(MarkedText text, bool is_markup = false);
  Value text(std::string text) { return this->text(MarkedText(std::move(text))); }
  Value sequence(std::vector<Value> items, SequenceKind kind = SequenceKind::kList);
  Value dict(std::vector<std::pair<Value, Value>> entries);
  Value make_namespace(std::map<std::string, Value, std::less<>> attributes);
  // Of a loop that holds values: see namespaces_.
  void keep(std::shared_ptr<Loop> loop) { loops_.push_back(std::move(loop)); }

 private:
  int checked_depth(int inner) const;

  std::tm now_;
  Limits limits_;
  int64_t steps_ = 0, bytes_ = 0;
  // They may refer to each other in cycles, and are therefore emptied at the end.
  std::vector<std::shared_ptr<Namespace>> namespaces_;
  std::vector<std::shared_ptr<Loop>> loops_;
};

// Builds a text from parts, and counts its bytes against the limit of the runtime.
class TextBuilder {
 public:
  explicit TextBuilder(Runtime& runtime) : runtime_(runtime) {}

  void append(std::string_view text, Source source = Source::kTemplate) {
    runtime_.use_bytes(text.size());
    text_.append(text, source);
  }
  void append(const MarkedText& text) { append(text, 0, text.size()); }
  void append(const MarkedText& text, size_t begin, size_t end) {
    runtime_.use_bytes(end - begin);
    text_.append(text, begin, end);
  }
  void fill(size_t count, std::string_view text);

  const MarkedText& text() const { return text_; }
  MarkedText take() { return std::move(text_); }

 private:
  Runtime& runtime_;
  MarkedText text_;
};

}  // namespace weft::data::jinja

#endif  // WEFT_DATA_JINJA_RUNTIME_H_
