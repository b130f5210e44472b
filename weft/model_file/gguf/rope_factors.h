// The tensor rope_freqs.weight of Llama 3.1 and later: what the rate of each rotated pair of
// features is divided by. Its file has no other trace of the scaling.
#ifndef WEFT_MODEL_FILE_GGUF_ROPE_FACTORS_H_
#define WEFT_MODEL_FILE_GGUF_ROPE_FACTORS_H_

#include "weft/model_file/gguf/architecture.h"

namespace weft::model_file {

// Sets the scaling whose factors these are. Throws FormatError, naming the tensor, for others than
// those of the scaling of Llama 3 whose low factor is 1.
void read_rope_factors(GgufReader& in);
// Adds the tensor where the model has that scaling.
void write_rope_factors(GgufWriter& out);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_GGUF_ROPE_FACTORS_H_
