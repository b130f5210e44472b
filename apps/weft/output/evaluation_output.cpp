#include "apps/weft/output/evaluation_output.h"

#include "apps/weft/command.h"

namespace weft::app {

void EvaluationFlags::run(const std::vector<Model>& models, const std::vector<std::string>& files,
                          Options prediction) const {
  const Options options = library.added_to(std::move(prediction));
  std::optional<LineSink> sink;
  OnPrediction on_prediction;
  if (!predictions.empty()) {
    sink.emplace(predictions);
    on_prediction = [&](std::string_view line) { sink->write({std::string(line)}); };
  }
  const ModelEvaluation found = evaluate_model(models, files, options, on_prediction);
  print(json ? found.json : found.text);
}

}  // namespace weft::app
