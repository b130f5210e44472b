#include "weft/data/corpus/weights.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "weft/core/error.h"
#include "weft/core/hash.h"
#include "weft/data/corpus/sidecar_file.h"

namespace weft::data {
namespace {

std::vector<float> numbers_in(std::string_view line, const std::string& where) {
  std::vector<float> out;
  const char *at = line.data(), *end = at + line.size();
  while (at != end) {
    if (*at == ' ' || *at == '\t') {
      ++at;
      continue;
    }
    float value = 0;
    const auto [rest, error] = std::from_chars(at, end, value);
    const bool is_whole = rest == end || *rest == ' ' || *rest == '\t';
    if (error != std::errc() || !is_whole || !(value >= 0) || std::isinf(value)) {
      fail<FormatError>(where, "expected numbers of 0 or more in float32's range, got {}",
                        quote(line));
    }
    out.push_back(value);
    at = rest;
  }
  return out;
}

}  // namespace

Weights::Weights(const Corpus& corpus, const std::vector<std::string>& files, WeightType type)
    : type_(type), begins_{0} {
  read_sidecar_files(corpus, files, "--data-weighting", [&](const SidecarLine& line) {
    std::vector<float> weights = numbers_in(line.text, line.where);
    const int64_t tokens = corpus.length(corpus.field_count() - 1, line.example);
    const bool is_word = type_ == WeightType::kWord;
    if (is_word && std::ssize(weights) == tokens) weights.push_back(1);
    const int64_t expected = is_word ? tokens + 1 : 1;
    if (std::ssize(weights) != expected) {
      fail<FormatError>(line.where, "expected {}; got {}",
                        is_word ? fmt::format("{} weights of target tokens, or {} with the end "
                                              "symbol's",
                                              tokens, tokens + 1)
                                : "one weight, the sentence's",
                        weights.size());
    }
    values_.insert(values_.end(), weights.begin(), weights.end());
    begins_.push_back(std::ssize(values_));
  });
  if (std::ranges::all_of(values_, [](float v) { return v == 0; })) {
    fail<OptionError>("--data-weighting", "all are 0; expected at least one above");
  }
}

std::vector<float> Weights::of(const Batch& batch) const {
  std::vector<float> out;
  out.reserve(static_cast<size_t>(batch.target().rows()));
  for (int64_t b = 0; b < batch.size(); ++b) {
    const int64_t begin = begins_[batch.examples[b]], end = begins_[batch.examples[b] + 1];
    if (type_ == WeightType::kWord) {
      out.insert(out.end(), values_.begin() + begin, values_.begin() + end);
    } else {
      out.insert(out.end(), batch.target()[b].size(), values_[begin]);
    }
  }
  return out;
}

uint64_t Weights::fingerprint() const {
  Hash h;
  for (const float v : values_) h.add(std::bit_cast<uint32_t>(v));
  return h.value();
}

}  // namespace weft::data
