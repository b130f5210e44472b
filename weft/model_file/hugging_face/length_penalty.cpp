#include "weft/model_file/hugging_face/length_penalty.h"

#include "weft/data/text/text_file.h"
#include "weft/model_file/hugging_face/paths.h"
#include "weft/model_file/translator.h"

namespace weft::model_file {
namespace {

constexpr const char* kLengthPenalty = "length_penalty";

void take_length_penalty(Fields& fields, ImportedContents& out) {
  if (!fields.has(kLengthPenalty)) return;
  out.set("normalize", fields.take(kLengthPenalty), fields.where_of(kLengthPenalty));
}

}  // namespace

void read_length_penalty(FolderReader& in) {
  take_length_penalty(in.config, in.out);
  const std::string generation = path_in(in.folder, "generation_config.json");
  if (!file_exists(generation)) return;
  Fields fields(data::read_bytes(generation, Pipes::kRefused), generation);
  take_length_penalty(fields, in.out);
}

void write_length_penalty(FolderWriter& out) {
  const Json& value = out.options.at("normalize");
  if (value != Json(kDefaultNormalize)) out.config[kLengthPenalty] = value;
}

}  // namespace weft::model_file
