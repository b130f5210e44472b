#include "weft/models/cross_view_options.h"

#include "weft/core/error.h"
#include "weft/options/option_table.h"

namespace weft::models {
namespace {

// Rows of a view that is partly masked are no sequence: positions and attention that count rows
// would count the visible ones.
void check_layers(const EncoderOptions& encoder) {
  if (!encoder.is_transformer()) {
    fail<OptionError>("--type", "{} is not implemented for views; expected transformer",
                      encoder.type.name());
  }
  const nn::PositionOptions& position = encoder.position;
  if (!position.needs_grid() && !position.kind.is<nn::NoPositionOptions>()) {
    fail<OptionError>("--position",
                      "{} counts rows, and a masked view has only some of its patches; expected "
                      "none, sinusoidal-2d or rotary-2d",
                      position.kind.name());
  }
  const auto& attention = encoder.transformer.attention.kind;
  if (attention.is_full()) return;
  fail<OptionError>("--attention",
                    "{} is not implemented for views, which are partly masked; expected full",
                    attention.name());
}

}  // namespace

// The layers of a Vision Transformer, small enough for a CPU.
CrossViewOptions::CrossViewOptions() {
  encoder.enc_depth = 4;
  encoder.dim_emb = 128;
  encoder.position.kind = nn::Rotary2dPositionOptions{};
  encoder.transformer.norm.placement = nn::PreNorm{};
  encoder.transformer.attention.heads = 4;
  encoder.transformer.feed_forward.inner = 512;
  encoder.transformer.feed_forward.activation = nn::GeluFeedForward{};
  encoder.transformer.dropout = 0;
}

void CrossViewOptions::check() const {
  check_layers(encoder);
  options::check_scopes(*this);
  if (image_size.size() > 2) {
    fail<OptionError>("--image-size", "expected a height and a width, got {} numbers",
                      image_size.size());
  }
  if (!has_second_view() && (!is_completion() || has_two_streams())) {
    fail<OptionError>("--second-view",
                      "none is of --objective completion with --decoder one-stream"
                      "; got {} with {}",
                      objective.name(), decoder.name());
  }
  encoder.check();
  check_positions(decoder_layers(), true, encoder.type.name());
  check_head_sizes(decoder_layers());
  nn::layer_order(stack_options(encoder.transformer, dec_depth));
}

void CrossViewDims::check(const CrossViewOptions& options) const {
  if (image.height < 1 || image.width < 1 || (image.channels != 1 && image.channels != 3)) {
    fail<OptionError>("model", "views of {} by {} with {} channels; expected 1 or 3 channels",
                      image.height, image.width, image.channels);
  }
  const int64_t patch = options.patch_size;
  if (patch < 1) fail<OptionError>("--patch-size", "expected 1 or more in a model, got {}", patch);
  if (image.height % patch != 0 || image.width % patch != 0) {
    fail<OptionError>("--patch-size", "{} does not divide views of {} by {}; expected a divisor",
                      patch, image.height, image.width);
  }
  if (options.is_completion() && image.patches(patch) < 2) {
    fail<OptionError>("--patch-size",
                      "{} makes one patch of views of {} by {}; expected two or more", patch,
                      image.height, image.width);
  }
  if (!options.is_completion() && numbers < 1) {
    fail<OptionError>("--objective",
                      "motion predicts the numbers of pairs, which have none; "
                      "expected some after the two paths of each line");
  }
}

}  // namespace weft::models
