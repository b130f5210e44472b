#include "weft/tasks/embedding/validation.h"

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"
#include "weft/data/sequences/sequence_numbers.h"
#include "weft/ops/matmul.h"
#include "weft/ops/rows/unit_rows.h"
#include "weft/predict/embedding/embedder.h"

namespace weft::tasks {
namespace {

// Vectors [n, E] of length one, of a column.
Tensor vectors_of(const model_file::EmbedderSession& session, const data::TextGroups& groups,
                  int64_t column) {
  std::vector<std::vector<int32_t>> texts;
  texts.reserve(static_cast<size_t>(groups.size()));
  for (int64_t i = 0; i < groups.size(); ++i) texts.push_back(groups.text(i, column));
  const auto vectors = predict::Embedder(session, {}, {}).run(texts);
  std::vector<float> values;
  for (const std::vector<float>& vector : vectors) {
    if (!std::ranges::all_of(vector, [](float x) { return std::isfinite(x); })) {
      fail<NumericError>("--valid-sets", "a vector is not finite");
    }
    values.insert(values.end(), vector.begin(), vector.end());
  }
  return ops::unit_rows(Tensor::from(values, {groups.size(), session.model.width()}), nullptr);
}

// A number for each text of a column, the same for equal texts.
std::vector<int64_t> text_numbers(const data::TextGroups& groups, int64_t column) {
  data::SequenceNumbers numbers;
  std::vector<int64_t> out;
  out.reserve(static_cast<size_t>(groups.size()));
  for (int64_t i = 0; i < groups.size(); ++i) {
    out.push_back(numbers.number_of(groups.text(i, column)));
  }
  return out;
}

}  // namespace

metrics::RegressionScores similarity_of(const model_file::EmbedderSession& session,
                                        const data::TextGroups& pairs) {
  const Tensor a = vectors_of(session, pairs, 0), b = vectors_of(session, pairs, 1);
  std::vector<double> expected, found;
  for (int64_t i = 0; i < pairs.size(); ++i) {
    const float *x = a.row_range(i, i + 1).data<float>(), *y = b.row_range(i, i + 1).data<float>();
    double cosine = 0;
    for (int64_t e = 0; e < a.cols(); ++e) cosine += double{x[e]} * y[e];
    found.push_back(cosine);
    expected.push_back(pairs.score(i));
  }
  return metrics::regression_scores(expected, found);
}

metrics::RetrievalScores retrieval_of(const model_file::EmbedderSession& session,
                                      const data::TextGroups& pairs) {
  constexpr int64_t kQueries = 256;  // at a time
  const Tensor queries = vectors_of(session, pairs, 0), documents = vectors_of(session, pairs, 1);
  const std::vector<int64_t> texts = text_numbers(pairs, 1);
  std::vector<int64_t> ranks;
  for (int64_t begin = 0; begin < pairs.size(); begin += kQueries) {
    const int64_t end = std::min(begin + kQueries, pairs.size());
    const Tensor scores =
        ops::matmul(queries.row_range(begin, end), documents, {.b = true}, nullptr);  // [q, n]
    for (int64_t i = begin; i < end; ++i) {
      const float* row = scores.row_range(i - begin, i - begin + 1).data<float>();
      int64_t rank = 1;
      for (int64_t j = 0; j < pairs.size(); ++j) {
        const bool is_other = texts[static_cast<size_t>(j)] != texts[static_cast<size_t>(i)];
        if (is_other && row[j] >= row[i]) ++rank;
      }
      ranks.push_back(rank);
    }
  }
  return metrics::retrieval_scores(ranks);
}

}  // namespace weft::tasks
