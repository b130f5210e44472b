// What a model does with an example: what attends to what, and what it predicts. All of it is data
// for a page (page.h) or, as JSON, for other programs; docs/inspect.md describes the JSON.
#ifndef WEFT_INSPECT_INSPECTION_H_
#define WEFT_INSPECT_INSPECTION_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/data/boxes/box.h"
#include "weft/nn/attention/observer.h"
#include "weft/tensor/tensor.h"

namespace weft::inspect {

// What the rows or the columns of an attention are.
struct TokenAxis {
  std::vector<std::string> tokens;
};
// The patches of a picture that a model reads: all of them, or the visible ones of a masked
// picture. Patch -1 is the class token, which comes first.
struct PatchAxis {
  std::string png;  // the file's bytes
  int64_t rows = 0, columns = 0;
  std::vector<int32_t> patches;  // numbered from left to right and from the top down
};
// The queries of a detector, with what each found: the most probable label and its box.
struct FoundBox {
  std::string label;
  double probability = 0;
  data::Box box;  // in shares of the picture's width and height
};
struct BoxAxis {
  std::string png;
  std::vector<FoundBox> boxes;
};
// Rows of a sound's encoder on its spectrogram.
struct SpokenWord {
  std::string text;
  double begin = 0, end = 0;  // seconds
};
struct FrameAxis {
  std::string png;  // a column for each frame, high frequencies at the top
  int64_t count = 0;
  double seconds = 0;  // of the sound
  std::vector<SpokenWord> words;
};
struct Axis {
  std::string name;  // "source"
  std::variant<TokenAxis, PatchAxis, BoxAxis, FrameAxis> kind;

  int64_t size() const;
};

// The attention of a layer.
struct AttentionMaps {
  std::string stack;  // "encoder"
  nn::AttentionRole role = nn::AttentionRole::kSelf;
  int64_t layer = 0;
  size_t queries = 0, keys = 0;  // axes of the example
  std::vector<Tensor> heads;     // F32 [T, S] probabilities of each
};

// A token that a model might predict.
struct Alternative {
  std::string token;
  double probability = 0;
  std::string continuation = {};  // the text that greedy search makes of it
};
struct PredictedToken {
  std::string token;
  double probability = 0;
  std::vector<Alternative> alternatives = {};  // the most probable other tokens
};
struct Prediction {
  std::string text;
  std::optional<double> log_probability = {};  // by the decoder
  std::optional<double> score = {};            // of the search: with the length penalty
  std::vector<PredictedToken> tokens = {};
};

struct BeamNode {
  std::string token;
  int64_t parent = -1;  // an earlier node
  double log_probability = 0;
  bool is_end = false;
};

// A label of a text, or of one of its words. Its score is the logit.
struct ExplainedLabel {
  std::string label;
  std::string column;         // the kind of label, where a model gives several
  int64_t word = -1;          // index of the labelled word; -1 for a label of the text
  double probability = 0;     // of a CRF its marginal one
  double score = 0;           // of the text
  double baseline_score = 0;  // of a text whose words' embeddings are zero
  // Whether the row of `gradients` sums to score - baseline_score. It does not where the score
  // jumps between the two texts, as it may with clustered attention.
  bool is_complete = true;
};
// What each word adds to the score of each label.
struct Attributions {
  size_t words = 0;                    // an axis of the example
  std::vector<ExplainedLabel> labels;  // those that have rows below come first
  Tensor gradients;                    // F32 [labels, words] integrated gradients
  Tensor leave_one_out;  // F32 [labels, words] the score less that of the text without the word; 0
                         // for a label's own word and for the only word of a text
};

// A label of a whole example.
struct LabelProbability {
  std::string label;
  double probability = 0;
};

// A picture that a model made or read.
struct NamedPicture {
  std::string name;
  std::string png;
};

struct Example {
  std::string name;       // "line 1"
  std::string input;      // as text
  std::string note = {};  // "cropped from 300 to 100 tokens"
  std::vector<Axis> axes = {};
  std::vector<AttentionMaps> attentions = {};
  std::vector<Prediction> predictions = {};  // the best first
  std::vector<BeamNode> beam = {};
  std::vector<LabelProbability> labels = {};  // the most probable first
  std::vector<NamedPicture> pictures = {};
  std::optional<Attributions> attributions = {};

  // Adds a sentence without its full stop.
  void add_note(std::string_view text);
};

// "self", "cross"
std::string_view name_of(nn::AttentionRole role);

// Says in the example's note of how many labels the gradients do not sum to the score.
void note_incomplete(Example& example);

// Throws NumericError for a score that is not finite.
void check_finite(std::span<const float> scores);
// The same for any number of an example.
void check_finite(const Example& example);

nlohmann::ordered_json to_json(const std::vector<Example>& examples);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_INSPECTION_H_
