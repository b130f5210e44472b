#include "weft/model_file/hugging_face/encoders/bert.h"

#include <algorithm>

#include "weft/model_file/classifier.h"
#include "weft/model_file/embedder.h"
#include "weft/model_file/hugging_face/encoders/common.h"
#include "weft/model_file/masked_lm.h"
#include "weft/model_file/tagger.h"

namespace weft::model_file {
namespace {

constexpr FixedValue kBertFields[] = {{"is_decoder", "false"},
                                      {"is_encoder_decoder", "false"},
                                      {"add_cross_attention", "false"},
                                      {"position_embedding_type", R"("absolute")"},
                                      {"pruned_heads", "{}"}};

// Missing fields have the values of BertConfig.
constexpr FieldMapping kBertMappings[] = {
    {"vocab_size", "vocab-size", "30522"},
    {"hidden_size", "dim-emb", "768"},
    {"num_hidden_layers", "enc-depth", "12"},
    {"num_attention_heads", "transformer-heads", "12"},
    {"intermediate_size", "transformer-dim-ffn", "3072"},
    {.field = "hidden_act",
     .option = "transformer-ffn-activation",
     .missing = R"("gelu")",
     .values = kEncoderActivations},
    {"hidden_dropout_prob", "transformer-dropout", "0.1"},
    {"attention_probs_dropout_prob", "transformer-dropout-attention", "0.1"},
    {"max_position_embeddings", "max-positions", "512"},
    {"type_vocab_size", "token-types", "2"},
    {"layer_norm_eps", "norm-epsilon", "1e-12"},
};

constexpr const char *kHeadDropout = "classifier_dropout", *kBertDropout = "hidden_dropout_prob";
constexpr const char* kPaddingId = "pad_token_id";

constexpr ConfigMap kBertConfig = {.fixed_fields = kBertFields,
                                   .fields = kBertMappings,
                                   .fixed_options = kPostNormEncoderOptions,
                                   .harmless_fields = kEncoderHarmlessFields,
                                   .harmless_options = kEncoderHarmlessOptions};

void read_bert(FolderReader& in) { read_embedder(in, dims_of(in.config)); }
void write_bert(FolderWriter& out) { write_embedder(out, true); }

void read_bert_classifier(FolderReader& in) {
  read_head_dropout(in, "classifier-dropout", kHeadDropout, kBertDropout);
  read_text_classifier(in, dims_of(in.config), "tanh");
}
void write_bert_classifier(FolderWriter& out) {
  write_text_classifier(out, true);
  out.config[kHeadDropout] = out.options.at("classifier-dropout");
}

void read_bert_tagger(FolderReader& in) {
  read_head_dropout(in, "tagger-dropout", kHeadDropout, kBertDropout);
  read_word_tagger(in, dims_of(in.config));
}
void write_bert_tagger(FolderWriter& out) {
  write_word_tagger(out, true);
  out.config[kHeadDropout] = out.options.at("tagger-dropout");
}

// The head has the activation of the layers.
void read_bert_masked_lm(FolderReader& in) {
  const std::string_view activation = take_activation(in.config, "hidden_act", "gelu");
  read_masked_lm(in, dims_of(in.config), activation);
}
void write_bert_masked_lm(FolderWriter& out) { write_masked_lm(out, true); }

// Positions begin after that of padding.
EncoderDims roberta_dims(FolderReader& in) {
  const int64_t offset = in.config.take_integer_or(kPaddingId, 1) + 1;
  in.out.set("position-offset", offset, in.config.where_of(kPaddingId));
  return dims_of(in.config, offset);
}
void write_padding(FolderWriter& out) {
  const int64_t offset = out.options.value("position-offset", int64_t{0});
  out.config[kPaddingId] = std::max<int64_t>(offset - 1, 0);
}

void read_roberta(FolderReader& in) { read_embedder(in, roberta_dims(in)); }
void write_roberta(FolderWriter& out) {
  write_padding(out);
  write_embedder(out, false);
}

void read_roberta_classifier(FolderReader& in) {
  read_head_dropout(in, "classifier-dropout", kHeadDropout, kBertDropout);
  read_text_classifier(in, roberta_dims(in), "tanh");
}
void write_roberta_classifier(FolderWriter& out) {
  write_padding(out);
  write_text_classifier(out, false);
  out.config[kHeadDropout] = out.options.at("classifier-dropout");
}

void read_roberta_tagger(FolderReader& in) {
  read_head_dropout(in, "tagger-dropout", kHeadDropout, kBertDropout);
  read_word_tagger(in, roberta_dims(in));
}
void write_roberta_tagger(FolderWriter& out) {
  write_padding(out);
  write_word_tagger(out, false);
  out.config[kHeadDropout] = out.options.at("tagger-dropout");
}

void read_roberta_masked_lm(FolderReader& in) { read_masked_lm(in, roberta_dims(in), "gelu"); }
void write_roberta_masked_lm(FolderWriter& out) {
  write_padding(out);
  write_masked_lm(out, false);
}

NameMap bert_names(const Json& options) {
  NameMap out = bert_encoder_names("", options);
  add_dense_names(options, out);
  return out;
}
NameMap bert_classifier_names(const Json& options) {
  NameMap out = bert_encoder_names("bert.", options);
  add_names(out, "bert.pooler.dense", "head.dense");
  add_classifier_names(out, "classifier", options);
  return out;
}
NameMap bert_tagger_names(const Json& options) {
  NameMap out = bert_encoder_names("bert.", options);
  add_tagger_names(out, "classifier", options);
  return out;
}
NameMap roberta_classifier_names(const Json& options) {
  NameMap out = bert_encoder_names("roberta.", options);
  add_names(out, "classifier.dense", "head.dense");
  add_classifier_names(out, "classifier.out_proj", options);
  return out;
}
NameMap roberta_tagger_names(const Json& options) {
  NameMap out = bert_encoder_names("roberta.", options);
  add_tagger_names(out, "classifier", options);
  return out;
}
NameMap bert_masked_lm_names(const Json& options) {
  NameMap out = bert_encoder_names("bert.", options);
  std::erase_if(out.extras, [](const ExtraTensor& one) { return one.theirs == "cls.*"; });
  add_masked_head_names(out, {.dense = "cls.predictions.transform.dense",
                              .norm = "cls.predictions.transform.LayerNorm",
                              .bias = "cls.predictions.bias",
                              .output = "cls.predictions.decoder",
                              .embeddings = "bert.embeddings.word_embeddings.weight"});
  out.extras.push_back({"cls.seq_relationship.*"});
  return out;
}
NameMap roberta_masked_lm_names(const Json& options) {
  NameMap out = bert_encoder_names("roberta.", options);
  std::erase_if(out.extras, [](const ExtraTensor& one) { return one.theirs == "lm_head.*"; });
  add_masked_head_names(out, {.dense = "lm_head.dense",
                              .norm = "lm_head.layer_norm",
                              .bias = "lm_head.bias",
                              .output = "lm_head.decoder",
                              .embeddings = "roberta.embeddings.word_embeddings.weight"});
  return out;
}

// With heads for masked tokens.
constexpr std::string_view kLargerBert[] = {"BertForMaskedLM", "BertForPreTraining"};
constexpr std::string_view kPretrainingBert[] = {"BertForPreTraining"};
constexpr std::string_view kLargerRoberta[] = {"RobertaForMaskedLM"};
constexpr std::string_view kLargerXlmRoberta[] = {"XLMRobertaForMaskedLM"};

}  // namespace

const Architecture kBert = {.name = "BERT",
                            .model_type = "bert",
                            .model_class = "BertModel",
                            .kind = EmbedderSession::kKind,
                            .larger_classes = kLargerBert,
                            .config = kBertConfig,
                            .names = bert_names,
                            .base_prefix = "bert.",
                            .read = read_bert,
                            .write = write_bert};
const Architecture kBertClassifier = {.name = "BERT",
                                      .model_type = "bert",
                                      .model_class = "BertForSequenceClassification",
                                      .kind = ClassifierSession::kKind,
                                      .input = models::TextInput::kName,
                                      .config = kBertConfig,
                                      .names = bert_classifier_names,
                                      .read = read_bert_classifier,
                                      .write = write_bert_classifier};
const Architecture kBertTagger = {.name = "BERT",
                                  .model_type = "bert",
                                  .model_class = "BertForTokenClassification",
                                  .kind = TaggerSession::kKind,
                                  .config = kBertConfig,
                                  .names = bert_tagger_names,
                                  .read = read_bert_tagger,
                                  .write = write_bert_tagger};
const Architecture kBertMaskedLm = {.name = "BERT",
                                    .model_type = "bert",
                                    .model_class = "BertForMaskedLM",
                                    .kind = MaskedLmSession::kKind,
                                    .larger_classes = kPretrainingBert,
                                    .config = kBertConfig,
                                    .names = bert_masked_lm_names,
                                    .read = read_bert_masked_lm,
                                    .write = write_bert_masked_lm};

const Architecture kRoberta = {.name = "RoBERTa",
                               .model_type = "roberta",
                               .model_class = "RobertaModel",
                               .kind = EmbedderSession::kKind,
                               .larger_classes = kLargerRoberta,
                               .config = kBertConfig,
                               .names = bert_names,
                               .base_prefix = "roberta.",
                               .read = read_roberta,
                               .write = write_roberta};
const Architecture kRobertaClassifier = {.name = "RoBERTa",
                                         .model_type = "roberta",
                                         .model_class = "RobertaForSequenceClassification",
                                         .kind = ClassifierSession::kKind,
                                         .input = models::TextInput::kName,
                                         .config = kBertConfig,
                                         .names = roberta_classifier_names,
                                         .read = read_roberta_classifier,
                                         .write = write_roberta_classifier};
const Architecture kRobertaTagger = {.name = "RoBERTa",
                                     .model_type = "roberta",
                                     .model_class = "RobertaForTokenClassification",
                                     .kind = TaggerSession::kKind,
                                     .config = kBertConfig,
                                     .names = roberta_tagger_names,
                                     .read = read_roberta_tagger,
                                     .write = write_roberta_tagger};
const Architecture kRobertaMaskedLm = {.name = "RoBERTa",
                                       .model_type = "roberta",
                                       .model_class = "RobertaForMaskedLM",
                                       .kind = MaskedLmSession::kKind,
                                       .config = kBertConfig,
                                       .names = roberta_masked_lm_names,
                                       .read = read_roberta_masked_lm,
                                       .write = write_roberta_masked_lm};

const Architecture kXlmRoberta = {.name = "XLM-R",
                                  .model_type = "xlm-roberta",
                                  .model_class = "XLMRobertaModel",
                                  .kind = EmbedderSession::kKind,
                                  .tokeniser = "Unigram",
                                  .larger_classes = kLargerXlmRoberta,
                                  .config = kBertConfig,
                                  .names = bert_names,
                                  .base_prefix = "roberta.",
                                  .read = read_roberta,
                                  .write = write_roberta};
const Architecture kXlmRobertaClassifier = {.name = "XLM-R",
                                            .model_type = "xlm-roberta",
                                            .model_class = "XLMRobertaForSequenceClassification",
                                            .kind = ClassifierSession::kKind,
                                            .input = models::TextInput::kName,
                                            .tokeniser = "Unigram",
                                            .config = kBertConfig,
                                            .names = roberta_classifier_names,
                                            .read = read_roberta_classifier,
                                            .write = write_roberta_classifier};
const Architecture kXlmRobertaTagger = {.name = "XLM-R",
                                        .model_type = "xlm-roberta",
                                        .model_class = "XLMRobertaForTokenClassification",
                                        .kind = TaggerSession::kKind,
                                        .tokeniser = "Unigram",
                                        .config = kBertConfig,
                                        .names = roberta_tagger_names,
                                        .read = read_roberta_tagger,
                                        .write = write_roberta_tagger};
const Architecture kXlmRobertaMaskedLm = {.name = "XLM-R",
                                          .model_type = "xlm-roberta",
                                          .model_class = "XLMRobertaForMaskedLM",
                                          .kind = MaskedLmSession::kKind,
                                          .tokeniser = "Unigram",
                                          .config = kBertConfig,
                                          .names = roberta_masked_lm_names,
                                          .read = read_roberta_masked_lm,
                                          .write = write_roberta_masked_lm};

}  // namespace weft::model_file
