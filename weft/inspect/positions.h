// The positions of a model: their encodings, and the similarity of two rows by their distance.
#ifndef WEFT_INSPECT_POSITIONS_H_
#define WEFT_INSPECT_POSITIONS_H_

#include <string>
#include <vector>

#include "weft/model_file/classifier.h"
#include "weft/model_file/cross_view.h"
#include "weft/model_file/detector.h"
#include "weft/model_file/tagger.h"
#include "weft/model_file/transcriber.h"
#include "weft/model_file/translator.h"

namespace weft::inspect {

struct PositionMaps {
  std::string stack;  // "encoder"
  std::string kind;   // "rotary"
  Tensor encodings;   // F32 [P, D] that are added to the input, or empty
  // F32 [P, P], one for all heads or one for each:
  //   encodings   the cosine of two rows' encodings
  //   rotary      the mean over features of the cosine of the angle between two rows, which is the
  //               score of equal queries and keys, divided by that at distance 0
  //   in scores   what is added to the score of a query (row) and a key (column)
  std::vector<Tensor> similarity;
};

bool is_finite(const PositionMaps& maps);

// Of each stack that has positions; of the first 64 rows, or of the patches of a picture.
std::vector<PositionMaps> positions_of(const model_file::TranslatorSession& session);
std::vector<PositionMaps> positions_of(const model_file::ClassifierSession& session);
std::vector<PositionMaps> positions_of(const model_file::TaggerSession& session);
std::vector<PositionMaps> positions_of(const model_file::TranscriberSession& session);
std::vector<PositionMaps> positions_of(const model_file::DetectorSession& session);
std::vector<PositionMaps> positions_of(const model_file::CrossViewSession& session);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_POSITIONS_H_
