#include "weft/data/subwords/nodes/pre_tokeniser.h"

#include "weft/core/text/character_classes.h"
#include "weft/data/subwords/byte_characters.h"
#include "weft/data/subwords/nodes/metaspace.h"
#include "weft/data/subwords/text_changes.h"
#include "weft/data/subwords/word_rules.h"

namespace weft::data {
namespace {

class Split : public PreTokeniser {
 public:
  Split(PatternPtr pattern, SplitBehaviour behaviour, bool invert = false)
      : pattern_(std::move(pattern)), behaviour_(behaviour), invert_(invert) {}

  void apply(SplitText& text) const override { split(text, *pattern_, behaviour_, invert_); }

 private:
  PatternPtr pattern_;
  SplitBehaviour behaviour_;
  bool invert_;
};

// A space before each piece that begins with none.
class SpacePrefix : public PreTokeniser {
 public:
  void apply(SplitText& text) const override {
    rewrite(text, [](const AlignedText& piece) {
      return piece.text().starts_with(' ') ? piece : piece.with_prefix(" ");
    });
  }
};

class BytesAsCharacters : public PreTokeniser {
 public:
  void apply(SplitText& text) const override { rewrite(text, characters_of_bytes); }
};

class MetaspaceSplit : public PreTokeniser {
 public:
  explicit MetaspaceSplit(Metaspace metaspace)
      : metaspace_(std::move(metaspace)), pattern_(string_pattern(metaspace_.replacement)) {}

  void apply(SplitText& text) const override {
    rewrite(text, [&](const AlignedText& piece) {
      const bool is_first = piece.origin(0, 1).begin == 0;
      AlignedText out = replaced(piece, *space_, metaspace_.replacement);
      const bool wants_prefix = metaspace_.prepend == Prepend::kAlways ||
                                (metaspace_.prepend == Prepend::kFirst && is_first);
      return wants_prefix && !out.text().starts_with(metaspace_.replacement)
                 ? out.with_prefix(metaspace_.replacement)
                 : out;
    });
    if (metaspace_.split) split(text, *pattern_, SplitBehaviour::kMergedWithNext);
  }

 private:
  Metaspace metaspace_;
  PatternPtr pattern_, space_ = string_pattern(" ");
};

class PreTokeniserReader {
 public:
  // The nodes of sequences one after the other.
  void read(JsonNode node, bool is_last) {
    const std::string type = node.type();
    if (type == "Sequence") {
      std::vector<JsonNode> nodes = node.nodes("pretokenizers");
      node.finish();
      for (size_t i = 0; i < nodes.size(); ++i) read(nodes[i], is_last && i + 1 == nodes.size());
      return;
    }
    if (type == "ByteLevel") {
      read_byte_level(node, is_last);
    } else if (type == "Split") {
      PatternPtr pattern = read_pattern(node, "pattern");
      const SplitBehaviour behaviour = read_split_behaviour(node, "behavior");
      add<Split>(std::move(pattern), behaviour, node.flag("invert", false));
    } else if (type == "Metaspace") {
      add<MetaspaceSplit>(read_metaspace(node));
    } else {
      read_classes(node, type);
    }
    node.finish();
  }

  PreTokenisers out;

 private:
  template <class Step, class... Arguments>
  void add(Arguments&&... arguments) {
    out.steps.push_back(std::make_unique<Step>(std::forward<Arguments>(arguments)...));
  }

  void read_byte_level(JsonNode& node, bool is_last) {
    if (node.flag("add_prefix_space", true)) add<SpacePrefix>();
    if (node.flag("use_regex", true)) {
      add<Split>(regex_pattern(kGpt2Pattern, node.where()), SplitBehaviour::kIsolated);
    }
    node.ignore("trim_offsets");  // of the post-processor
    if (is_last) {
      out.bytes_as_characters = true;
    } else {
      add<BytesAsCharacters>();
    }
  }

  void read_classes(JsonNode& node, const std::string& type) {
    if (type == "BertPreTokenizer") {
      add<Split>(class_pattern(kSpaceClass), SplitBehaviour::kRemoved);
      add<Split>(class_pattern(kPunctuationClass), SplitBehaviour::kIsolated);
    } else if (type == "Whitespace") {
      add<Split>(regex_pattern(R"(\w+|[^\w\s]+)", node.where()), SplitBehaviour::kRemoved, true);
    } else if (type == "WhitespaceSplit") {
      add<Split>(class_pattern(kSpaceClass), SplitBehaviour::kRemoved);
    } else if (type == "Punctuation") {
      add<Split>(class_pattern(kPunctuationClass), node.has("behavior")
                                                       ? read_split_behaviour(node, "behavior")
                                                       : SplitBehaviour::kIsolated);
    } else if (type == "Digits") {
      add<Split>(class_pattern(kNumericClass), node.flag("individual_digits", false)
                                                   ? SplitBehaviour::kIsolated
                                                   : SplitBehaviour::kContiguous);
    } else {
      node.refuse("the pre-tokenizer {} is not supported", quote(type));
    }
  }
};

}  // namespace

PreTokenisers read_pre_tokenisers(JsonNode node) {
  PreTokeniserReader reader;
  reader.read(std::move(node), true);
  return std::move(reader.out);
}

}  // namespace weft::data
