// Head ablation (Michel, Levy and Neubig 2019, arXiv 1905.10650): the loss of a model with one head
// of one attention masked, for each head in turn.
#ifndef WEFT_INSPECT_ABLATION_H_
#define WEFT_INSPECT_ABLATION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/nn/attention/multi_head.h"
#include "weft/nn/attention/observer.h"

namespace weft::inspect {

// An attention of a model, and where it stands.
struct AttentionModule {
  std::string stack;  // "encoder"
  nn::AttentionRole role = nn::AttentionRole::kSelf;
  int64_t layer = 0;  // of those with weights of their own
  nn::MultiHeadAttention* attention = nullptr;
};

// Collects the attentions of a module in visiting order.
class AttentionCollector {
 public:
  template <class T>
  void operator()(std::string_view name, T& part) {
    const size_t length = prefix_.size();
    prefix_.append(".").append(name);
    if constexpr (std::is_same_v<T, nn::MultiHeadAttention>) {
      add(part);
    } else if constexpr (!std::is_same_v<T, nn::Parameter>) {
      if constexpr (requires { part.begin(); }) {
        for (size_t i = 0; i < part.size(); ++i) (*this)(std::to_string(i), part[i]);
      } else {
        part.fields(*this);
      }
    }
    prefix_.resize(length);
  }

  std::vector<AttentionModule> found;

 private:
  void add(nn::MultiHeadAttention& attention);

  std::string prefix_;
};

template <class Model>
std::vector<AttentionModule> attentions_of(Model& model) {
  AttentionCollector collector;
  model.fields(collector);
  return std::move(collector.found);
}

struct HeadLoss {
  std::string stack;
  nn::AttentionRole role = nn::AttentionRole::kSelf;
  int64_t layer = 0, head = 0;  // the head's number among all, pruned ones too
  double loss = 0;              // without the head
};
struct Ablation {
  double loss = 0;  // of the whole model
  std::vector<HeadLoss> heads;

  // A table, the head that matters most first.
  std::string text() const;
};

// Masks each head in turn: the columns of the output projection that read it are zero while `loss`
// runs. The weights are the model's own afterwards; nothing else may use them meanwhile.
Ablation ablate(const std::vector<AttentionModule>& attentions,
                const std::function<double()>& loss);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_ABLATION_H_
