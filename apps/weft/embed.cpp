// weft embed: lines in, a vector for each out; or the nearest lines of a collection.
#include "weft/embed.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <variant>

#include "apps/weft/answer.h"
#include "apps/weft/command.h"
#include "apps/weft/model_options.h"
#include "weft/data/text/text_file.h"
#include "weft/formats/npy.h"

namespace weft::app {
namespace {

struct EmbedOptions {
  ModelOptions model;
  std::string input{kStandardInput};
  std::string output{kStandardOutput};
  LibraryOptions vectors{Embedder::schema()};
  std::string vector_type = "float32";
  bool strict = false;
  std::string nearest;
  std::string nearest_text;
  int64_t top = 5;

  template <class V>
  void fields(V& v) {
    options::group(v, "Text");
    model.fields(v);
    v("input", input,
      {.help = "lines of text, plain or .gz, or - or stdin", .letter = 'i', .reads = true});
    v("output", output,
      {.help = "file of vectors, or - or stdout: an array of NumPy if its name ends in .npy, else "
               "a line for each, with spaces between numbers",
       .letter = 'o',
       .writes = true});
    v("vector-type", vector_type,
      {.help = "type of the numbers: int8, each vector scaled by its largest number; binary, a bit "
               "for each number, 1 where it is above 0, eight in a byte",
       .choices = "float32|int8|binary"});
    vectors.fields(v);
    v("strict", strict,
      {.help = "exit status 1 if a line was cropped, over-long or not UTF-8; a result is written "
               "for every line in any case"});
    options::group(v, "Search");
    v("nearest", nearest,
      {.help = "vectors of a collection, as --output has them of the same model: in place of "
               "vectors, the numbers of its nearest lines, from 1, each with its similarity",
       .reads = true});
    v("nearest-text", nearest_text,
      {.help = "the lines of this collection, which are written in place of their numbers",
       .reads = true});
    v("top", top, {.help = "how many of them", .min = 1, .max = 1e6});
  }

  bool is_array() const { return output.ends_with(".npy"); }
  void validate() const {
    vectors.validate();
    if (nearest.empty()) {
      options::check_unread(
          *this, [](std::string_view name) { return name != "nearest-text" && name != "top"; },
          "without --nearest");
      return;
    }
    options::check_unread(
        *this, [](std::string_view name) { return name != "vector-type"; }, "with --nearest");
    if (is_array()) fail<OptionError>("--output", "expected a file of text with --nearest");
  }
};

// Numbers with spaces between them.
template <class T>
std::string text_of_numbers(const std::vector<T>& numbers) {
  std::string out;
  for (const T number : numbers) {
    if (!out.empty()) out += ' ';
    out += fmt::format("{}", number);
  }
  return out;
}

using Numbers = std::variant<std::vector<float>, std::vector<int8_t>, std::vector<uint8_t>>;

Numbers numbers_of(std::span<const float> vector, const std::string& type) {
  if (type == "int8") return int8_vector(vector);
  if (type == "binary") return sign_bits(vector);
  return std::vector<float>(vector.begin(), vector.end());
}

// The vector of a text.
std::span<const float> row_of(const Embeddings& found, size_t text) {
  const auto width = static_cast<size_t>(found.vectors.shape[1]);
  return std::span(found.vectors.values).subspan(text * width, width);
}

// Where vectors go: lines of text, or an array in which a line without a vector has NaN, or zeros
// of integers.
class VectorSink {
 public:
  VectorSink(const EmbedOptions& options, int64_t width) : type_(options.vector_type) {
    if (!options.is_array()) {
      text_.emplace(options.output);
      return;
    }
    constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    const auto size = static_cast<size_t>(width);
    none_ = numbers_of(std::vector<float>(size, type_ == "float32" ? kNaN : 0), type_);
    const char* const types[] = {"<f4", "|i1", "|u1"};
    const auto row = std::visit([](const auto& x) { return std::ssize(x); }, none_);
    array_.emplace(options.output, types[none_.index()], row);
  }

  void write(const Embeddings& found) {
    std::vector<std::string> lines;
    for (size_t i = 0; i < found.faults.size(); ++i) {
      if (!array_ && found.faults[i]) {
        lines.emplace_back();
        continue;
      }
      const auto put = [&](const auto& x) {
        array_ ? array_->write(std::span(x)) : lines.push_back(text_of_numbers(x));
      };
      std::visit(put, found.faults[i] ? none_ : numbers_of(row_of(found, i), type_));
    }
    if (text_) text_->write(lines);
  }
  void finish() {
    if (array_) array_->commit();
  }

 private:
  std::string type_;
  Numbers none_;
  std::optional<LineSink> text_;
  std::optional<formats::NpyWriter> array_;
};

// The nearest lines of a collection.
class NearestLines {
 public:
  NearestLines(const EmbedOptions& options, const Embedder& embedder)
      : vectors_(options.nearest, embedder), most_(options.top), sink_(options.output) {
    if (options.nearest_text.empty()) return;
    lines_ = data::read_lines(options.nearest_text);
    if (std::ssize(lines_) == vectors_.rows()) return;
    fail<FormatError>(options.nearest_text, "{} lines; expected {}, as {} has vectors",
                      lines_.size(), vectors_.rows(), options.nearest);
  }

  // "line, tab, similarity, tab, line, ..."
  void write(const Embeddings& queries) {
    const auto found = vectors_.find(queries.vectors, most_);
    std::vector<std::string> out;
    for (size_t i = 0; i < found.size(); ++i) {
      std::string& text = out.emplace_back();
      if (queries.faults[i]) continue;
      for (const Neighbour& one : found[i]) {
        if (!text.empty()) text += '\t';
        const auto row = static_cast<size_t>(one.row);
        text += lines_.empty() ? std::to_string(one.row + 1) : lines_[row];
        text += fmt::format("\t{:.6f}", one.score);
      }
    }
    sink_.write(out);
  }
  void finish() const {}

 private:
  NearestVectors vectors_;
  int64_t most_;
  std::vector<std::string> lines_;
  LineSink sink_;
};

template <class Sink>
int embed_lines(const Embedder& embedder, const EmbedOptions& options, Sink sink) {
  LineSource source(options.input);
  Report report;
  const Answering answering{
      .together = lines_together(options.vectors), .done = "embedded", .is_strict = options.strict};
  for (std::vector<Line> lines; next_window(source, answering.together, lines);) {
    sink.write(embedder.embed(lines, &report));
  }
  sink.finish();
  return conclude(report, answering);
}

}  // namespace

int run_embed(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<EmbedOptions>(info, args);
  if (!options) return 0;
  const Embedder embedder(options->model.load("embedder"), options->vectors.changed());
  if (!options->nearest.empty()) {
    return embed_lines(embedder, *options, NearestLines(*options, embedder));
  }
  return embed_lines(embedder, *options, VectorSink(*options, embedder.dimensions()));
}

}  // namespace weft::app
