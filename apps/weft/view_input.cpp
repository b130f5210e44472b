#include "apps/weft/view_input.h"

#include "weft/core/log.h"

namespace weft::app {

model_file::CrossViewSession ViewInput::load() const {
  return model_file::load_packed<model_file::CrossViewSession>(
      model, model_file::precision_named(precision));
}

std::unique_ptr<data::ViewPairs> ViewInput::read(
    const model_file::CrossViewSession& session) const {
  auto pairs = data::read_view_pairs(
      input, tasks::view_options(views, session.model.options, session.model.sizes.image));
  log::info("{}", pairs->report());
  return pairs;
}

}  // namespace weft::app
