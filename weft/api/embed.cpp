#include "weft/embed.h"

#include <algorithm>

#include "weft/api/inputs.h"
#include "weft/api/loaded_model.h"
#include "weft/api/read_options.h"
#include "weft/predict/embedding/embedder.h"

namespace weft {
namespace {

struct EmbedderOptions {
  predict::VectorOptions vectors;
  predict::TextBatchOptions lines;

  template <class V>
  void fields(V& v) {
    vectors.fields(v);
    lines.fields(v);
  }
};

}  // namespace

struct Embedder::State {
  model_file::EmbedderSession session;
  predict::Embedder embedder;

  State(const Model& model, const EmbedderOptions& options)
      : session(api::session_of<model_file::EmbedderSession>(model)),
        embedder(session, options.vectors, options.lines) {}
};

Embedder::Embedder(const Model& model, const Options& options)
    : state_(std::make_shared<const State>(model, api::read_options<EmbedderOptions>(options))) {}

const OptionSchema& Embedder::schema() { return api::schema_of<EmbedderOptions>(); }

int64_t Embedder::dimensions() const { return state_->embedder.width(); }

std::string_view Embedder::similarity() const { return state_->session.similarity; }

Embeddings Embedder::embed(std::span<const std::string> texts, Report* report) const {
  return embed(api::lines_of(texts), report);
}

Embeddings Embedder::embed(std::span<const Line> lines, Report* report) const {
  const auto width = static_cast<size_t>(dimensions());
  Embeddings out{.vectors = {.shape = {std::ssize(lines), dimensions()},
                             .values = std::vector<float>(lines.size() * width)},
                 .faults = {}};
  auto row = out.vectors.values.begin();
  for (predict::TextVector& vector : api::predict_all(state_->embedder, lines, report)) {
    if (!vector.fault) std::ranges::copy(vector.values, row);
    row += static_cast<std::ptrdiff_t>(width);
    out.faults.push_back(std::move(vector.fault));
  }
  return out;
}

}  // namespace weft
