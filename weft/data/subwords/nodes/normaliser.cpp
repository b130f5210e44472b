#include "weft/data/subwords/nodes/normaliser.h"

#include <functional>
#include <string>

#include "weft/core/text/character_classes.h"
#include "weft/core/text/utf8.h"
#include "weft/data/subwords/nodes/bert_normaliser.h"
#include "weft/data/subwords/nodes/precompiled.h"
#include "weft/data/subwords/text_changes.h"

namespace weft::data {
namespace {

// One that a function does.
class Change : public Normaliser {
 public:
  using Function = std::function<AlignedText(AlignedText)>;
  explicit Change(Function function) : function_(std::move(function)) {}
  AlignedText apply(AlignedText text) const override { return function_(std::move(text)); }

 private:
  Function function_;
};

bool is_removed_by_nmt(char32_t c) {
  return (c >= 0x1 && c <= 0x8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F ||
         c == 0x9F;
}

bool is_space_for_nmt(char32_t c) {
  return c == 0x9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 ||
         (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF ||
         c == 0xFFFD;
}

AlignedText nmt(const AlignedText& text) {
  AlignedText out;
  const std::string_view from = text.text();
  char32_t c = 0;
  for (size_t i = 0, length; i < from.size(); i += length) {
    length = decode_code_point(from.substr(i), c);
    if (is_removed_by_nmt(c)) continue;
    out.append(is_space_for_nmt(c) ? U' ' : c, text.origin(i, i + length));
  }
  return out;
}

Change::Function read_change(JsonNode& node, const std::string& type) {
  const auto form_change = [](NormalForm form) {
    return [form](AlignedText text) { return in_normal_form(std::move(text), form); };
  };
  if (type == "NFC") return form_change(NormalForm::kNfc);
  if (type == "NFD") return form_change(NormalForm::kNfd);
  if (type == "NFKC") return form_change(NormalForm::kNfkc);
  if (type == "NFKD") return form_change(NormalForm::kNfkd);
  if (type == "Lowercase") return in_lower_case;
  if (type == "StripAccents") {
    return [](AlignedText text) { return without(std::move(text), kCombiningClass); };
  }
  if (type == "Nmt") return nmt;
  if (type == "ByteLevel") return characters_of_bytes;
  if (type == "Strip") {
    const bool left = node.flag("strip_left"), right = node.flag("strip_right");
    return [=](const AlignedText& text) { return stripped(text, left, right); };
  }
  if (type == "Prepend") {
    return [prefix = node.text("prepend")](const AlignedText& text) {
      return text.empty() ? text : text.with_prefix(prefix);
    };
  }
  if (type == "Replace") {
    PatternPtr pattern = read_pattern(node, "pattern");
    return [pattern = std::move(pattern), content = node.text("content")](AlignedText text) {
      return replaced(std::move(text), *pattern, content);
    };
  }
  node.refuse("the normalizer {} is not supported", quote(type));
}

void read_normalisers_into(JsonNode node, Normalisers& out) {
  const std::string type = node.type();
  if (type == "Sequence") {
    for (JsonNode& each : node.nodes("normalizers")) read_normalisers_into(std::move(each), out);
  } else if (type == "BertNormalizer") {
    out.push_back(read_bert_normaliser(node));
  } else if (type == "Precompiled") {
    out.push_back(read_precompiled(node));
  } else {
    out.push_back(std::make_unique<Change>(read_change(node, type)));
  }
  node.finish();
}

}  // namespace

Normalisers read_normalisers(JsonNode node) {
  Normalisers out;
  read_normalisers_into(std::move(node), out);
  return out;
}

AlignedText normalised(const Normalisers& normalisers, AlignedText text) {
  const size_t size = text.text().size();
  for (const auto& normaliser : normalisers) {
    text = normaliser->apply(std::move(text));
    check_growth(size, text.text().size());
  }
  return text;
}

}  // namespace weft::data
