#include "weft/decode/alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "weft/data/batcher.h"
#include "weft/data/corpus/corpus.h"
#include "weft/models/seq2seq/seq2seq.h"
#include "weft/nn/attention/guide.h"
#include "weft/nn/attention/trace.h"

namespace weft::decode {
namespace {

// A number from 1 to `most`, counted from 0; -1 for other text.
int64_t parse_index(std::string_view text, int64_t most) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole && number >= 1 && number <= most ? number - 1 : -1;
}

// The heads of a layer's attention to the source, by their numbers among all, pruned ones too.
std::vector<int64_t> heads_of(const models::Seq2SeqOptions& model, int64_t layer) {
  const nn::TransformerOptions& o = model.encoder.transformer;
  const auto pruned = o.pruning.pruned({"decoder", layer, nn::AttentionRole::kCross});
  return nn::remaining_heads(o.attention.heads, pruned);
}

// "1, 3"
std::string numbers_of(const std::vector<int64_t>& heads) {
  std::string out;
  for (const int64_t head : heads) out += fmt::format("{}{}", out.empty() ? "" : ", ", head + 1);
  return out;
}

AttentionHead parse_head(std::string_view text, const models::Seq2SeqOptions& model,
                         const char* option) {
  const size_t dot = std::min(text.find('.'), text.size());
  const std::string_view head = dot == text.size() ? "" : text.substr(dot + 1);
  AttentionHead out{parse_index(text.substr(0, dot), model.decoder.dec_depth),
                    parse_index(head, model.encoder.transformer.attention.heads)};
  if (out.layer < 0 || out.head < 0) {
    fail<OptionError>(option,
                      "'{}' is no head of the decoder; expected mean, or LAYER.HEAD up to {}.{}, "
                      "several with commas between them",
                      text, model.decoder.dec_depth, model.encoder.transformer.attention.heads);
  }
  const std::vector<int64_t> left = heads_of(model, out.layer);
  const auto found = std::ranges::find(left, out.head);
  if (found == left.end()) {
    fail<OptionError>(option, "the head '{}' is pruned; layer {} still has {}", text, out.layer + 1,
                      numbers_of(left));
  }
  out.head = found - left.begin();
  return out;
}

// A hypothesis and its source.
struct Pair {
  size_t sentence;
  size_t hypothesis;
};

// Decoder inputs that have a row for each token, and for the end symbol where there is one.
std::vector<int32_t> inputs_of(const Hypothesis& hypothesis, int64_t begin_id) {
  std::vector<int32_t> out{static_cast<int32_t>(begin_id)};
  out.insert(out.end(), hypothesis.tokens.begin(), hypothesis.tokens.end());
  if (!hypothesis.ended) out.pop_back();
  return out;
}

void add(const Tensor& weights, float share, std::vector<float>& sum) {
  for (int64_t t = 0; t < weights.rows(); ++t) {
    const Tensor row = weights.row_range(t, t + 1);
    for (int64_t s = 0; s < weights.cols(); ++s) {
      sum[static_cast<size_t>(t * weights.cols() + s)] += share * row.data<float>()[s];
    }
  }
}

// Of a few pairs.
std::vector<Alignment> align_pairs(const models::Seq2Seq& model, const data::Tokens& sources,
                                   const data::Tokens& inputs,
                                   std::span<const AttentionHead> heads) {
  const auto key_of = [](const AttentionHead& head) {
    return nn::AttentionKey{"decoder", head.layer, nn::AttentionRole::kCross};
  };
  std::vector<nn::AttentionKey> keys;
  for (const AttentionHead& head : heads) keys.push_back(key_of(head));
  nn::AttentionTrace trace(std::move(keys));
  nn::Context context;
  context.observer = &trace;
  const nn::Memory memory = model.encode(sources, context);
  const Tensor states = model.decoder.forward(
      {ops::make_ids(inputs.ids), ops::make_layout(inputs.segments)}, memory, context);

  std::vector<Alignment> out;
  for (int64_t b = 0; b < sources.examples(); ++b) {
    Alignment& alignment = out.emplace_back();
    const Tensor rows = states.row_range(inputs.segments.begin(b), inputs.segments.end(b));
    alignment.is_finite = std::isfinite(sum_of_squares(rows));
    alignment.source = std::ssize(sources[b]);
    alignment.weights.resize(sources[b].size() * inputs[b].size());
    for (const AttentionHead& h : heads) {
      add(trace.probabilities(key_of(h), b)[static_cast<size_t>(h.head)],
          1 / static_cast<float>(heads.size()), alignment.weights);
    }
  }
  return out;
}

}  // namespace

std::vector<AttentionHead> alignment_heads(std::string_view text,
                                           const models::Seq2SeqOptions& model,
                                           const char* option) {
  if (!model.is_left_to_right()) {
    fail<OptionError>(option,
                      "tells what a token's prediction attends to, given those before it, which "
                      "--generation {} does not see; expected a model of left-to-right",
                      model.generation.name());
  }
  if (model.type.is<models::RnnType>()) {
    fail<OptionError>(option, "a model of type rnn does not attend to its source");
  }
  if (!model.is_transformer()) {
    if (text == "mean") return {{0, 0}};
    fail<OptionError>(option, "a model of type {} has one head; expected mean, got {}",
                      model.type.name(), text);
  }
  std::vector<AttentionHead> out;
  if (text == "mean") {
    const int64_t layer = model.decoder.dec_depth - 1;
    for (int64_t h = 0; h < std::ssize(heads_of(model, layer)); ++h) out.push_back({layer, h});
    return out;
  }
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    out.push_back(parse_head(text.substr(begin, end - begin), model, option));
    begin = end + 1;
  }
  return out;
}

std::vector<AttentionHead> printed_heads(std::string_view text,
                                         const models::Seq2SeqOptions& model) {
  return alignment_heads(text, model, text == "mean" ? "--alignment" : "--alignment-heads");
}

std::vector<std::vector<Alignment>> align(const models::Seq2Seq& model, const data::Tokens& sources,
                                          std::span<const NBest> found,
                                          std::span<const AttentionHead> heads, int64_t batch) {
  std::vector<std::vector<Alignment>> out(found.size());
  std::vector<Pair> pairs;
  for (size_t s = 0; s < found.size(); ++s) {
    out[s].resize(found[s].size());
    for (size_t i = 0; i < found[s].size(); ++i) {
      if (found[s][i].is_finite) pairs.push_back({s, i});
    }
  }
  std::span<const Pair> rest = pairs;
  while (!rest.empty()) {
    const auto part = rest.first(std::min(rest.size(), static_cast<size_t>(batch)));
    rest = rest.subspan(part.size());
    data::Tokens from, inputs;
    for (const Pair& p : part) {
      from.add(sources[static_cast<int64_t>(p.sentence)]);
      inputs.add(inputs_of(found[p.sentence][p.hypothesis], model.dims.begin_id));
    }
    std::vector<Alignment> aligned = align_pairs(model, from, inputs, heads);
    for (size_t b = 0; b < part.size(); ++b) {
      const Pair& p = part[b];
      aligned[b].target = std::ssize(found[p.sentence][p.hypothesis].tokens);
      out[p.sentence][p.hypothesis] = std::move(aligned[b]);
    }
  }
  return out;
}

std::vector<Alignment> align_corpus(const models::Seq2Seq& model, const data::Corpus& corpus,
                                    std::span<const AttentionHead> heads, int64_t words) {
  std::vector<Alignment> out(static_cast<size_t>(corpus.size()));
  const data::BatchPlan plan = data::evaluation_plan(corpus, {.rows = words, .examples = 0});
  for (int64_t i = 0; i < plan.size(); ++i) {
    const data::Batch batch = corpus.batch(plan[i]);
    data::Tokens inputs = batch.target();
    inputs.ids = models::shift_right(inputs, static_cast<int32_t>(model.dims.begin_id));
    std::vector<Alignment> aligned = align_pairs(model, batch.source(), inputs, heads);
    for (int64_t b = 0; b < batch.size(); ++b) {
      Alignment& one = aligned[static_cast<size_t>(b)];
      one.target = std::ssize(batch.target()[b]) - 1;
      out[static_cast<size_t>(batch.examples[b])] = std::move(one);
    }
  }
  return out;
}

std::string soft_text(std::span<const Alignment> pieces) {
  int64_t columns = 0, before = 0;
  for (const Alignment& a : pieces) columns += a.source;
  std::string out;
  for (const Alignment& a : pieces) {
    for (auto row = a.weights.begin(); row != a.weights.end(); row += a.source) {
      std::vector<float> all(static_cast<size_t>(columns));
      std::copy_n(row, a.source, all.begin() + before);
      out += fmt::format("{}{:.6f}", out.empty() ? "" : " ", fmt::join(all, ","));
    }
    before += a.source;
  }
  return out;
}

std::string hard_text(std::span<const Alignment> pieces) {
  int64_t source = 0, target = 0;
  std::string out;
  for (const Alignment& a : pieces) {
    const int64_t words = a.source - 1;
    for (int64_t t = 0; words > 0 && t < a.target; ++t) {
      const auto row = a.weights.begin() + t * a.source;
      const auto best = std::max_element(row, row + words) - row;
      out += fmt::format("{}{}-{}", out.empty() ? "" : " ", source + best, target + t);
    }
    source += a.source - 1;
    target += a.target;
  }
  return out;
}

std::string aligned_text(const AlignmentOptions& options, std::span<const Alignment> pieces) {
  return options.kind.is<SoftAlignment>() ? soft_text(pieces) : hard_text(pieces);
}

}  // namespace weft::decode
