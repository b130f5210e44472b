#include "weft/data/subwords/nodes/decoder.h"

#include <utility>

#include "weft/core/text/utf8.h"
#include "weft/data/subwords/nodes/decoder_steps.h"

namespace weft::data {
namespace {

template <class Step, class... Arguments>
MakeDecoderStep make_step(Arguments... arguments) {
  return [=] { return std::make_unique<Step>(arguments...); };
}

MakeDecoderStep read_step(JsonNode& node, const std::string& type) {
  if (type == "ByteLevel") {
    for (const char* name : {"add_prefix_space", "trim_offsets", "use_regex"}) node.ignore(name);
    return make_step<ByteLevelStep>();
  }
  if (type == "ByteFallback") return make_step<ByteFallbackStep>();
  if (type == "Fuse") return make_step<FuseStep>();
  if (type == "Replace") {
    PatternPtr pattern = read_pattern(node, "pattern");
    return make_step<ReplaceStep>(std::move(pattern), node.text("content"));
  }
  if (type == "Strip") {
    std::string content;
    append_utf8(node.character("content"), content);
    const int64_t left = node.integer("start");
    return make_step<StripStep>(std::move(content), left, node.integer("stop"));
  }
  if (type == "WordPiece") {
    std::string prefix = node.text("prefix", "##");
    return make_step<WordPieceStep>(std::move(prefix), node.flag("cleanup", true));
  }
  if (type == "Metaspace") return make_step<MetaspaceStep>(read_metaspace(node));
  if (type == "BPEDecoder") return make_step<BpeStep>(node.text("suffix", "</w>"));
  if (type == "CTC") {
    std::string blank = node.text("pad_token", "<pad>");
    std::string word_end = node.text("word_delimiter_token", "|");
    return make_step<CtcStep>(std::move(blank), std::move(word_end), node.flag("cleanup", true));
  }
  node.refuse("the decoder {} is not supported", quote(type));
}

void read_decoders_into(JsonNode node, Decoder& out) {
  const std::string type = node.type();
  if (type == "Sequence") {
    for (JsonNode& each : node.nodes("decoders")) read_decoders_into(std::move(each), out);
  } else {
    out.push_back(read_step(node, type));
  }
  node.finish();
}

}  // namespace

Decoder read_decoder(JsonNode node) {
  Decoder out;
  read_decoders_into(std::move(node), out);
  return out;
}

Decoder joining_decoder() { return {make_step<JoinStep>()}; }

class TextStream::Output : public DecoderStep {
 public:
  explicit Output(std::string* text) : text_(text) {}
  void take(std::string_view text, bool) override { *text_ += text; }
  void finish() override {}

 private:
  std::string* text_;
};

TextStream::TextStream(const Decoder& decoder) : text_(std::make_unique<std::string>()) {
  steps_.reserve(decoder.size() + 1);
  for (const MakeDecoderStep& make : decoder) steps_.push_back(make());
  steps_.push_back(std::make_unique<Output>(text_.get()));
  for (size_t i = 0; i + 1 < steps_.size(); ++i) steps_[i]->set_next(steps_[i + 1].get());
}

std::string TextStream::push(std::string_view token) {
  steps_.front()->take(token, true);
  return std::exchange(*text_, {});
}

std::string TextStream::finish() {
  steps_.front()->finish();
  return std::exchange(*text_, {});
}

}  // namespace weft::data
