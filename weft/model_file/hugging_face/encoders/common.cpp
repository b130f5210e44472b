#include "weft/model_file/hugging_face/encoders/common.h"

#include <algorithm>

#include "weft/model_file/hugging_face/encoders/tokeniser.h"

namespace weft::model_file {

void read_embedder(FolderReader& in, int64_t offset) {
  const EncoderTokeniser read = read_encoder_tokeniser(in);
  const int64_t positions = in.config.take_integer_or("max_position_embeddings", 512) - offset;
  const int64_t length = read.max_length > 0 ? std::min(read.max_length, positions) : positions;
  read_modules(in, *read.tokeniser, length);
}

void write_embedder(FolderWriter& out, int64_t offset, bool has_types) {
  const int64_t most = out.options.at("max-positions").get<int64_t>() - offset;
  write_encoder_tokeniser(out, most, has_types);
  write_modules(out);
}

NameMap bert_encoder_names(const std::string& prefix) {
  NameMap out;
  const auto add = [&](const std::string& theirs, const std::string& ours) {
    for (const char* part : {".weight", ".bias"}) {
      out.mappings.push_back(
          {.theirs = prefix + theirs + part, .ours = {"model.encoder." + ours + part}});
    }
  };
  add("embeddings.word_embeddings", "embed_tokens");
  add("embeddings.position_embeddings", "embed_positions");
  add("embeddings.token_type_embeddings", "embed_token_types");
  add("embeddings.LayerNorm", "layernorm_embedding");
  constexpr const char* kLayer[][2] = {
      {"attention.self.query", "self_attn.q_proj"},
      {"attention.self.key", "self_attn.k_proj"},
      {"attention.self.value", "self_attn.v_proj"},
      {"attention.output.dense", "self_attn.out_proj"},
      {"attention.output.LayerNorm", "self_attn_layer_norm"},
      {"intermediate.dense", "fc1"},
      {"output.dense", "fc2"},
      {"output.LayerNorm", "final_layer_norm"},
  };
  for (const auto& [theirs, ours] : kLayer) {
    add(std::string("encoder.layer.*.") + theirs, std::string("layers.*.") + ours);
  }
  // Numbers of positions, and heads that are not read: the first state after a layer, and masked
  // tokens.
  out.extras = {{prefix + "embeddings.position_ids"}, {prefix + "pooler.*"}, {"cls.*"}};
  return out;
}

}  // namespace weft::model_file
