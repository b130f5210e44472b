#include "weft/data/corpus.h"

namespace weft::data {
namespace {

CorpusContents read_into_memory(const CorpusText& text) {
  const auto memory = std::make_shared<std::vector<ChunkWords>>();
  CorpusContents out;
  out.parts = read_corpus(text, [&](ChunkWords chunk) { memory->push_back(std::move(chunk)); });
  for (const ChunkWords& chunk : *memory) {
    out.chunks.push_back(view_chunk(chunk, vocabulary_sizes(text.tokenisers), "text"));
  }
  out.memory = memory;
  return out;
}

CorpusContents contents_of(const CorpusText& text, ChunkWords words) {
  const auto memory = std::make_shared<ChunkWords>(std::move(words));
  CorpusContents out;
  out.chunks = {view_chunk(*memory, vocabulary_sizes(text.tokenisers), "text")};
  out.parts.begins = {0, out.chunks.front().size()};
  out.memory = memory;
  return out;
}

}  // namespace

Corpus::Corpus(const CorpusText& text, ChunkWords chunk)
    : Corpus(text, contents_of(text, std::move(chunk))) {}

Corpus::Corpus(const CorpusText& text) : Corpus(text, read_into_memory(text)) {}

Corpus::Corpus(const std::vector<CorpusFiles>& parts, std::vector<TokeniserPtr> tokenisers,
               const CorpusLimits& limits)
    : Corpus(CorpusText{parts, std::move(tokenisers), limits}) {}

Corpus::Corpus(const CorpusText& text, CorpusContents contents)
    : tokenisers_(text.tokenisers), contents_(std::move(contents)) {
  for (const CorpusFiles& files : text.parts) weights_.push_back(files.weight);
}

Cost Corpus::cost(int64_t example) const {
  const int64_t target = field_count() - 1;
  Cost cost{.rows = length(target, example) + 1};
  for (int64_t field = 0; field < target; ++field) cost.other_rows += length(field, example) + 1;
  return cost;
}

std::vector<Part> Corpus::parts() const {
  std::vector<Part> parts;
  for (size_t p = 0; p < weights_.size(); ++p) {
    parts.push_back({contents_.parts.begins[p], contents_.parts.begins[p + 1], weights_[p]});
  }
  return parts;
}

Batch Corpus::batch(std::span<const int64_t> examples) const {
  Batch out;
  out.examples.assign(examples.begin(), examples.end());
  for (int64_t field = 0; field < field_count(); ++field) {
    const int32_t end_id = tokenisers_[field]->end_id();
    Tokens tokens;
    for (const int64_t example : examples) tokens.add(ids(field, example), end_id);
    out.fields.emplace_back(std::move(tokens));
  }
  return out;
}

uint64_t Corpus::fingerprint() const {
  if (contents_.fingerprint) return *contents_.fingerprint;
  const auto chunk = [this](int64_t i) { return contents_.chunks[i]; };
  return corpus_fingerprint(field_count(), std::ssize(contents_.chunks), chunk,
                            contents_.parts.begins);
}

}  // namespace weft::data
