#include <deque>

#include "weft/api/convert/average_options.h"
#include "weft/api/read_options.h"
#include "weft/convert.h"
#include "weft/core/log.h"
#include "weft/core/text/counted.h"
#include "weft/model_file/kinds.h"
#include "weft/nn/mean.h"
#include "weft/options/json.h"
#include "weft/train/file_lock.h"

namespace weft {
namespace api {
namespace {

bool are_equal(const std::vector<model_file::Asset>& a, const std::vector<model_file::Asset>& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    return x.name == y.name && x.bytes == y.bytes && x.alias_of == y.alias_of;
  });
}

// Throws OptionError unless the sessions have the same network and read and write the same.
template <class Session>
void check_same(const Session& first, const Session& other, const AverageOptions& options,
                const std::string& path) {
  if (options::options_to_json(first.model.options) !=
          options::options_to_json(other.model.options) ||
      first.parameters.shape() != other.parameters.shape()) {
    fail<OptionError>("--model", "{} is another network than {}; expected the same options", path,
                      options.models.front());
  }
  const model_file::Contents a = first.contents(), b = other.contents();
  if (!are_equal(a.assets, b.assets)) {
    fail<OptionError>("--model", "{} has other vocabularies, labels or statistics than {}", path,
                      options.models.front());
  }
  if (a.options == b.options) return;
  log::warn("{} was fitted otherwise than {}, such as in thresholds: those of the latter are kept",
            path, options.models.front());
}

template <class Session>
int average_of(const AverageOptions& options) {
  const auto first = model_file::load<Session>(options.models.front());
  auto model = first.model;
  for (const auto& [name, parameter] : nn::parameters_of(model)) {
    if (!parameter->is_buffer) continue;
    fail<OptionError>("--model", "{} has running statistics ({}), which are not averaged",
                      options.models.front(), name);
  }
  std::deque<Tensor> weights = {first.parameters};
  for (size_t i = 1; i < options.models.size(); ++i) {
    const auto other = model_file::load<Session>(options.models[i]);
    check_same(first, other, options, options.models[i]);
    weights.push_back(other.parameters);
  }
  model_file::save(options.output, first, nn::mean_of(weights));
  return 0;
}

}  // namespace

void average(const AverageOptions& options) {
  train::check_not_training(options.output);
  model_file::with_session_of(options.models.front(),
                              [&]<class Session>() { return average_of<Session>(options); });
  log::info("wrote {}: the mean of {}", options.output,
            counted(std::ssize(options.models), "model"));
}

}  // namespace api

void average(const Options& options) {
  api::average(api::read_options<api::AverageOptions>(options));
}

const OptionSchema& average_schema() { return api::schema_of<api::AverageOptions>(); }

}  // namespace weft
