// A small encoder-decoder as PyTorch's nn.Transformer has it, with the numbers that
// tools/golden/seq2seq.py wrote of it.
#ifndef WEFT_TESTS_MODELS_SEQ2SEQ_GOLDEN_H_
#define WEFT_TESTS_MODELS_SEQ2SEQ_GOLDEN_H_

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstring>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/options.h"
#include "tests/support/paths.h"
#include "weft/formats/safetensors.h"
#include "weft/models/seq2seq/seq2seq.h"

namespace weft::models {

struct Golden {
  const char* file;
  const char* norm;
  bool tied;
  const char* kind = "layer";
};

inline void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.file; }

class Seq2SeqGolden : public testing::TestWithParam<Golden> {
 protected:
  Seq2SeqGolden()
      : file_(test::source_path("tests/golden/") + GetParam().file),
        model_(options(), dims()),
        named_(nn::parameters_of(model_)),
        flat_(nn::bind(named_)) {
    for (const auto& [name, p] : named_) {
      const Tensor from = file_.tensor(in_file(name));
      EXPECT_EQ(from.size(), p->value.size()) << name;
      std::memcpy(p->value.bytes(), from.bytes(), static_cast<size_t>(from.size()) * 4);
    }
  }

  // PyTorch's side keeps a tied matrix under the name of one of its uses.
  static std::string in_file(const std::string& name) {
    return name == "model.shared.weight" ? "model.encoder.embed_tokens.weight" : name;
  }
  Seq2SeqOptions options() const {
    Seq2SeqOptions o;
    o.encoder.enc_depth = o.decoder.dec_depth = 2;
    o.encoder.dim_emb = 16;
    o.encoder.transformer.attention.heads = 2;
    o.encoder.transformer.feed_forward.inner = 32;
    test::set(o, fmt::format("--transformer-norm {}", GetParam().norm));
    test::set(o, fmt::format("--norm-kind {}", GetParam().kind));
    o.tied_embeddings_all = GetParam().tied;
    o.encoder.transformer.dropout = 0;
    return o;
  }
  Seq2SeqDims dims() const {
    const auto rows = [&](const char* name) { return file_.tensor(name).rows(); };
    if (GetParam().tied) {
      const int64_t n = rows("model.encoder.embed_tokens.weight");
      return {.source_vocab = n, .target_vocab = n, .begin_id = begin_id(), .end_id = 0};
    }
    return {.source_vocab = rows("model.encoder.embed_tokens.weight"),
            .target_vocab = rows("model.decoder.embed_tokens.weight"),
            .begin_id = begin_id(),
            .end_id = 0};
  }
  int64_t begin_id() const { return file_.tensor("input.trg_in").data<int32_t>()[0]; }
  std::vector<int32_t> ints(const char* name) const {
    const Tensor x = file_.tensor(name);
    return {x.span<int32_t>().begin(), x.span<int32_t>().end()};
  }
  data::Batch batch() const {
    data::Batch out;
    out.fields.push_back(data::Tokens{ints("input.src"), {ints("input.src_offsets")}});
    out.fields.push_back(data::Tokens{ints("input.trg_out"), {ints("input.trg_offsets")}});
    out.examples = {0, 1, 2};
    return out;
  }
  // The loss, and its gradients added to `into`.
  double loss(autograd::Gradients& into) {
    const data::Batch pairs = batch();
    autograd::Tape tape;
    nn::Context context{.tape = &tape};
    const double weight = 1 / static_cast<double>(pairs.target().rows());
    const Tensor y = model_.loss(pairs, {.smoothing = 0.1, .weight = weight}, context).value;
    tape.backward(y, into);
    return y.item();
  }

  formats::SafetensorsFile file_;
  Seq2Seq model_;
  std::vector<nn::NamedParameter> named_;
  Tensor flat_;
};

inline auto golden_files() {
  return testing::Values(Golden{"seq2seq_post.safetensors", "post", false},
                         Golden{"seq2seq_pre.safetensors", "pre", false},
                         Golden{"seq2seq_tied.safetensors", "post", true},
                         Golden{"seq2seq_rms.safetensors", "pre", false, "rms"});
}
inline std::string golden_name(const testing::TestParamInfo<Golden>& info) {
  const std::string file = info.param.file;
  return file.substr(0, file.find('.'));
}

}  // namespace weft::models

#endif  // WEFT_TESTS_MODELS_SEQ2SEQ_GOLDEN_H_
