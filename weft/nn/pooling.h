// From the rows of each text to one row for it.
#ifndef WEFT_NN_POOLING_H_
#define WEFT_NN_POOLING_H_

#include <variant>

#include "weft/nn/parameters.h"
#include "weft/ops/layout.h"
#include "weft/options/fields.h"

namespace weft::nn {

// Each maps x [N, C] to [B, C]; a text without rows gets zeros.
struct FirstRowPooling {
  Tensor operator()(const Tensor& x, const ops::LayoutPtr& rows, autograd::Tape* tape) const;
  template <class V>
  void fields(V&) {}
};
struct LastRowPooling {
  Tensor operator()(const Tensor& x, const ops::LayoutPtr& rows, autograd::Tape* tape) const;
  template <class V>
  void fields(V&) {}
};
struct MeanPooling {
  Tensor operator()(const Tensor& x, const ops::LayoutPtr& rows, autograd::Tape* tape) const;
  template <class V>
  void fields(V&) {}
};
struct MaxPooling {
  Tensor operator()(const Tensor& x, const ops::LayoutPtr& rows, autograd::Tape* tape) const;
  template <class V>
  void fields(V&) {}
};
// The sum of the rows by the root of their number.
struct RootMeanPooling {
  Tensor operator()(const Tensor& x, const ops::LayoutPtr& rows, autograd::Tape* tape) const;
  template <class V>
  void fields(V&) {}
};
// The mean of the rows, of which the i-th, from 1, weighs i.
struct PositionMeanPooling {
  Tensor operator()(const Tensor& x, const ops::LayoutPtr& rows, autograd::Tape* tape) const;
  template <class V>
  void fields(V&) {}
};
// The mean of the rows, weighted by how well each matches a learned query; initially all weights
// are equal.
struct AttentionPooling {
  Parameter query;  // [1, C]
  int64_t heads = 1;

  Tensor operator()(const Tensor& x, const ops::LayoutPtr& rows, autograd::Tape* tape) const;
  template <class V>
  void fields(V& v) {
    v("query", query);
  }
};

// The options of each kind; make(C) is the module.
struct FirstRowPoolingOptions {
  static constexpr std::string_view kName = "first";
  static constexpr std::string_view kHelp =
      "the begin symbol, which stands before the text (Devlin et al. 2019)";
  FirstRowPooling make(int64_t) const { return {}; }
};
struct LastRowPoolingOptions {
  static constexpr std::string_view kName = "last";
  static constexpr std::string_view kHelp = "the end symbol, which stands after the text";
  LastRowPooling make(int64_t) const { return {}; }
};
struct MeanPoolingOptions {
  static constexpr std::string_view kName = "mean";
  MeanPooling make(int64_t) const { return {}; }
};
struct MaxPoolingOptions {
  static constexpr std::string_view kName = "max";
  static constexpr std::string_view kHelp = "the largest element of each feature (Kim 2014)";
  MaxPooling make(int64_t) const { return {}; }
};
struct RootMeanPoolingOptions {
  static constexpr std::string_view kName = "mean-sqrt";
  static constexpr std::string_view kHelp =
      "the sum by the root of the length (Reimers and Gurevych 2019, arXiv 1908.10084)";
  RootMeanPooling make(int64_t) const { return {}; }
};
struct PositionMeanPoolingOptions {
  static constexpr std::string_view kName = "weighted-mean";
  static constexpr std::string_view kHelp =
      "the mean weighted by positions (Muennighoff 2022, arXiv 2202.08904)";
  PositionMeanPooling make(int64_t) const { return {}; }
};
struct AttentionPoolingOptions {
  static constexpr std::string_view kName = "attention";
  static constexpr std::string_view kHelp =
      "a mean weighted by a learned query (Lin et al. 2017, arXiv 1703.03130)";
  int64_t heads = 1;

  // Throws OptionError where the heads do not divide C.
  AttentionPooling make(int64_t features) const;
  template <class V>
  void fields(V& v) {
    v("pooling-heads", heads,
      {.help = "heads of --pooling attention, each for its own features", .min = 1, .max = 1024});
  }
};

using PoolingKinds = options::OneOf<MeanPoolingOptions, MaxPoolingOptions, FirstRowPoolingOptions,
                                    AttentionPoolingOptions, LastRowPoolingOptions,
                                    RootMeanPoolingOptions, PositionMeanPoolingOptions>;

struct Pooling {
  options::VariantMadeFrom<PoolingKinds, int64_t> kind;

  Tensor operator()(const Tensor& x, const ops::LayoutPtr& rows, autograd::Tape* tape) const;
  template <class V>
  void fields(V& v) {
    std::visit([&](auto& k) { k.fields(v); }, kind);
  }
};

Pooling make_pooling(const PoolingKinds& kinds, int64_t features);

}  // namespace weft::nn

#endif  // WEFT_NN_POOLING_H_
