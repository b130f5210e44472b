// Hard negatives for pairs of texts.
#include <algorithm>
#include <limits>
#include <utility>

#include "weft/api/inputs.h"
#include "weft/api/loaded_model.h"
#include "weft/api/read_options.h"
#include "weft/core/chunks.h"
#include "weft/core/error.h"
#include "weft/core/interruption.h"
#include "weft/core/log.h"
#include "weft/core/text/counted.h"
#include "weft/data/sequences/sequence_numbers.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/embed.h"
#include "weft/predict/embedding/embedder.h"
#include "weft/predict/embedding/negatives.h"

namespace weft {
namespace {

struct MinerOptions {
  predict::NegativeOptions negatives;
  predict::VectorOptions firsts;
  std::string document_prompt_name, document_prompt;
  predict::TextBatchOptions lines;

  template <class V>
  void fields(V& v) {
    negatives.fields(v);
    v("prompt-name", firsts.prompt_name,
      {.help = "the text of the model's with this name is put before each first text; by default "
               "that which the model says, if any"});
    v("prompt", firsts.prompt, {.help = "a text that is put before each first text"});
    v("document-prompt-name", document_prompt_name,
      {.help = "the same before each second text and negative"});
    v("document-prompt", document_prompt,
      {.help = "a text that is put before each second text and negative"});
    firsts.form_fields(v);
    lines.fields(v);
  }

  predict::VectorOptions of_documents() const {
    predict::VectorOptions out = firsts;
    out.prompt_name = document_prompt_name;
    out.prompt = document_prompt;
    return out;
  }
};

// A number for each text, the same where the model reads the same tokens.
std::vector<int64_t> number_texts(const predict::Embedder& embedder, int64_t together,
                                  std::span<const std::string> texts,
                                  data::SequenceNumbers& numbers) {
  std::vector<int64_t> out;
  for (const auto& some : chunks(texts, together)) {
    Report unread;
    const auto prepared = embedder.prepare(api::lines_of(some), unread);
    auto tokens = prepared.requests.begin();
    for (const auto& input : prepared.inputs) {
      out.push_back(input.fault ? numbers.unused() : numbers.number_of(*tokens++));
    }
    interruption_point();
  }
  return out;
}

// Some of the texts that have numbers, each once, in the order in which they came.
class NumberedTexts {
 public:
  explicit NumberedTexts(int64_t numbers) : rows_(static_cast<size_t>(numbers), -1) {}

  // The row of a text.
  int64_t add(int64_t number, const std::string& text) {
    int64_t& row = rows_[static_cast<size_t>(number)];
    if (row < 0) {
      row = std::ssize(texts_);
      texts_.push_back(text);
    }
    return row;
  }
  // -1: it was not added.
  int64_t row_of(int64_t number) const { return rows_[static_cast<size_t>(number)]; }
  const std::vector<std::string>& all() const { return texts_; }

 private:
  std::vector<int64_t> rows_;
  std::vector<std::string> texts_;
};

// [N, E]; NaN where a text has no vector.
std::vector<float> vectors_of(const predict::Embedder& embedder,
                              const std::vector<std::string>& texts, int64_t together,
                              Report* report) {
  std::vector<float> out;
  out.reserve(texts.size() * static_cast<size_t>(embedder.width()));
  for (const auto& some : chunks(std::span(texts), together)) {
    for (const predict::TextVector& found :
         api::predict_all(embedder, api::lines_of(some), report)) {
      if (found.fault) {
        out.resize(out.size() + static_cast<size_t>(embedder.width()),
                   std::numeric_limits<float>::quiet_NaN());
      }
      out.insert(out.end(), found.values.begin(), found.values.end());
    }
  }
  return out;
}

void check_words(std::span<const PositivePair> pairs) {
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (data::has_word(pairs[i].first) && data::has_word(pairs[i].second)) continue;
    fail<FormatError>("pairs", "pair {} has a text without a word; expected two texts", i + 1);
  }
}

// The texts of pairs and of a corpus, each once, and which of them belong together.
struct Candidates {
  NumberedTexts firsts, documents;
  std::vector<std::pair<int64_t, int64_t>> pairs;  // rows of the first and of the second text
  // For each first text the documents that are not its negatives, in rising order: those of its
  // pairs, and itself.
  std::vector<std::vector<int64_t>> belonging = {};
};

Candidates candidates_of(std::span<const PositivePair> pairs, std::span<const std::string> corpus,
                         const predict::Embedder& embedder, int64_t together) {
  std::vector<std::string> sides[2];
  for (const PositivePair& pair : pairs) {
    sides[0].push_back(pair.first);
    sides[1].push_back(pair.second);
  }
  data::SequenceNumbers numbers;
  const auto number = [&](std::span<const std::string> texts) {
    return number_texts(embedder, together, texts, numbers);
  };
  const std::vector<int64_t> first = number(sides[0]), second = number(sides[1]);
  const std::vector<int64_t> other = number(corpus);
  Candidates out{NumberedTexts(numbers.count()), NumberedTexts(numbers.count()), {}};
  for (size_t i = 0; i < pairs.size(); ++i) {
    out.pairs.emplace_back(out.firsts.add(first[i], pairs[i].first),
                           out.documents.add(second[i], pairs[i].second));
  }
  for (size_t i = 0; i < corpus.size(); ++i) {
    if (data::has_word(corpus[i])) out.documents.add(other[i], corpus[i]);
  }
  out.belonging.resize(out.firsts.all().size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    std::vector<int64_t>& rows = out.belonging[static_cast<size_t>(out.pairs[i].first)];
    rows.push_back(out.pairs[i].second);
    const int64_t itself = out.documents.row_of(first[i]);
    if (itself >= 0) rows.push_back(itself);
  }
  for (std::vector<int64_t>& rows : out.belonging) {
    std::ranges::sort(rows);
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  }
  return out;
}

}  // namespace

struct NegativeMiner::State {
  model_file::EmbedderSession session;
  predict::Embedder firsts, documents;
  predict::NegativeOptions options;
  int64_t together;

  State(const Model& model, const MinerOptions& given)
      : session(api::session_of<model_file::EmbedderSession>(model)),
        firsts(session, given.firsts, given.lines),
        documents(session, given.of_documents(), given.lines, "--document-"),
        options(given.negatives),
        together(given.lines.lines_together()) {}
};

NegativeMiner::NegativeMiner(const Model& model, const Options& options)
    : state_(std::make_shared<const State>(model, api::read_options<MinerOptions>(options))) {}

const OptionSchema& NegativeMiner::schema() { return api::schema_of<MinerOptions>(); }

std::vector<std::vector<std::string>> NegativeMiner::mine(
    std::span<const PositivePair> pairs, std::span<const std::string> corpus, Report* report,
    const std::function<void()>& while_mining) const {
  const InterruptionCheck check(while_mining);
  check_words(pairs);
  const Candidates texts = candidates_of(pairs, corpus, state_->documents, state_->together);
  const std::vector<std::string>&firsts = texts.firsts.all(), &documents = texts.documents.all();
  log::info("{}, {}, {} to choose from", counted(std::ssize(pairs), "pair"),
            counted(std::ssize(firsts), "first text"), counted(std::ssize(documents), "text"));
  const std::vector<float> vectors = vectors_of(state_->firsts, firsts, state_->together, report);
  const predict::NearestVectors collection(
      vectors_of(state_->documents, documents, state_->together, report), state_->documents.width(),
      state_->session.similarity);
  std::vector<predict::NegativeQuery> queries;
  for (const auto& [first, second] : texts.pairs) {
    const auto row = static_cast<size_t>(first), width = static_cast<size_t>(collection.width());
    queries.push_back({.vector = std::span(vectors).subspan(row * width, width),
                       .positive = second,
                       .excluded = texts.belonging[row]});
  }
  const auto found = predict::hard_negatives(collection, queries, state_->options);
  std::vector<std::vector<std::string>> out(pairs.size());
  for (size_t i = 0; i < found.size(); ++i) {
    for (const int64_t row : found[i]) out[i].push_back(documents[static_cast<size_t>(row)]);
  }
  return out;
}

}  // namespace weft
