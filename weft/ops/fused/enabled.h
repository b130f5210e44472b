// Which of an op's twins runs.
#ifndef WEFT_OPS_FUSED_ENABLED_H_
#define WEFT_OPS_FUSED_ENABLED_H_

namespace weft::ops {

// True unless the environment says WEFT_FUSED=0: then every fused op runs as its composite twin of
// plain ops. Throws OptionError for another value than 0 or 1.
bool fused_enabled();

}  // namespace weft::ops

#endif  // WEFT_OPS_FUSED_ENABLED_H_
