// Smaller encoders: some layers of a Transformer (Sanh et al. 2019, arXiv 1910.01108).
#ifndef WEFT_TASKS_DISTILLATION_TAKEN_LAYERS_H_
#define WEFT_TASKS_DISTILLATION_TAKEN_LAYERS_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "weft/model_file/any_encoder.h"
#include "weft/models/encoders/encoder.h"
#include "weft/nn/parameters.h"

namespace weft::tasks {

template <class V>
void take_layers_field(V& v, std::vector<int64_t>& layers) {
  v("take-layers", layers,
    {.help = "the layers of the encoder of --from, from 0 on, that the new model has, as in 0 2 4; "
             "none: all (Sanh et al. 2019, arXiv 1910.01108)",
     .min = 0,
     .max = 999});
}

// The options of an encoder with these layers of one with the options `encoder`. Throws OptionError
// for layers that it lacks or that are not in ascending order, and for an encoder whose layers are
// no Transformer's or depend on each other's number.
void take_layers(models::EncoderOptions& encoder, std::span<const int64_t> layers);

// Copies the parameters of a model whose encoder has more layers.
void copy_taken_layers(const std::vector<nn::NamedParameter>& from,
                       const std::vector<nn::NamedParameter>& to, std::span<const int64_t> layers);

// The encoder with these layers alone; with none of them named, as it is.
model_file::PretrainedEncoder with_layers(model_file::PretrainedEncoder encoder,
                                          std::span<const int64_t> layers);

// The same of a whole model, whose other parts stay as they are.
template <class Session>
Session with_layers(Session session, std::span<const int64_t> layers) {
  if (layers.empty()) return session;
  auto options = session.model.options;
  take_layers(options.encoder, layers);
  decltype(session.model) model(options, session.model.dims);
  const Tensor parameters = nn::bind(nn::parameters_of(model));
  copy_taken_layers(nn::parameters_of(session.model), nn::parameters_of(model), layers);
  session.model = std::move(model);
  session.parameters = parameters;
  return session;
}

}  // namespace weft::tasks

#endif  // WEFT_TASKS_DISTILLATION_TAKEN_LAYERS_H_
