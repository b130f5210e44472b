// Fuzzes the tokenisers of GGUF files, from metadata as JSON (libFuzzer):
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   build/fuzz/tests/weft_gguf_tokeniser_fuzz -max_len=8192 -max_total_time=600 corpus
//
// `corpus` is a folder. If empty, it is initialised with a small tokeniser of each model.
#include <cstdint>
#include <string>
#include <vector>

#include "tests/fuzz/tokenisers.h"
#include "weft/core/error.h"
#include "weft/data/subwords/gguf_fields.h"

namespace {

using namespace weft::data;

std::vector<std::string> seeds() {
  const auto whole = [](const std::string& model, const std::string& more) {
    return R"({"tokenizer.ggml.model":")" + model + R"(","tokenizer.ggml.tokens":)" +
           R"(["<s>","</s>","<unk>","a","b","ab","<0x41>","\u2581","\u2581a"],)" +
           R"("tokenizer.ggml.token_type":[3,3,2,1,1,1,6,1,4],"tokenizer.ggml.bos_token_id":0,)" +
           R"("tokenizer.ggml.eos_token_id":1,)" + more + "}";
  };
  const std::string merges = R"("tokenizer.ggml.merges":["a b"])";
  const std::string scores = R"("tokenizer.ggml.scores":[0,0,0,-2,-2,-1,0,-3,-4])";
  return {
      whole("gpt2", merges + R"(,"tokenizer.ggml.pre":"llama-bpe")"),
      whole("gpt2", merges + R"(,"tokenizer.ggml.add_bos_token":true)"),
      whole("llama", scores + R"(,"tokenizer.ggml.add_space_prefix":false)"),
      whole("gemma4", merges),
      whole("bert", R"("tokenizer.ggml.cls_token_id":0,"tokenizer.ggml.seperator_token_id":1,)"
                    R"("tokenizer.ggml.unknown_token_id":2)"),
      whole("t5", scores + R"(,"tokenizer.ggml.precompiled_charsmap":[0,0,0,0])"),
  };
}

// What is written of it is read again.
void write(const SubwordTokeniser& tokeniser) {
  const int64_t ends[] = {0};
  try {
    const TokenizerDocument document = parse_tokenizer_json(tokeniser.serialise(), "fuzz");
    const auto fields = gguf_tokeniser_fields(
        document, {.size = tokeniser.size(), .end_ids = ends, .adds_begin = true});
    weft::test::use(*load_gguf_tokeniser(fields, "written"));
  } catch (const weft::OptionError&) {  // GGUF does not have it
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  weft::test::add_seeds({*argv, static_cast<size_t>(*argc)}, seeds());
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto metadata = nlohmann::ordered_json::parse(data, data + size, nullptr, false);
  if (!metadata.is_object()) return 0;
  try {
    const SubwordTokeniserPtr tokeniser = load_gguf_tokeniser(metadata, "fuzz");
    weft::test::use(*tokeniser);
    write(*tokeniser);
  } catch (const weft::FormatError&) {  // the one kind that bytes may lead to
  }
  return 0;
}
