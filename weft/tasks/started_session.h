// Sessions that a training starts from.
#ifndef WEFT_TASKS_STARTED_SESSION_H_
#define WEFT_TASKS_STARTED_SESSION_H_

#include <algorithm>

#include "weft/nn/parameters.h"
#include "weft/tensor/tensor.h"

namespace weft::tasks {

// Gives the model of a session other options, with the same parameters, and weights of its own: a
// copy of those that it has, which may lie in a mapped file.
template <class Session, class Options>
void set_options(Session& session, const Options& options) {
  const Tensor weights = session.parameters;
  session.model = {options, session.model.dims};
  session.parameters = nn::bind(nn::parameters_of(session.model));
  std::copy_n(weights.data<float>(), weights.size(), session.parameters.template data<float>());
}

}  // namespace weft::tasks

#endif  // WEFT_TASKS_STARTED_SESSION_H_
