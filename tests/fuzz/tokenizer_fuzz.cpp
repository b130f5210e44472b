// Fuzzes the reader of tokenizer.json (libFuzzer):
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   build/fuzz/tests/weft_tokenizer_fuzz -max_len=8192 -max_total_time=600 corpus
//
// `corpus` is a folder. If empty, it is initialised with small tokenisers of every model.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "weft/core/error.h"
#include "weft/core/text/utf8.h"
#include "weft/data/subwords/subword_tokeniser.h"

namespace {

using namespace weft::data;

std::vector<std::string> seeds() {
  const auto whole = [](const std::string& model, const std::string& more) {
    return R"({"version":"1.0","added_tokens":[{"id":9,"content":"<s>","special":true,)"
           R"("lstrip":true,"rstrip":true,"single_word":true}],"model":)" +
           model + more + "}";
  };
  const std::string letters = R"("vocab":{"a":0,"b":1,"ab":2,"##b":3,"<0x41>":4,"[UNK]":5})";
  return {
      whole(R"({"type":"BPE","byte_fallback":true,"merges":["a b"],)" + letters + "}",
            R"(,"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Split","pattern":)"
            R"({"Regex":"a+|\\s"},"behavior":"MergedWithNext"},{"type":"ByteLevel"}]},)"
            R"("decoder":{"type":"ByteLevel"},"normalizer":{"type":"NFKC"})"),
      whole(R"({"type":"WordPiece","unk_token":"[UNK]",)" + letters + "}",
            R"(,"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":)"
            R"("BertPreTokenizer"},"decoder":{"type":"WordPiece"},"post_processor":{"type":)"
            R"("BertProcessing","sep":["a",0],"cls":["b",1]})"),
      whole(R"({"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["a",-1.5],["ab",-2]]})",
            R"(,"pre_tokenizer":{"type":"Metaspace","replacement":"_"},"decoder":{"type":)"
            R"("Sequence","decoders":[{"type":"ByteFallback"},{"type":"Fuse"},{"type":"Strip",)"
            R"("content":" ","start":1,"stop":1}]})"),
      whole(R"({"type":"WordLevel","unk_token":"[UNK]",)" + letters + "}",
            R"(,"pre_tokenizer":{"type":"Digits"},"special_tokens":{"eos_token":["a"]})"),
  };
}

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void use(const SubwordTokeniser& tokeniser) {
  for (const char* text :
       {"", "ab ba", "a1\xC3\xA9 e\xCC\x81\xE2\x91\xA0.", "<s>a\xFF\n\xF0\x9F\xA6\x99"}) {
    const std::string_view view = text;
    const Encoding found = tokeniser.encode(view, {.parse_special = true, .add_special = true});
    for (const ByteRange& span : found.spans) {
      require(span.begin <= span.end && span.end <= view.size());
    }
    require(weft::valid_utf8(tokeniser.decode(found.ids, true)));
    for (const int32_t id : tokeniser.encode(view)) {
      require(!tokeniser.is_special(id) || id == tokeniser.unknown_id());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  for (int i = 1; i < *argc; ++i) {
    const std::filesystem::path folder = (*argv)[i];
    if (!std::filesystem::is_directory(folder) || !std::filesystem::is_empty(folder)) continue;
    int number = 0;
    for (const std::string& seed : seeds()) {
      std::ofstream(folder / std::to_string(number++), std::ios::binary) << seed;
    }
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    use(*load_tokenizer_json({reinterpret_cast<const char*>(data), size}, "fuzz"));
  } catch (const weft::FormatError&) {  // the one kind that bytes may lead to
  }
  return 0;
}
