#include "weft/data/corpus/corpus.h"

namespace weft::data {
namespace {

class TokensInMemory : public CorpusTokens {
 public:
  void add(ChunkWords words, std::span<const int32_t> vocabularies) {
    words_.push_back(std::move(words));
    chunks_.push_back(view_chunk(words_.back(), vocabularies, "text"));
  }
  const std::vector<CorpusChunk>& chunks() const { return chunks_; }

  std::vector<int32_t> ids(int64_t field, int64_t example) const override {
    const CorpusChunk::Field& in = field_of(field, example);
    const int64_t i = example % kChunkExamples;
    return {in.ids.begin() + in.offsets[i], in.ids.begin() + in.offsets[i + 1]};
  }
  int64_t length(int64_t field, int64_t example) const override {
    const CorpusChunk::Field& in = field_of(field, example);
    const int64_t i = example % kChunkExamples;
    return in.offsets[i + 1] - in.offsets[i];
  }
  int64_t line(int64_t example) const override {
    return chunks_[example / kChunkExamples].lines[example % kChunkExamples];
  }

 private:
  const CorpusChunk::Field& field_of(int64_t field, int64_t example) const {
    return chunks_[example / kChunkExamples].fields[field];
  }

  std::vector<ChunkWords> words_;
  std::vector<CorpusChunk> chunks_;  // views of them
};

CorpusContents read_into_memory(const CorpusText& text) {
  const auto tokens = std::make_shared<TokensInMemory>();
  const std::vector<int32_t> vocabularies = vocabulary_sizes(text.tokenisers);
  CorpusContents out{.tokens = tokens, .parts = {}};
  out.parts =
      read_corpus(text, [&](ChunkWords chunk) { tokens->add(std::move(chunk), vocabularies); });
  const auto chunk = [&](int64_t i) { return tokens->chunks()[i]; };
  out.fingerprint =
      corpus_fingerprint(text.field_count(), std::ssize(tokens->chunks()), chunk, out.parts.begins);
  return out;
}

CorpusContents contents_of(const CorpusText& text, ChunkWords words) {
  const auto tokens = std::make_shared<TokensInMemory>();
  tokens->add(std::move(words), vocabulary_sizes(text.tokenisers));
  CorpusContents out{.tokens = tokens, .parts = {}};
  out.parts.begins = {0, tokens->chunks().front().size()};
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

}  // namespace weft::data
