#include "weft/formats/torch/tensor_pickle.h"

#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "weft/core/error.h"
#include "weft/core/text/utf8.h"

// Python's pickletools says what the instructions do.
namespace weft::formats {
namespace {

// Values are numbered and never copied: a pickle can use one many times, and put it into itself.
using ValueId = uint32_t;

enum class ValueKind {
  kNone,
  kBool,
  kInteger,
  kFraction,
  kText,
  kTuple,
  kList,
  kDict,      // items: key, value, key, value, ...
  kFunction,  // text: its module, a dot and its name
  kStorage,   // items: its name; integer: the place of its type in kStorageTypes
  kTensor,    // items: a storage, and tuples of the shape and the strides; integer: the offset
};

struct Value {
  ValueKind kind = ValueKind::kNone;
  int64_t integer = 0;
  std::string text = {};
  std::vector<ValueId> items = {};
};

constexpr std::pair<std::string_view, std::string_view> kStorageTypes[] = {
    {"torch.FloatStorage", "F32"},  {"torch.HalfStorage", "F16"}, {"torch.BFloat16Storage", "BF16"},
    {"torch.DoubleStorage", "F64"}, {"torch.LongStorage", "I64"}, {"torch.IntStorage", "I32"},
    {"torch.ShortStorage", "I16"},  {"torch.CharStorage", "I8"},  {"torch.ByteStorage", "U8"},
    {"torch.BoolStorage", "BOOL"},
};
constexpr std::string_view kOrderedDict = "collections.OrderedDict";
constexpr std::string_view kRebuildTensor = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view kRebuildParameter = "torch._utils._rebuild_parameter";

constexpr uint8_t kHighestProtocol = 5;
constexpr size_t kMaxDimensions = 8, kMaxStorageName = 64;
constexpr size_t kMaxPickleBytes = size_t{1}
                                   << 23;  // values take more memory than their instructions

class PickleReader {
 public:
  PickleReader(std::string_view where, std::string_view bytes) : where_(where), bytes_(bytes) {}

  std::vector<PickledTensor> read() {
    if (bytes_.size() > kMaxPickleBytes) {
      refuse("a pickle of {} bytes; expected at most {}", bytes_.size(), kMaxPickleBytes);
    }
    while (!is_done_) step(static_cast<uint8_t>(take(1).front()));
    return tensors_in(pop());
  }

 private:
  template <class... Values>
  [[noreturn]] void refuse(MessageText<sizeof...(Values)> text, const Values&... values) const {
    fail<FormatError>(where_, text, values...);
  }
  [[noreturn]] void damaged() const { refuse("a damaged pickle"); }

  std::string_view take(uint64_t size) {
    if (size > bytes_.size() - at_) damaged();
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  uint64_t take_number(size_t bytes) {
    uint64_t out = 0;
    size_t shift = 0;
    for (const char byte : take(bytes)) {
      out |= uint64_t{static_cast<unsigned char>(byte)} << shift;
      shift += 8;
    }
    return out;
  }
  std::string_view take_line() {
    const size_t end = bytes_.find('\n', at_);
    if (end == bytes_.npos) damaged();
    const std::string_view out = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return out;
  }

  void push(Value value) {
    stack_.push_back(static_cast<ValueId>(values_.size()));
    values_.push_back(std::move(value));
  }
  void push_integer(int64_t n) { push({.kind = ValueKind::kInteger, .integer = n}); }
  void push_text(std::string_view text) {
    if (!valid_utf8(text)) refuse("a text in the pickle is not UTF-8");
    push({.kind = ValueKind::kText, .text = std::string(text)});
  }
  ValueId pop() {
    const size_t bottom = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() <= bottom) damaged();
    const ValueId out = stack_.back();
    stack_.pop_back();
    return out;
  }
  std::vector<ValueId> pop(size_t count) {
    std::vector<ValueId> out(count);
    for (size_t i = count; i-- > 0;) out[i] = pop();
    return out;
  }
  // The values above the last mark, which is taken away.
  std::vector<ValueId> pop_to_mark() {
    if (marks_.empty()) damaged();
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<ValueId> out(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return out;
  }
  const Value& value(ValueId id) const { return values_[id]; }
  const Value& value_of(ValueId id, ValueKind kind) const {
    if (value(id).kind != kind) damaged();
    return value(id);
  }
  void push_items(ValueKind kind, std::vector<ValueId> items) {
    push({.kind = kind, .items = std::move(items)});
  }
  // Adds items to the list or dict on top of the stack.
  void append(ValueKind kind, const std::vector<ValueId>& items) {
    const ValueId id = pop();
    (void)value_of(id, kind);
    stack_.push_back(id);
    if (kind == ValueKind::kDict && items.size() % 2 != 0) damaged();
    values_[id].items.insert(values_[id].items.end(), items.begin(), items.end());
  }

  void memoize(uint64_t number) {
    const ValueId top = pop();
    stack_.push_back(top);
    memo_[number] = top;
  }
  void recall(uint64_t number) {
    const auto found = memo_.find(number);
    if (found == memo_.end()) damaged();
    stack_.push_back(found->second);
  }

  void step(uint8_t code) {
    if (!step_constant(code) && !step_container(code) && !step_object(code)) {
      refuse(
          "instruction {} of the pickle is not supported; expected a state_dict, of tensors "
          "only",
          static_cast<int>(code));
    }
  }

  bool step_constant(uint8_t code) {
    switch (code) {
      case 0x80:  // PROTO
        if (take_number(1) > kHighestProtocol) refuse("a pickle of an unknown protocol");
        return true;
      case 0x95: take(8); return true;  // FRAME
      case 'N': push({}); return true;
      case 0x88: push({.kind = ValueKind::kBool, .integer = 1}); return true;
      case 0x89: push({.kind = ValueKind::kBool, .integer = 0}); return true;
      case 'K': push_integer(static_cast<int64_t>(take_number(1))); return true;
      case 'M': push_integer(static_cast<int64_t>(take_number(2))); return true;
      case 'J': push_integer(static_cast<int32_t>(take_number(4))); return true;
      case 0x8A: push_long(take(take_number(1))); return true;  // LONG1
      case 'G':
        take(8);
        push({.kind = ValueKind::kFraction});
        return true;
      case 'X': push_text(take(take_number(4))); return true;
      case 0x8C: push_text(take(take_number(1))); return true;  // SHORT_BINUNICODE
      case 0x8D: push_text(take(take_number(8))); return true;  // BINUNICODE8
      default: return false;
    }
  }

  // Two's complement, of 64 bits at most.
  void push_long(std::string_view bytes) {
    if (bytes.size() > sizeof(uint64_t)) refuse("a number of the pickle has more than 64 bits");
    uint64_t bits = !bytes.empty() && (bytes.back() & 0x80) != 0 ? ~uint64_t{0} : 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      bits &= ~(uint64_t{0xFF} << (8 * i));
      bits |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    push_integer(static_cast<int64_t>(bits));
  }

  bool step_container(uint8_t code) {
    switch (code) {
      case '(': marks_.push_back(stack_.size()); return true;
      case '.': is_done_ = true; return true;
      case '0': (void)pop(); return true;
      case ')': push_items(ValueKind::kTuple, {}); return true;
      case ']': push_items(ValueKind::kList, {}); return true;
      case '}': push_items(ValueKind::kDict, {}); return true;
      case 0x85:
      case 0x86:
      case 0x87: push_items(ValueKind::kTuple, pop(size_t{code} - 0x84)); return true;
      case 't': push_items(ValueKind::kTuple, pop_to_mark()); return true;
      case 'a': append(ValueKind::kList, pop(1)); return true;
      case 'e': append(ValueKind::kList, pop_to_mark()); return true;
      case 's': append(ValueKind::kDict, pop(2)); return true;
      case 'u': append(ValueKind::kDict, pop_to_mark()); return true;
      case 'q': memoize(take_number(1)); return true;
      case 'r': memoize(take_number(4)); return true;
      case 0x94: memoize(memo_.size()); return true;  // MEMOIZE
      case 'h': recall(take_number(1)); return true;
      case 'j': recall(take_number(4)); return true;
      default: return false;
    }
  }

  bool step_object(uint8_t code) {
    switch (code) {
      case 'c': {
        const std::string_view module = take_line(), name = take_line();
        push_function(std::string(module) + "." + std::string(name));
        return true;
      }
      case 0x93: {  // STACK_GLOBAL
        const std::vector<ValueId> names = pop(2);
        push_function(value_of(names[0], ValueKind::kText).text + "." +
                      value_of(names[1], ValueKind::kText).text);
        return true;
      }
      case 'R': call(); return true;
      case 'b': (void)pop(); return true;  // BUILD: what an object has beside its items
      case 'Q': push_storage(); return true;
      default: return false;
    }
  }

  static int64_t storage_type(std::string_view name) {
    for (size_t i = 0; i < std::size(kStorageTypes); ++i) {
      if (kStorageTypes[i].first == name) return static_cast<int64_t>(i);
    }
    return -1;
  }

  void push_function(std::string name) {
    const bool is_known = name == kOrderedDict || name == kRebuildTensor ||
                          name == kRebuildParameter || storage_type(name) >= 0;
    if (!is_known) {
      refuse("the pickle asks for {}; expected a state_dict, of tensors only", quote(name));
    }
    push({.kind = ValueKind::kFunction, .text = std::move(name)});
  }

  // The items of a tuple, which stay where they are when values are added.
  std::span<const ValueId> items_of(ValueId tuple) const {
    return value_of(tuple, ValueKind::kTuple).items;
  }

  void call() {
    const std::vector<ValueId> both = pop(2);
    const std::string function = value_of(both[0], ValueKind::kFunction).text;
    const std::span<const ValueId> arguments = items_of(both[1]);
    if (function == kOrderedDict && arguments.empty()) return push_items(ValueKind::kDict, {});
    if (function == kRebuildTensor) return push_tensor(arguments);
    if (function == kRebuildParameter && !arguments.empty()) {
      (void)value_of(arguments[0], ValueKind::kTensor);
      stack_.push_back(arguments[0]);
      return;
    }
    damaged();
  }

  // From ("storage", a type, its name, a device, its number of elements).
  void push_storage() {
    const std::span<const ValueId> items = items_of(pop());
    if (items.size() != 5 || value_of(items[0], ValueKind::kText).text != "storage") damaged();
    const int64_t type = storage_type(value_of(items[1], ValueKind::kFunction).text);
    const size_t name_size = value_of(items[2], ValueKind::kText).text.size();
    if (type < 0 || name_size > kMaxStorageName) damaged();
    push({.kind = ValueKind::kStorage, .integer = type, .items = {items[2]}});
  }

  // From (storage, offset, shape, strides, requires_grad, hooks).
  void push_tensor(std::span<const ValueId> arguments) {
    if (arguments.size() < 4) damaged();
    (void)value_of(arguments[0], ValueKind::kStorage);
    push({.kind = ValueKind::kTensor,
          .integer = value_of(arguments[1], ValueKind::kInteger).integer,
          .items = {arguments[0], arguments[2], arguments[3]}});
  }

  std::vector<int64_t> numbers_in(ValueId tuple) const {
    std::vector<int64_t> out;
    const std::span<const ValueId> items = items_of(tuple);
    if (items.size() > kMaxDimensions) damaged();
    for (const ValueId id : items) {
      out.push_back(value_of(id, ValueKind::kInteger).integer);
      if (out.back() < 0) damaged();
    }
    return out;
  }

  PickledTensor tensor_of(const std::string& name, ValueId id) const {
    const Value& tensor = value(id);
    if (tensor.kind != ValueKind::kTensor) {
      refuse("entry {} is no tensor; expected a state_dict, of tensors only", quote(name));
    }
    const Value& storage = value(tensor.items[0]);
    PickledTensor out{.name = name,
                      .dtype = std::string(kStorageTypes[storage.integer].second),
                      .storage = value(storage.items[0]).text,
                      .offset = tensor.integer,
                      .shape = numbers_in(tensor.items[1]),
                      .strides = numbers_in(tensor.items[2])};
    if (out.shape.size() != out.strides.size() || out.offset < 0) damaged();
    return out;
  }

  std::vector<PickledTensor> tensors_in(ValueId id) const {
    if (value(id).kind != ValueKind::kDict) {
      refuse("the pickle is no dictionary; expected a state_dict, of tensors only");
    }
    const std::vector<ValueId>& items = value(id).items;
    std::map<std::string, size_t> known;
    std::vector<PickledTensor> out;
    for (size_t i = 0; i < items.size(); i += 2) {
      const std::string& name = value_of(items[i], ValueKind::kText).text;
      if (!known.emplace(name, i).second) refuse("tensor {} is there twice", quote(name));
      out.push_back(tensor_of(name, items[i + 1]));
    }
    return out;
  }

  std::string_view where_, bytes_;
  size_t at_ = 0;
  bool is_done_ = false;
  std::vector<Value> values_;
  std::vector<ValueId> stack_;
  std::vector<size_t> marks_;  // sizes of the stack
  std::map<uint64_t, ValueId> memo_;
};

}  // namespace

std::vector<PickledTensor> parse_tensor_pickle(std::string_view where, std::string_view pickle) {
  return PickleReader(where, pickle).read();
}

}  // namespace weft::formats
