// The options of encoder-decoders, and what of them contradicts what.
#ifndef WEFT_MODELS_SEQ2SEQ_OPTIONS_H_
#define WEFT_MODELS_SEQ2SEQ_OPTIONS_H_

#include <string>
#include <vector>

#include "weft/core/fields.h"

namespace weft::models {

enum class Side { kEncoder, kDecoder };

struct Seq2SeqOptions {
  std::string type = "transformer";
  int64_t enc_depth = 6;
  int64_t dec_depth = 6;
  int64_t dim_emb = 512;
  int64_t heads = 8;
  int64_t dim_ffn = 2048;
  int64_t dim_key = 0;
  int64_t dim_value = 0;
  double attention_scale = 0;
  std::string ffn_activation = "relu";
  bool ffn_gated = false;
  bool attention_bias = true;
  bool output_bias = true;
  std::string norm = "post";
  std::string norm_kind = "layer";
  double norm_epsilon = 1e-5;
  double norm_momentum = 0.1;
  std::string residual_scale = "1";
  double drop_path = 0;
  std::vector<int64_t> tied_layers = {};
  std::string position = "sinusoidal";
  int64_t max_positions = 512;
  double position_scale = 1;
  double rotary_base = 10000;
  int64_t relative_buckets = 32;
  int64_t relative_max_distance = 128;
  std::string attention = "full";
  int64_t attention_window = 0;
  int64_t attention_block = 0;
  int64_t attention_global = 0;
  int64_t attention_keys = 0;
  int64_t attention_clusters = 0;
  std::string attention_clustering = "centroids";
  int64_t attention_rounds = 1;
  int64_t attention_sorting_steps = 5;
  std::string attention_in = "all";
  std::string attention_qk_norm = "none";
  std::string attention_activation = "softmax";
  int64_t key_heads = 0;
  std::string attention_prior = "none";
  double attention_prior_width = 3;
  double attention_prior_ratio = 1;
  bool tied_embeddings = false;
  bool tied_embeddings_all = false;
  double dropout = 0.1;
  double dropout_attention = 0;
  double dropout_ffn = 0;
  std::string rnn_cell = "lstm";
  std::string rnn_attention = "bahdanau";
  bool rnn_input_feeding = false;
  std::string enc_type = "auto";
  double dropout_rnn = 0.1;
  int64_t cnn_width = 3;
  std::string generation = "left-to-right";
  std::string length_from = "classifier";
  int64_t length_difference = 32;
  double length_ratio = 1.5;
  int64_t length_offset = 5;
  int64_t ctc_upsampling = 2;

  bool is_transformer() const { return type == "transformer"; }
  bool is_left_to_right() const { return generation == "left-to-right"; }
  bool is_mask_predict() const { return generation == "mask-predict"; }
  bool is_ctc() const { return generation == "ctc"; }
  // Whether a classifier on the encoder's states tells how long a target is.
  bool predicts_length() const {
    return is_mask_predict() || (generation == "parallel" && length_from == "classifier");
  }
  int64_t key_size() const { return dim_key != 0 ? dim_key : dim_emb / heads; }        // K
  int64_t value_size() const { return dim_value != 0 ? dim_value : dim_emb / heads; }  // Kv
  // Whether a side's inputs have positions; recurrent cells read tokens in their order.
  bool has_positions(Side side) const {
    return is_transformer() || (type == "cnn" && side == Side::kEncoder);
  }

  template <class V>
  void fields(V& v) {
    group(v, "Model");
    v("type", type,
      {.help =
           "what stands between embeddings and output: the Transformer; rnn: recurrent encoder "
           "and decoder, the encoder's last state starting the decoder (Sutskever et al. 2014); "
           "rnn-attention: the same with attention to all of its states (Bahdanau et al. 2015); "
           "cnn: a convolutional encoder with that decoder (Gehring et al. 2017, arXiv "
           "1611.02344); an option that a type does not read keeps its default",
       .choices = "transformer|rnn|rnn-attention|cnn"});
    v("enc-depth", enc_depth, {.help = "encoder layers", .min = 1, .max = 1000});
    v("dec-depth", dec_depth, {.help = "decoder layers", .min = 1, .max = 1000});
    v("dim-emb", dim_emb, {.help = "size of embeddings and layers, D", .min = 2, .max = 65536});
    v("transformer-heads", heads, {.help = "attention heads, H", .min = 1, .max = 1024});
    v("transformer-dim-ffn", dim_ffn,
      {.help = "inner size of the feed-forward network, F", .min = 1, .max = 1048576});
    v("transformer-dim-key", dim_key,
      {.help = "size of a head's keys and queries; 0: dim-emb / heads", .min = 0, .max = 65536});
    v("transformer-dim-value", dim_value,
      {.help = "size of a head's values; 0: dim-emb / heads", .min = 0, .max = 65536});
    v("attention-scale", attention_scale,
      {.help = "factor on attention scores, from 1e-6 on; 0: 1 / sqrt(key size)",
       .min = 0,
       .max = 1e6});
    v("transformer-ffn-activation", ffn_activation,
      {.help = "activation of the feed-forward network", .choices = "relu|gelu|silu"});
    v("transformer-ffn-gated", ffn_gated,
      {.help = "gated feed-forward network (Shazeer 2020, arXiv 2002.05202)"});
    v("attention-bias", attention_bias, {.help = "biases in the attention's projections"});
    v("output-bias", output_bias, {.help = "bias of the output layer"});
    norm_fields(v);
    position_fields(v);
    attention_fields(v);
    v("tied-embeddings", tied_embeddings, {.help = "one matrix for target embedding and output"});
    v("tied-embeddings-all", tied_embeddings_all,
      {.help = "one matrix for both embeddings and output; needs one vocabulary"});
    v("transformer-dropout", dropout,
      {.help = "dropout on embeddings and on what sublayers add", .min = 0, .max = 0.99});
    v("transformer-dropout-attention", dropout_attention,
      {.help = "dropout on attention weights", .min = 0, .max = 0.99});
    v("transformer-dropout-ffn", dropout_ffn,
      {.help = "dropout inside the feed-forward network", .min = 0, .max = 0.99});
    v("rnn-cell", rnn_cell,
      {.help = "recurrent cell: plain with tanh or ReLU (Elman 1990), GRU (Cho et al. 2014), LSTM "
               "(Hochreiter and Schmidhuber 1997)",
       .choices = "tanh|relu|gru|lstm"});
    v("rnn-attention", rnn_attention,
      {.help = "scores by a hidden layer, the context being input of the decoder's first cell "
               "(Bahdanau et al. 2015), or products with its output (Luong et al. 2015, 'general')",
       .choices = "bahdanau|luong"});
    v("rnn-input-feeding", rnn_input_feeding,
      {.help = "luong: what was read of output and context is input of the next step (Luong et al. "
               "2015, section 3.3); slower, as steps then attend one by one"});
    v("enc-type", enc_type,
      {.help = "how the first recurrent layer of the encoder reads, the others reading forwards: "
               "in one direction or in both; auto: both with rnn-attention",
       .choices = "auto|unidirectional|bidirectional"});
    v("dropout-rnn", dropout_rnn,
      {.help = "dropout on embeddings, between recurrent or convolutional layers and on the "
               "decoder's output (Zaremba et al. 2014)",
       .min = 0,
       .max = 0.99});
    v("cnn-width", cnn_width,
      {.help = "tokens that a convolution of the encoder sees, odd", .min = 1, .max = 101});
    generation_fields(v);
  }

  template <class V>
  void generation_fields(V& v) {
    v("generation", generation,
      {.help = "how a translation comes about: token by token; or non-autoregressively, all "
               "positions at once (parallel: Gu et al. 2018, arXiv 1711.02281), at once, with "
               "repeats and blanks left out (ctc: Libovický and Helcl 2018, arXiv 1811.04719), or "
               "at once and then in rounds that predict the least certain tokens again "
               "(mask-predict: Ghazvininejad et al. 2019, arXiv 1904.09324)",
       .choices = "left-to-right|parallel|ctc|mask-predict"});
    v("length-from", length_from,
      {.help = "how long a translation of --generation parallel is: what a classifier on the "
               "encoder's states says, or up to the first end symbol of many positions",
       .choices = "classifier|end"});
    v("length-difference", length_difference,
      {.help = "most tokens that the classifier of lengths puts between source and target",
       .min = 1,
       .max = 10000});
    v("length-ratio", length_ratio,
      {.help = "positions of --length-from end for each source token, end symbol included",
       .min = 0.1,
       .max = 100});
    v("length-offset", length_offset,
      {.help = "positions of --length-from end beside those", .min = 0, .max = 10000});
    v("ctc-upsampling", ctc_upsampling,
      {.help = "positions of --generation ctc for each source token, end symbol included",
       .min = 1,
       .max = 100});
  }

  template <class V>
  void norm_fields(V& v) {
    v("transformer-norm", norm,
      {.help = "norm after each sublayer (the paper) or before it (Xiong et al. 2020)",
       .choices = "post|pre"});
    v("norm-kind", norm_kind,
      {.help = "layer norm; rms norm, without mean and bias (Zhang and Sennrich 2019, arXiv "
               "1910.07467); or batch norm over all rows of a batch, with running statistics for "
               "inference (Ioffe and Szegedy 2015, arXiv 1502.03167)",
       .choices = "layer|rms|batch"});
    v("norm-epsilon", norm_epsilon,
      {.help = "added to the variance, or mean square, in norms", .min = 1e-12, .max = 1});
    v("norm-momentum", norm_momentum,
      {.help = "what each batch counts in the running statistics of batch norm",
       .min = 0,
       .max = 1});
    v("residual-scale", residual_scale,
      {.help = "factor on the residual beside each sublayer: a number from 1e-6 to 1e6, or "
               "deepnorm, which takes it and the initial values from the depths (Wang et al. 2022, "
               "arXiv "
               "2203.00555)"});
    v("drop-path", drop_path,
      {.help = "stochastic depth: how often, in training, the last layer's sublayers add nothing "
               "to a sentence; less often in earlier layers (Huang et al. 2016, arXiv 1603.09382)",
       .min = 0,
       .max = 0.99});
    v("tied-layers", tied_layers,
      {.help = "for each layer of a stack, the one, from 1, whose weights it has, as in 1 1 3 3; "
               "1 alone: all layers are one (Dehghani et al. 2019, arXiv 1807.03819)",
       .min = 1,
       .max = 1000,
       .alias = "transformer-tied-layers"});
  }

  template <class V>
  void position_fields(V& v) {
    v("position", position,
      {.help = "kind of positions: added to embeddings (index, sinusoidal, learned), turning "
               "queries and keys (rotary: Su et al. 2021; rotary-2d: by place in the grid of an "
               "image, refused for text), or added to attention scores (relative: Raffel et al. "
               "2020; alibi: Press et al. 2022)",
       .choices = "none|index|sinusoidal|learned|rotary|rotary-2d|relative|alibi"});
    v("max-positions", max_positions,
      {.help =
           "size of the tables of learned positions, and of those of linformer and synthesizers; "
           "without any, the bound that weft convert --to-hf states",
       .min = 1,
       .max = 1048576});
    v("position-scale", position_scale,
      {.help = "factor on the number that index positions add", .min = -1e6, .max = 1e6});
    v("rotary-base", rotary_base,
      {.help = "about the ratio of the fastest to the slowest turn of rotary positions",
       .min = 1,
       .max = 1e12});
    v("relative-buckets", relative_buckets,
      {.help = "buckets of distances of relative positions", .min = 4, .max = 65536});
    v("relative-max-distance", relative_max_distance,
      {.help = "distance that the growing buckets of relative positions reach",
       .min = 4,
       .max = 65536});
  }

  template <class V>
  void attention_fields(V& v) {
    v("attention", attention,
      {.help =
           "which rows self-attention sees: all; local: those at most --attention-window away "
           "(Beltagy et al. 2020); "
           "block-sparse: those of its own and the neighbouring blocks of --attention-block "
           "rows, and the first --attention-global rows, which see all (Zaheer et al. 2020); "
           "linear: all, by weights that are never formed, with elu(x) + 1 on queries and keys "
           "(Katharopoulos et al. 2020); linear-bare: the same without it; linformer: "
           "--attention-keys learned mixtures of all (Wang et al. 2020, arXiv 2006.04768); "
           "synthesizer-dense, synthesizer-random: all, by weights that a row gives places, or "
           "places give places, without products with keys (Tay et al. 2021, arXiv 2005.00743); "
           "clustered: those of its own of --attention-clusters groups of likeness; sinkhorn: its "
           "block and another that is sorted beside it, a mixture of blocks (Tay et al. 2020, "
           "arXiv 2002.11296)",
       .choices = "full|local|block-sparse|linear|linear-bare|linformer|synthesizer-dense|"
                  "synthesizer-random|clustered|sinkhorn"});
    v("attention-window", attention_window,
      {.help = "rows each side in local attention; needed for it", .min = 0, .max = 1048576});
    v("attention-block", attention_block,
      {.help = "rows of a block of block-sparse or sinkhorn attention; needed for them",
       .min = 0,
       .max = 1048576});
    v("attention-global", attention_global,
      {.help = "rows that see all and are seen by all in block-sparse attention",
       .min = 0,
       .max = 1048576});
    v("attention-keys", attention_keys,
      {.help = "mixtures of rows in linformer; needed for it", .min = 0, .max = 1048576});
    v("attention-clusters", attention_clusters,
      {.help = "clusters or buckets of each head in clustered attention; needed for it",
       .min = 0,
       .max = 1048576});
    v("attention-clustering", attention_clustering,
      {.help =
           "what makes clusters: the nearest of centroids that follow the rows (Roy et al. 2020, "
           "arXiv 2003.05997), or a hash by random directions (Kitaev et al. 2020, arXiv "
           "2001.04451)",
       .choices = "centroids|hash"});
    v("attention-rounds", attention_rounds,
      {.help = "hashes whose attention is averaged in clustered attention by hash",
       .min = 1,
       .max = 64});
    v("attention-sorting-steps", attention_sorting_steps,
      {.help = "rounds of sums of rows and columns becoming 1 in sinkhorn attention",
       .min = 1,
       .max = 100});
    v("attention-in", attention_in,
      {.help = "which side's self-attention is of the kind of --attention; the other side's, and "
               "cross-attention, is full",
       .choices = "all|encoder|decoder"});
    v("attention-qk-norm", attention_qk_norm,
      {.help = "norm of each head's queries and keys: rms norms with gains (Dehghani et al. 2023, "
               "arXiv 2302.05442); l2: cosines times a learned number (Henry et al. 2020, arXiv "
               "2010.04245)",
       .choices = "none|rms|l2"});
    v("attention-activation", attention_activation,
      {.help =
           "from scores to weights: softmax; ReLU or its square over the number of keys "
           "(Wortsman et al. 2023, Hua et al. 2022); sigmoid (Ramapuram et al. 2024); sparsemax "
           "(Martins and Astudillo 2016); entmax15 (Peters et al. 2019)",
       .choices = "softmax|relu|relu2|sigmoid|sparsemax|entmax15"});
    v("transformer-key-heads", key_heads,
      {.help = "heads of keys and values, each shared by as many heads: grouped-query attention "
               "(Ainslie et al. 2023), 1: multi-query (Shazeer 2019); 0: one for each head",
       .min = 0,
       .max = 1024});
    v("attention-prior", attention_prior,
      {.help = "bias on scores of attention to the source, the same in training and decoding, by "
               "the distance d from source token ratio * i for target token i: diagonal, -d^2 / "
               "(2 width^2); monotonic, -d / width for what lies behind alone",
       .choices = "none|diagonal|monotonic"});
    v("attention-prior-width", attention_prior_width,
      {.help = "width of the prior, in source tokens", .min = 0.1, .max = 1000});
    v("attention-prior-ratio", attention_prior_ratio,
      {.help = "source tokens for a target token", .min = 0.01, .max = 100});
  }
};

// The kind of self-attention of a side.
const std::string& self_attention_of(const Seq2SeqOptions& options, Side side);

// What the vocabularies fix of a model.
struct Seq2SeqSizes {
  int64_t source_vocab = 0;
  int64_t target_vocab = 0;
  int64_t begin_id = 0;  // the decoder's first input
  int64_t end_id = 0;

  template <class V>
  void fields(V& v) {
    v("source-vocab-size", source_vocab, {.help = "source vocabulary", .min = 1});
    v("target-vocab-size", target_vocab, {.help = "target vocabulary", .min = 1});
    v("begin-id", begin_id, {.help = "first input of the decoder", .min = 0});
    v("end-id", end_id, {.help = "end of a sentence", .min = 0});
  }
};

// The number that --residual-scale is where it is not deepnorm; throws OptionError for other text.
double residual_scale(const Seq2SeqOptions& options);

// Throws OptionError for options that contradict each other, with the reason.
void check(const Seq2SeqOptions& options);
// The same for options that contradict each other or the sizes.
void check(const Seq2SeqOptions& options, const Seq2SeqSizes& sizes);

}  // namespace weft::models

#endif  // WEFT_MODELS_SEQ2SEQ_OPTIONS_H_
