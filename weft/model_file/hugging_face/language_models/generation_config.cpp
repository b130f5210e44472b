#include "weft/model_file/hugging_face/language_models/generation_config.h"

#include "weft/data/text/text_file.h"
#include "weft/model_file/hugging_face/paths.h"

namespace weft::model_file {
namespace {

constexpr const char* kGenerationFile = "generation_config.json";

// Options of sampling and search, for which weft generate has its own.
constexpr std::string_view kSearchFields[] = {
    "max_length",
    "max_new_tokens",
    "min_length",
    "min_new_tokens",
    "max_time",
    "early_stopping",
    "do_sample",
    "num_beams",
    "num_beam_groups",
    "num_return_sequences",
    "diversity_penalty",
    "length_penalty",
    "exponential_decay_length_penalty",
    "penalty_alpha",
    "dola_layers",
    "temperature",
    "top_k",
    "top_p",
    "top_h",
    "min_p",
    "typical_p",
    "epsilon_cutoff",
    "eta_cutoff",
    "repetition_penalty",
    "encoder_repetition_penalty",
    "no_repeat_ngram_size",
    "encoder_no_repeat_ngram_size",
    "renormalize_logits",
    "remove_invalid_values",
};

// How texts are computed and what is returned beside them, padding, and the origin of the file.
constexpr std::string_view kHarmlessGenerationFields[] = {
    "use_cache",
    "use_mtp",
    "cache_implementation",
    "cache_config",
    "max_cache_len",
    "return_legacy_cache",
    "low_memory",
    "prefill_chunk_size",
    "continuous_batching_config",
    "compile_config",
    "disable_compile",
    "is_assistant",
    "num_assistant_tokens",
    "num_assistant_tokens_schedule",
    "assistant_confidence_threshold",
    "assistant_early_exit",
    "assistant_lookbehind",
    "assistant_ensemble_weight",
    "target_lookbehind",
    "prompt_lookup_num_tokens",
    "max_matching_ngram_size",
    "speculation_type",
    "output_attentions",
    "output_hidden_states",
    "output_scores",
    "output_logits",
    "return_dict_in_generate",
    "pad_token_id",
    "decoder_start_token_id",
    "transformers_version",
    "_from_model_config",
    "_commit_hash",
};

// What limits or forces tokens has to be off; so has any field that is in no list here.
constexpr FixedValue kTokenFields[] = {
    {"suppress_tokens", "[]"}, {"begin_suppress_tokens", "[]"}, {"bad_words_ids", "[]"},
    {"sequence_bias", "[]"},   {"force_words_ids", "[]"},       {"stop_strings", "[]"},
    {"guidance_scale", "1.0"}, {"token_healing", "false"},
};

// One id or a list.
Json ids_of(Fields& fields, const char* field) {
  const Json& value = fields.take(field);
  return value.is_array() ? value : Json::array({value});
}

void read_ids(Fields& fields, ImportedContents& out) {
  constexpr const char *kBegin = "bos_token_id", *kEnd = "eos_token_id";
  if (fields.has(kEnd)) out.set("end-ids", ids_of(fields, kEnd), fields.where_of(kEnd));
  if (fields.has(kBegin)) out.set("begin-id", fields.take(kBegin), fields.where_of(kBegin));
}

}  // namespace

void read_begin_and_ends(FolderReader& in) {
  read_ids(in.config, in.out);
  const std::string path = path_in(in.folder, kGenerationFile);
  if (!file_exists(path)) return;
  Fields fields(data::read_bytes(path, Pipes::kRefused), path);
  read_ids(fields, in.out);
  for (const auto& [name, value] : kTokenFields) fields.require(name, Json::parse(value));
  fields.ignore(kSearchFields);
  fields.ignore(kHarmlessGenerationFields);
  fields.check_all_consumed();
}

}  // namespace weft::model_file
