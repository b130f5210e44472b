#include "bindings/python/src/convert.h"

namespace weft::python {
namespace {

nb::object checked(PyObject* object) {
  if (object == nullptr) nb::raise_python_error();
  return nb::steal(object);
}

std::string bytes_of(nb::handle bytes) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(bytes.ptr(), &data, &size) != 0) nb::raise_python_error();
  return {data, static_cast<size_t>(size)};
}

std::string name_of_type(nb::handle value) {
  return text_of(value.type().attr("__name__"), "type");
}

// An array of numpy that owns the numbers.
template <class T>
nb::object array_of(std::vector<T> numbers, const std::vector<size_t>& shape) {
  auto* const values = new std::vector<T>(std::move(numbers));
  const nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(values->data(), shape.size(), shape.data(), owner));
}

OptionValue value_of(nb::handle value, const std::string& name) {
  if (PyBool_Check(value.ptr())) return value.ptr() == Py_True;
  if (PyLong_Check(value.ptr())) return text_of(nb::str(value), name.c_str());
  if (PyFloat_Check(value.ptr())) return PyFloat_AsDouble(value.ptr());
  return text_of(value, name.c_str());
}

}  // namespace

std::string text_of(nb::handle value, const char* what) {
  if (PyUnicode_Check(value.ptr())) {
    Py_ssize_t size = 0;
    if (const char* text = PyUnicode_AsUTF8AndSize(value.ptr(), &size)) {
      return {text, static_cast<size_t>(size)};
    }
    PyErr_Clear();
    PyObject* bytes = PyUnicode_AsEncodedString(value.ptr(), "utf-8", "surrogateescape");
    if (bytes == nullptr) {  // other surrogates: not UTF-8, which is for the library to say
      PyErr_Clear();
      bytes = PyUnicode_AsEncodedString(value.ptr(), "utf-8", "surrogatepass");
    }
    return bytes_of(checked(bytes));
  }
  if (PyBytes_Check(value.ptr())) return bytes_of(value);
  if (nb::hasattr(value, "__fspath__")) return text_of(value.attr("__fspath__")(), what);
  throw nb::type_error(
      (std::string(what) + ": expected a str, got " + name_of_type(value)).c_str());
}

std::vector<std::string> texts_of(nb::handle values, const char* what) {
  std::vector<std::string> out;
  out.reserve(nb::len_hint(values));
  for (const nb::handle value : values) out.push_back(text_of(value, what));
  return out;
}

nb::str str_of(std::string_view text) {
  return nb::steal<nb::str>(
      checked(PyUnicode_DecodeUTF8(text.data(), std::ssize(text), "replace")).release());
}

nb::list list_of(const std::vector<std::string>& texts) {
  return list_of(texts, [](const std::string& text) { return str_of(text); });
}

Options options_of(const nb::dict& given) {
  Options out;
  for (const auto& [key, value] : given) {
    if (value.is_none()) continue;
    const std::string name = text_of(key, "the name of an option");
    if (!nb::isinstance<nb::list>(value) && !nb::isinstance<nb::tuple>(value)) {
      out.push_back({name, value_of(value, name)});
      continue;
    }
    std::vector<OptionValue> values;
    for (const nb::handle one : value) values.push_back(value_of(one, name));
    out.push_back({name, OptionValue(values)});
  }
  return out;
}

nb::object fault_of(const std::optional<Fault>& fault) {
  if (!fault) return nb::none();
  const auto name = [&] {
    switch (fault->kind) {
      case FaultKind::kEmpty: return "empty";
      case FaultKind::kTooLong: return "too-long";
      case FaultKind::kNotUtf8: return "not-utf-8";
      case FaultKind::kUnreadable: return "unreadable";
      case FaultKind::kOverContext: return "over-context";
      case FaultKind::kNoMask: return "no-mask";
      case FaultKind::kNotFinite: break;
    }
    return "not-finite";
  };
  return nb::make_tuple(name(), str_of(fault->reason));
}

nb::object news_of(const Report& report) {
  if (!report.has_news()) return nb::none();
  return nb::make_tuple(report.problems() > 0, str_of(report.text()));
}

nb::object array_of(Array array) {
  return array_of(std::move(array.values), {array.shape.begin(), array.shape.end()});
}

nb::object array_of(std::vector<double> numbers) {
  const size_t size = numbers.size();
  return array_of(std::move(numbers), {size});
}

nb::object array_of(Picture picture) {
  const auto side = [](int64_t length) { return static_cast<size_t>(length); };
  return array_of(std::move(picture.pixels),
                  {side(picture.height), side(picture.width), side(picture.channels)});
}

std::vector<Model> models_of(const nb::list& models) {
  std::vector<Model> out;
  for (const nb::handle model : models) out.push_back(nb::cast<const Model&>(model));
  return out;
}

void check_signals() {
  if (PyErr_CheckSignals() != 0) nb::raise_python_error();
}

}  // namespace weft::python
