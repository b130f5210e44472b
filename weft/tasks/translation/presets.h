// The Transformers of Marian's --task.
#ifndef WEFT_TASKS_TRANSLATION_PRESETS_H_
#define WEFT_TASKS_TRANSLATION_PRESETS_H_

#include "weft/options/preset.h"

namespace weft::tasks {

inline constexpr options::Preset kTranslationPresets[] = {
    {"transformer-tiny",
     "enc-depth: 4\ndec-depth: 4\ndim-emb: 128\ntransformer-heads: 4\ntransformer-dim-ffn: 256\n"
     "transformer-dropout: 0.3\n"},
    {"transformer-base",
     "enc-depth: 6\ndec-depth: 6\ndim-emb: 512\ntransformer-heads: 8\ntransformer-dim-ffn: 2048\n"
     "transformer-dropout: 0.1\n"},
    {"transformer-big",
     "enc-depth: 6\ndec-depth: 6\ndim-emb: 1024\ntransformer-heads: 16\n"
     "transformer-dim-ffn: 4096\ntransformer-dropout: 0.3\n"},
    {"transformer-tiny-prenorm",
     "enc-depth: 4\ndec-depth: 4\ndim-emb: 128\ntransformer-heads: 4\ntransformer-dim-ffn: 256\n"
     "transformer-dropout: 0.3\ntransformer-norm: pre\n"},
    {"transformer-base-prenorm",
     "enc-depth: 6\ndec-depth: 6\ndim-emb: 512\ntransformer-heads: 8\ntransformer-dim-ffn: 2048\n"
     "transformer-dropout: 0.1\ntransformer-norm: pre\n"},
    {"transformer-big-prenorm",
     "enc-depth: 6\ndec-depth: 6\ndim-emb: 1024\ntransformer-heads: 16\n"
     "transformer-dim-ffn: 4096\ntransformer-dropout: 0.3\ntransformer-norm: pre\n"},
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_PRESETS_H_
