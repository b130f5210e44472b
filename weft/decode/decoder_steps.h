// A decoder of tokens as the model of an engine.
#ifndef WEFT_DECODE_DECODER_STEPS_H_
#define WEFT_DECODE_DECODER_STEPS_H_

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "weft/decode/step_model.h"
#include "weft/models/token_decoder.h"

namespace weft::decode {

// Runs the encoder once for each request, when it begins, and the decoder over prompts and step by
// step with a cache of keys and values. Of a request with allowed tokens only those are scored.
class DecoderSteps : public StepModel {
 public:
  // The states of an encoder.
  using Encode = std::function<nn::Memory(const data::Tokens& sources)>;
  // A left-to-right decoder, which has to outlive this. Without `encode` the requests have the
  // states of their sources. `cache_type` is that of TokenDecoder::make_cache().
  DecoderSteps(const models::TokenDecoder& decoder, const ModelTraits& traits, Encode encode = {},
               std::optional<DType> cache_type = {});

  const ModelTraits& traits() const override { return traits_; }
  void reset() override;
  void begin(std::span<const NewRequest> requests) override;
  Tensor prefill(const PromptRows& prompts) override;
  Tensor step(const Step& step) override;
  int64_t share_prompt(int32_t from, int32_t to, int64_t count) override;
  void keep_hypothesis(int32_t slot) override;
  void drop_rows(int32_t slot, int64_t count) override;
  void release(std::span<const int32_t> slots) override;
  // Of the cached keys and values of all requests, as they were at most.
  int64_t cache_bytes() const { return cache_.bytes(); }

 private:
  bool has_memory(std::span<const NewRequest> requests) const;
  Tensor scores(const Tensor& states, std::span<const SlotRows> slots) const;

  const models::TokenDecoder* decoder_;
  ModelTraits traits_;
  Encode encode_;
  std::optional<DType> cache_type_;
  nn::KvCache cache_;
  std::vector<nn::Linear> projections_;  // [slots] to the allowed tokens, where there are some
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_DECODER_STEPS_H_
