// Measures time and memory of one kind of attention, for benchmarks/tasks/attention:
//
//     weft_attention_kinds KIND LENGTH THREADS
//
// runs forward and backward on one sentence, 8 heads of 64, f32. Prints the kind, the length, the
// seconds of the best of several calls and the peak memory of the process in MiB.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "weft/core/error.h"
#include "weft/core/parallel.h"
#include "weft/core/random.h"
#include "weft/core/timer.h"
#include "weft/nn/attention/kinds.h"
#include "weft/nn/attention/multi_head.h"
#include "weft/ops/activation.h"
#include "weft/ops/fused/attention.h"
#include "weft/ops/fused/linear_attention.h"

namespace weft {
namespace {

constexpr int64_t kHeads = 8, kSize = 64;

using Attend = std::function<Tensor(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const ops::LayoutPtr& rows, autograd::Tape* tape)>;

Attend by_params(const std::function<void(ops::AttentionParams&)>& change) {
  return [change](const Tensor& q, const Tensor& k, const Tensor& v, const ops::LayoutPtr& rows,
                  autograd::Tape* tape) {
    ops::AttentionParams params;
    params.queries = params.keys = rows;
    params.heads = kHeads;
    params.scale = 1 / std::sqrt(static_cast<double>(kSize));
    change(params);
    return ops::attention(q, k, v, params, tape);
  };
}

// A kind of attention, and its parameters if any.
struct Kind {
  Attend attend;
  Tensor parameters = {};
  int64_t key_heads = kHeads;
};

Kind by_type(nn::AttentionKind kind, bool causal = false) {
  auto options = std::make_shared<nn::AttentionConfig>();
  options->heads = kHeads;
  options->key_size = options->value_size = kSize;
  options->scale = 1 / std::sqrt(static_cast<double>(kSize));
  options->kind = std::move(kind);
  std::vector<nn::NamedParameter> named;
  std::visit([&](auto& k) { named = nn::parameters_of(k); }, options->kind.module());
  const Tensor flat = named.empty() ? Tensor() : nn::bind(named);
  nn::initialise(named, 1);
  return {[options, causal](const Tensor& q, const Tensor& k, const Tensor& v,
                            const ops::LayoutPtr& rows, autograd::Tape* tape) {
            nn::Context context{.tape = tape};
            const nn::AttentionPosition none;
            const nn::SelfLayout of{rows, none, causal};
            const nn::SelfInput in{q, q, k, v, of, *options};
            return std::visit([&](const auto& each) { return each.forward(in, context); },
                              options->kind.module());
          },
          flat};
}

Kind grouped(int64_t key_heads) {
  return {.attend = by_params([=](ops::AttentionParams& r) { r.key_heads = key_heads; }),
          .key_heads = key_heads};
}

// A learned bias per head and distance, as in T5.
Kind relative() {
  const Tensor flat = Tensor::zeros({257 * kHeads});
  const Tensor table = flat.reshape({257, kHeads});
  return {.attend = by_params([=](ops::AttentionParams& r) { r.bias.table = table; }),
          .parameters = flat};
}

// Linformer with 256 keys, clusters of about 256 rows, blocks of 128 rows.
std::map<std::string, std::function<Kind()>> typed_kinds(int64_t length) {
  const nn::AttentionDims tables{
      .heads = kHeads, .key_heads = kHeads, .key_size = kSize, .max_positions = length};
  const auto clustered = [length](bool by_hash, bool causal) {
    return by_type(nn::ClusteredAttention({.heads = kHeads,
                                           .key_size = kSize,
                                           .clusters = std::max<int64_t>(2, length / 256),
                                           .by_hash = by_hash}),
                   causal);
  };
  return {{"linformer", [=] { return by_type(nn::LinformerAttention(256, length)); }},
          {"synthesizer-dense", [=] { return by_type(nn::DenseSynthesizer(tables)); }},
          {"synthesizer-random", [=] { return by_type(nn::RandomSynthesizer(tables)); }},
          {"clustered", [=] { return clustered(false, false); }},
          {"clustered-causal", [=] { return clustered(false, true); }},
          {"clustered-hash", [=] { return clustered(true, false); }},
          {"sinkhorn", [] { return by_type(nn::SinkhornAttention{.block = 128}); }}};
}

Attend linear(bool by_weight, bool causal) {
  return [=](const Tensor& q, const Tensor& k, const Tensor& v, const ops::LayoutPtr& rows,
             autograd::Tape* tape) {
    const auto positive = [&](const Tensor& x) {
      return by_weight ? ops::activate(ops::Activation::kEluPlusOne, x, tape) : x;
    };
    return ops::linear_attention(positive(q), positive(k), v,
                                 {rows, rows, kHeads, causal, by_weight}, tape);
  };
}

std::map<std::string, Attend> ruled_kinds() {
  using Rule = ops::AttentionParams;
  using ops::ScoreFunction;
  std::map<std::string, Attend> kinds = {
      {"full", by_params([](Rule&) {})},
      {"full-causal", by_params([](Rule& r) { r.causal = true; })},
      {"local", by_params([](Rule& r) { r.pattern.window = 128; })},
      {"local-causal", by_params([](Rule& r) { r.pattern.window = 128, r.causal = true; })},
      {"block-sparse", by_params([](Rule& r) {
         r.pattern = {1, 64, 16};
       })},
      {"block-sparse-causal", by_params([](Rule& r) {
         r.pattern = {1, 64, 16};
         r.causal = true;
       })},
      {"alibi", by_params([](Rule& r) {
         r.bias.slopes = std::make_shared<std::vector<float>>(kHeads, 0.1f);
       })},
      {"linear", linear(true, false)},
      {"linear-causal", linear(true, true)},
      {"linear-unnormalised", linear(false, false)},
      {"linear-unnormalised-causal", linear(false, true)}};
  const std::pair<const char*, ScoreFunction> functions[] = {
      {"relu", ScoreFunction::kRelu},
      {"relu2", ScoreFunction::kSquaredRelu},
      {"sigmoid", ScoreFunction::kSigmoid},
      {"sparsemax", ScoreFunction::kSparsemax},
      {"entmax15", ScoreFunction::kEntmax15}};
  for (const auto& [name, function] : functions) {
    kinds[name] = by_params([f = function](Rule& r) { r.function = f; });
  }
  return kinds;
}

std::map<std::string, std::function<Kind()>> all_kinds(int64_t length) {
  auto kinds = typed_kinds(length);
  for (const auto& [name, attend] : ruled_kinds()) kinds[name] = [attend] { return Kind{attend}; };
  kinds["relative"] = relative;
  kinds["grouped-query"] = [] { return grouped(2); };
  kinds["multi-query"] = [] { return grouped(1); };
  return kinds;
}

Tensor random_tensor(int64_t rows, int64_t heads, uint64_t stream) {
  Tensor out = Tensor::empty({rows, heads * kSize});
  RandomStream random(1, stream);
  for (float& x : out.span<float>()) x = static_cast<float>(2 * random.uniform() - 1);
  return out;
}

double best_time(const Kind& kind, int64_t length) {
  const ops::LayoutPtr rows = ops::make_layout({{0, static_cast<int32_t>(length)}});
  const Tensor q = random_tensor(length, kHeads, 1), k = random_tensor(length, kind.key_heads, 2),
               v = random_tensor(length, kind.key_heads, 3),
               d_out = random_tensor(length, kHeads, 4);
  const Timer whole;
  double best = 1e30;
  for (int i = 0; i < 5 && (i == 0 || whole.seconds() < 20); ++i) {
    const Timer timer;
    autograd::Tape tape;
    autograd::Gradients gradients =
        kind.parameters ? autograd::Gradients(kind.parameters) : autograd::Gradients();
    const Tensor out = kind.attend(tape.watch(q), tape.watch(k), tape.watch(v), rows, &tape);
    tape.backward(out, d_out, gradients);
    best = std::min(best, timer.seconds());
  }
  return best;
}

void run(const std::string& kind, int64_t length) {
  const auto kinds = all_kinds(length);
  const auto found = kinds.find(kind);
  if (found == kinds.end()) {
    std::vector<std::string> names;
    names.reserve(kinds.size());
    for (const auto& [name, make] : kinds) names.push_back(name);
    fail<OptionError>("attention_kinds", "unknown kind '{}'; expected one of {}", kind,
                      fmt::format("{}", fmt::join(names, ", ")));
  }
  const double seconds = best_time(found->second(), length);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{} {} {:.6f} {:.1f}\n", kind, length, seconds,
             static_cast<double>(usage.ru_maxrss) / 1024);
}

}  // namespace
}  // namespace weft

int main(int argc, char** argv) {
  try {
    if (argc != 4) {
      weft::fail<weft::OptionError>("attention_kinds", "expected KIND LENGTH THREADS");
    }
    weft::set_threads(std::stoi(argv[3]));
    weft::run(argv[1], std::stoll(argv[2]));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
