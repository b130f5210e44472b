#include "weft/data/features/labelled_features.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>

#include "weft/core/error.h"
#include "weft/core/hash.h"
#include "weft/core/text/counted.h"
#include "weft/data/file_names.h"
#include "weft/data/labels/listed_file.h"

namespace weft::data {
namespace {

FeatureSequence read_features_of(const std::string& path, const std::string& where) {
  try {
    return read_features(path);
  } catch (const Error& error) {
    fail<FormatError>(where, "{}", error.what());
  }
}

void fill_by_last(FeatureSequence& sequence) {
  for (size_t i = static_cast<size_t>(sequence.width); i < sequence.values.size(); ++i) {
    if (!std::isnan(sequence.values[i])) continue;
    sequence.values[i] = sequence.values[i - static_cast<size_t>(sequence.width)];
  }
}

}  // namespace

MissingNumbers missing_numbers_named(std::string_view name) {
  if (name == "refuse") return MissingNumbers::kRefuse;
  if (name == "mean") return MissingNumbers::kMean;
  if (name == "last") return MissingNumbers::kLast;
  fail<OptionError>("missing numbers", "expected refuse, mean or last, got {}", quote(name));
}

bool apply(const FeatureColumns& params, FeatureSequence& sequence, const std::string& where) {
  if (params.width != 0 && sequence.width != params.width) {
    fail<FormatError>(where, "vectors of {} numbers; expected {}", sequence.width, params.width);
  }
  const bool is_cropped = params.max_rows > 0 && sequence.rows() > params.max_rows;
  if (is_cropped) sequence.values.resize(static_cast<size_t>(params.max_rows * sequence.width));
  if (params.missing == MissingNumbers::kLast) fill_by_last(sequence);
  if (params.missing != MissingNumbers::kRefuse) return is_cropped;
  const auto missing = std::ranges::find_if(sequence.values, [](float x) { return std::isnan(x); });
  if (missing == sequence.values.end()) return is_cropped;
  const int64_t at = missing - sequence.values.begin();
  fail<FormatError>(where,
                    "number {} of vector {} is missing; expected all; hint: --missing mean or last",
                    at % sequence.width + 1, at / sequence.width + 1);
}

void read_labelled_sequences(const std::vector<std::string>& files, const LabelledTextOptions& text,
                             const std::function<void(const LabelledSequence&)>& take) {
  if (files.size() == 1 && is_ts(files.front())) {
    return read_ts(files.front(), [&](const TsExample& example) {
      take({example.where, {example.label}, [&] { return example.sequence; }});
    });
  }
  const std::filesystem::path folder = std::filesystem::path(files.front()).parent_path();
  read_labelled_text(files, text, [&](const LabelledText& line) {
    const LabelledExample& example = line.example();
    const std::vector<std::string_view>& labels = example.labels.front();
    const std::string where = line.where();
    const ListedFile file{folder, std::string(example.text),
                          std::string(labels.empty() ? "" : labels.front())};
    take({where, {labels.begin(), labels.end()}, [&] {
            return read_listed(file, kSwappedLabels, [&](const std::string& path) {
              return read_features_of(path, where);
            });
          }});
  });
}

LabelSet collect_sequence_labels(const std::vector<std::string>& files,
                                 const LabelledTextOptions& text) {
  LabelCounter counter;
  read_labelled_sequences(files, text, [&](const LabelledSequence& example) {
    for (const std::string& label : example.labels) counter.add(label);
  });
  return counter.labels(joined_names(files));
}

LabelledFeatures::LabelledFeatures(const std::vector<std::string>& files,
                                   const LabelledTextOptions& text, const FeatureColumns& params,
                                   const LabelSet& labels)
    : params_(params), name_(joined_names(files)), skipped_(params.bad_files) {
  read_labelled_sequences(files, text, [&](const LabelledSequence& in) {
    std::vector<int32_t> ids;
    for (const std::string& label : in.labels) ids.push_back(labels.id(label, in.where));
    std::ranges::sort(ids);
    std::optional<FeatureSequence> sequence = skipped_.read(in.sequence);
    if (!sequence) return;
    cropped_ += apply(params_, *sequence, in.where) ? 1 : 0;
    params_.width = sequence->width;
    values_.insert(values_.end(), sequence->values.begin(), sequence->values.end());
    segments_.append(sequence->rows());
    labels_.push_back(std::move(ids));
  });
  if (labels_.empty()) fail<FormatError>(name_, "no sequence; expected at least one");
}

Batch LabelledFeatures::batch(std::span<const int64_t> examples) const {
  Features features;
  features.width = params_.width;
  Labels labels;
  for (const int64_t number : examples) {
    const auto begin = values_.begin() + segments_.begin(number) * params_.width;
    features.values.insert(features.values.end(), begin,
                           begin + segments_.length(number) * params_.width);
    features.segments.append(segments_.length(number));
    labels.add(labels_[static_cast<size_t>(number)]);
  }
  Batch out;
  out.examples.assign(examples.begin(), examples.end());
  out.fields.emplace_back(std::move(features));
  out.fields.emplace_back(std::move(labels));
  return out;
}

uint64_t LabelledFeatures::fingerprint() const {
  Hash hash;
  hash.add(static_cast<uint64_t>(params_.width));
  for (const int32_t offset : segments_.offsets) hash.add(static_cast<uint32_t>(offset));
  for (const float value : values_) hash.add(std::bit_cast<uint32_t>(value));
  for (const std::vector<int32_t>& ids : labels_) {
    hash.add(ids.size());
    for (const int32_t id : ids) hash.add(static_cast<uint32_t>(id));
  }
  return hash.value();
}

std::string LabelledFeatures::report() const {
  std::string out =
      fmt::format("{}: {} of {}, {}", name_, counted(size(), "sequence"),
                  counted(params_.width, "channel"), counted(segments_.rows(), "vector"));
  const auto missing = std::ranges::count_if(values_, [](float x) { return std::isnan(x); });
  if (missing > 0) out += fmt::format("; {} numbers missing", missing);
  if (cropped_ > 0) out += fmt::format("; {} cropped", cropped_);
  return out + skipped_.report();
}

}  // namespace weft::data
