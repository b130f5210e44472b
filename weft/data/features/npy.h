// NumPy's array files; for feature_file.h.
#ifndef WEFT_DATA_FEATURES_NPY_H_
#define WEFT_DATA_FEATURES_NPY_H_

#include "weft/data/features/feature_file.h"

namespace weft::data {

bool is_npy(std::string_view bytes);
// As parse_features() says.
FeatureSequence parse_npy(std::string_view bytes, const std::string& name);

}  // namespace weft::data

#endif  // WEFT_DATA_FEATURES_NPY_H_
