#include "weft/fill.h"

#include "weft/api/inputs.h"
#include "weft/api/loaded_model.h"
#include "weft/api/read_options.h"
#include "weft/predict/filling/filler.h"

namespace weft {
namespace {

struct FillerOptions {
  predict::FillOptions filling;
  predict::TextBatchOptions lines;

  template <class V>
  void fields(V& v) {
    filling.fields(v);
    lines.fields(v);
  }
  void validate() const { filling.validate(); }
};

}  // namespace

struct MaskFiller::State {
  model_file::MaskedLmSession session;
  predict::Filler filler;

  State(const Model& model, const FillerOptions& options)
      : session(api::session_of<model_file::MaskedLmSession>(model)),
        filler(session, options.filling, options.lines) {}
};

MaskFiller::MaskFiller(const Model& model, const Options& options)
    : state_(std::make_shared<const State>(model, api::read_options<FillerOptions>(options))) {}

const OptionSchema& MaskFiller::schema() { return api::schema_of<FillerOptions>(); }

std::vector<FilledText> MaskFiller::fill(std::span<const std::string> texts, Report* report) const {
  return fill(api::lines_of(texts), report);
}

std::vector<FilledText> MaskFiller::fill(std::span<const Line> lines, Report* report) const {
  std::vector<FilledText> out;
  out.reserve(lines.size());
  for (predict::FilledLine& line : api::predict_all(state_->filler, lines, report)) {
    FilledText& text = out.emplace_back();
    text.text = std::move(line.text);
    text.fault = std::move(line.fault);
    for (const std::vector<predict::TokenCandidate>& mask : line.masks) {
      std::vector<MaskCandidate>& candidates = text.masks.emplace_back();
      for (const predict::TokenCandidate& one : mask) {
        candidates.push_back({state_->filler.text_of(one), one.probability});
      }
    }
  }
  return out;
}

}  // namespace weft
