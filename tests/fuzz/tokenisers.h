// What the fuzz targets of tokenisers have in common.
#ifndef WEFT_TESTS_FUZZ_TOKENISERS_H_
#define WEFT_TESTS_FUZZ_TOKENISERS_H_

#include <string_view>

#include "tests/fuzz/seeds.h"
#include "weft/core/text/utf8.h"
#include "weft/data/subwords/subword_tokeniser.h"

namespace weft::test {

inline void use(const data::SubwordTokeniser& tokeniser) {
  for (const char* text :
       {"", "ab ba", "a1\xC3\xA9 e\xCC\x81\xE2\x91\xA0.", "<s>a\xFF\n\xF0\x9F\xA6\x99"}) {
    const std::string_view view = text;
    const data::Encoding found =
        tokeniser.encode(view, {.parse_special = true, .add_special = true});
    for (const data::ByteRange& span : found.spans) {
      require(span.begin <= span.end && span.end <= view.size());
    }
    require(valid_utf8(tokeniser.decode(found.ids, true)));
    for (const int32_t id : tokeniser.encode(view)) {
      require(!tokeniser.is_special(id) || id == tokeniser.unknown_id());
    }
  }
}

}  // namespace weft::test

#endif  // WEFT_TESTS_FUZZ_TOKENISERS_H_
