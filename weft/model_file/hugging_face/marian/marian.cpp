#include "weft/model_file/hugging_face/marian/marian.h"

#include "weft/model_file/hugging_face/length_penalty.h"
#include "weft/model_file/hugging_face/marian/names.h"
#include "weft/model_file/hugging_face/marian/tokenisers.h"
#include "weft/model_file/text_assets.h"
#include "weft/model_file/translator.h"

namespace weft::model_file {
namespace {

constexpr FixedValue kMarianFields[] = {
    {"add_bias_logits", "false"},
    {"add_final_layer_norm", "false"},
    {"normalize_before", "false"},
    {"normalize_embedding", "false"},
    {"is_encoder_decoder", "true"},
    {"scale_embedding", "true"},
    {"static_position_embeddings", "true"},
    {"extra_pos_embeddings", "0"},
    {"encoder_layerdrop", "0.0"},
    {"decoder_layerdrop", "0.0"},
    {"is_decoder", "false"},
};

constexpr ValueName kMarianActivations[] = {
    {"relu", "relu"},          {"gelu", "gelu"},  {"gelu_pytorch_tanh", "gelu-tanh"},
    {"gelu_new", "gelu-tanh"}, {"swish", "silu"}, {"silu", "silu"}};

constexpr FieldMapping kMarianMappings[] = {
    {"d_model", "dim-emb"},
    {"encoder_layers", "enc-depth"},
    {"decoder_layers", "dec-depth"},
    {"encoder_attention_heads", "transformer-heads"},
    {"decoder_attention_heads", "transformer-heads"},
    {"encoder_ffn_dim", "transformer-dim-ffn"},
    {"decoder_ffn_dim", "transformer-dim-ffn"},
    {.field = "activation_function",
     .option = "transformer-ffn-activation",
     .values = kMarianActivations},
    {"max_position_embeddings", "max-positions"},
    {"dropout", "transformer-dropout", "0.0"},
    {"attention_dropout", "transformer-dropout-attention", "0.0"},
    {"activation_dropout", "transformer-dropout-ffn", "0.0"},
    {"vocab_size", "source-vocab-size"},
    {"decoder_start_token_id", "begin-id"},
    {"eos_token_id", "end-id"},
    {.field = "target_length_ratio",
     .option = "target-length-ratio",
     .missing = "0.0",
     .is_own = true},
    {.field = "longest_target", .option = "longest-target", .missing = "0", .is_own = true},
};

constexpr FixedValue kMarianOptions[] = {
    {"architecture", R"("transformer")"}, {"transformer-norm", R"("post")"},
    {"norm-kind", R"("layer")"},          {"norm-epsilon", "1e-5"},
    {"position", R"("sinusoidal")"},
};

// Origin, initialisation, and how Transformers decodes.
constexpr std::string_view kMarianHarmless[] = {
    "_num_labels",
    "num_hidden_layers",
    "init_std",
    "classif_dropout",
    "classifier_dropout",
    "id2label",
    "label2id",
    "bos_token_id",
    "pad_token_id",
    "bad_words_ids",
    "forced_eos_token_id",
    "forced_bos_token_id",
    "max_length",
    "min_length",
    "num_beams",
    "early_stopping",
    "no_repeat_ngram_size",
    "do_sample",
    "temperature",
    "top_k",
    "top_p",
    "repetition_penalty",
    "output_past",
    "task_specific_params",
    "force_bos_token_to_be_generated",
    "problem_type",
    "prefix",
};

// The tensors tell whether there is an output bias.
constexpr std::string_view kMarianHarmlessOptions[] = {"output-bias", "drop-path"};

void read_ties(Fields& config, ImportedContents& out) {
  const char *all_field = "share_encoder_decoder_embeddings", *field = "tie_word_embeddings";
  const bool all = !config.has(all_field) || config.take_bool(all_field);
  const bool tied = !config.has(field) || config.take_bool(field);
  if (all && !tied) {
    config.refuse(
        "field 'tie_word_embeddings' is false while 'share_encoder_decoder_embeddings' is "
        "true; expected all embeddings tied, or those of the encoder untied");
  }
  out.set("tied-embeddings-all", all, config.where_of(all_field));
  out.set("tied-embeddings", tied && !all, config.where_of(field));
  if (!all || !config.has("decoder_vocab_size")) return;
  const int64_t source = config.take_integer("vocab_size");
  const int64_t target = config.take_integer("decoder_vocab_size");
  if (source != target) {
    config.refuse(
        "'vocab_size' {} and 'decoder_vocab_size' {} differ while "
        "'share_encoder_decoder_embeddings' is true",
        source, target);
  }
}

void read_marian(FolderReader& in) {
  read_ties(in.config, in.out);
  in.out.set("output-bias", in.has_tensor("final_logits_bias"), in.config.where());
  const int64_t source_size = in.config.take_integer("vocab_size");
  const char* target_field =
      in.config.has("decoder_vocab_size") ? "decoder_vocab_size" : "vocab_size";
  const int64_t target_size = in.config.take_integer(target_field);
  in.out.set("target-vocab-size", target_size, in.config.where_of(target_field));
  read_length_penalty(in);
  const MarianTokenisers tokenisers = read_marian_tokenisers(in.folder, source_size, target_size);
  in.out.add({kSourceVocabulary, tokenisers.source->serialise()});
  in.out.add(tokenisers.source == tokenisers.target
                 ? Asset{kTargetVocabulary, "", kSourceVocabulary}
                 : Asset{kTargetVocabulary, tokenisers.target->serialise()});
}

void write_marian(FolderWriter& out) {
  const bool all = out.options.at("tied-embeddings-all");
  const bool tied = out.options.at("tied-embeddings");
  const int32_t begin_id = out.options.at("begin-id"), end_id = out.options.at("end-id");
  Json& config = out.config;
  config["share_encoder_decoder_embeddings"] = all;
  config["tie_word_embeddings"] = all || tied;
  config["decoder_vocab_size"] = out.options.at("target-vocab-size");
  config["pad_token_id"] = begin_id;
  config["bos_token_id"] = nullptr;
  config["forced_eos_token_id"] = nullptr;
  // Neither system generates the begin symbol.
  config["bad_words_ids"] = begin_id == end_id ? Json() : Json::array({Json::array({begin_id})});
  write_length_penalty(out);
  const bool is_one = out.contents.resolve_alias(kTargetVocabulary) == kSourceVocabulary;
  MarianTokenisers tokenisers{.source = read_vocabulary(out.contents, kSourceVocabulary),
                              .is_joint = is_one || all};
  tokenisers.target = is_one ? tokenisers.source : read_vocabulary(out.contents, kTargetVocabulary);
  write_marian_tokenisers(out.folder, tokenisers, begin_id, end_id);
}

}  // namespace

const Architecture kMarian = {.name = "Marian",
                              .model_type = "marian",
                              .model_class = "MarianMTModel",
                              .kind = TranslatorSession::kKind,
                              .tokenizer_json = TokenizerJson::kNever,
                              .config = {.fixed_fields = kMarianFields,
                                         .fields = kMarianMappings,
                                         .fixed_options = kMarianOptions,
                                         .harmless_fields = kMarianHarmless,
                                         .harmless_options = kMarianHarmlessOptions},
                              .names = marian_names,
                              .read = read_marian,
                              .write = write_marian};

}  // namespace weft::model_file
