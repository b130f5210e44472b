#include "weft/predict/classification/numbers.h"

#include <fmt/format.h>

#include "weft/data/features/labelled_features.h"
#include "weft/data/file_names.h"
#include "weft/data/images/labelled_images.h"

namespace weft::predict {

data::LabelledTextOptions reading_of(const data::LabelledFields& fields,
                                     const models::LabelKinds& labels) {
  data::LabelledTextOptions out = fields.reading();
  if (labels.is<models::NumberLabels>()) out.labels.front().separators.clear();
  return out;
}

data::NumberTable read_numbers(const std::vector<std::string>& files,
                               const data::LabelledFields& fields, const models::InputKinds& input,
                               int64_t width) {
  const data::LabelledTextOptions text = reading_of(fields, models::NumberLabels{});
  data::NumberReader reader(fields.separators, width);
  if (input.is<models::TextInput>()) {
    data::read_labelled_text(files, text, [&](const data::LabelledText& example) {
      reader.add(example.example().labels.front().front(), example.where());
    });
  } else if (input.is<models::ImageInput>()) {
    data::read_labelled_images(files, text, [&](const data::LabelledImage& example) {
      reader.add(example.labels.front(), example.where);
    });
  } else {
    data::read_labelled_sequences(files, text, [&](const data::LabelledSequence& example) {
      reader.add(example.labels.front(), example.where);
    });
  }
  return reader.table(data::joined_names(files));
}

data::LabelSet number_names(int64_t width) {
  std::vector<std::string> names;
  for (int64_t i = 1; i <= width; ++i) names.push_back(std::to_string(i));
  return data::LabelSet(std::move(names), "numbers");
}

data::Labels standardised(data::Labels numbers, const data::ChannelStatistics& statistics) {
  const size_t width = statistics.mean.size();
  for (size_t i = 0; i < numbers.values.size(); ++i) {
    const size_t column = i % width;
    numbers.values[i] = static_cast<float>((numbers.values[i] - statistics.mean[column]) /
                                           statistics.deviation[column]);
  }
  return numbers;
}

LabelScores in_units(LabelScores scores, const data::ChannelStatistics& statistics) {
  const size_t width = statistics.mean.size();
  for (size_t i = 0; i < scores.values.size(); ++i) {
    const size_t column = i % width;
    scores.values[i] = static_cast<float>(scores.values[i] * statistics.deviation[column] +
                                          statistics.mean[column]);
  }
  return scores;
}

LabelScores results_of(const model_file::ClassifierSession& session, LabelScores scores) {
  return session.model.options.has_numbers()
             ? in_units(std::move(scores), session.numbers)
             : probabilities_of(std::move(scores), session.model.options,
                                session.params.temperature);
}

void add_share(std::span<const float> results, size_t models, std::span<float> sum) {
  const double share = 1 / static_cast<double>(models);
  for (size_t i = 0; i < sum.size(); ++i) {
    sum[i] = static_cast<float>(sum[i] + share * static_cast<double>(results[i]));
  }
}

NumberEvaluation evaluate_numbers(const LabelScores& predicted, std::span<const float> expected) {
  NumberEvaluation out;
  for (int64_t column = 0; column < predicted.labels; ++column) {
    std::vector<double> right, given;
    for (auto i = static_cast<size_t>(column); i < expected.size();
         i += static_cast<size_t>(predicted.labels)) {
      right.push_back(expected[i]);
      given.push_back(predicted.values[i]);
    }
    out.columns.push_back(metrics::regression_scores(right, given));
  }
  return out;
}

std::string NumberEvaluation::text() const {
  if (columns.size() == 1) return columns.front().text() + "\n";
  std::string out;
  for (size_t i = 0; i < columns.size(); ++i) {
    out += fmt::format("number {}: {}\n", i + 1, columns[i].text());
  }
  return out + fmt::format("mean: {}\n", mean().text());
}

}  // namespace weft::predict
