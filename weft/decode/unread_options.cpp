#include "weft/decode/unread_options.h"

#include <algorithm>
#include <string_view>

#include "weft/formats/options_table.h"

namespace weft::decode {
namespace {

// What a non-autoregressive model reads of what others do.
constexpr std::string_view kText[] = {"allow-unk",         "undo-bpe",   "word-scores",
                                      "max-length-factor", "max-length", "max-output-length",
                                      "mini-batch",        "maxi-batch"};

bool is_read(std::string_view name, const models::Seq2SeqOptions& model) {
  if (name == "iterations") return model.is_mask_predict();
  if (name == "length-beam") return model.predicts_length();
  return model.is_left_to_right() || std::ranges::find(kText, name) != std::end(kText);
}

}  // namespace

void check_unread(const DecodeOptions& options, const models::Seq2SeqOptions& model) {
  formats::check_unread(
      options, [&](std::string_view name) { return is_read(name, model); },
      "with a model of --generation " + model.generation +
          (model.length_from == "end" ? " and --length-from end" : ""));
}

}  // namespace weft::decode
