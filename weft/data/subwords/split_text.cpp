#include "weft/data/subwords/split_text.h"

#include <algorithm>
#include <utility>

namespace weft::data {
namespace {

constexpr std::pair<std::string_view, SplitBehaviour> kBehaviours[] = {
    {"Removed", SplitBehaviour::kRemoved},
    {"Isolated", SplitBehaviour::kIsolated},
    {"MergedWithPrevious", SplitBehaviour::kMergedWithPrevious},
    {"MergedWithNext", SplitBehaviour::kMergedWithNext},
    {"Contiguous", SplitBehaviour::kContiguous},
};

// The parts that become pieces, in `parts` itself.
void merge(SplitBehaviour behaviour, std::vector<PatternPart>& parts) {
  switch (behaviour) {
    case SplitBehaviour::kIsolated: return;
    case SplitBehaviour::kRemoved:
      std::erase_if(parts, [](const PatternPart& part) { return part.is_match; });
      return;
    case SplitBehaviour::kMergedWithNext: {
      std::vector<PatternPart> out;
      bool last_is_match = false;
      for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        if (part->is_match && !last_is_match && !out.empty()) {
          out.back().begin = part->begin;
        } else {
          out.push_back(*part);
        }
        last_is_match = part->is_match;
      }
      std::ranges::reverse(out);
      parts = std::move(out);
      return;
    }
    case SplitBehaviour::kMergedWithPrevious:
    case SplitBehaviour::kContiguous: {
      size_t count = 0;
      bool last_is_match = false;
      for (const PatternPart part : parts) {
        const bool joins = behaviour == SplitBehaviour::kContiguous
                               ? part.is_match == last_is_match
                               : part.is_match && !last_is_match;
        if (joins && count > 0) {
          parts[count - 1].end = part.end;
        } else {
          parts[count++] = part;
        }
        last_is_match = part.is_match;
      }
      parts.resize(count);
      return;
    }
  }
}

}  // namespace

SplitBehaviour read_split_behaviour(JsonNode& node, std::string_view name) {
  const std::string value = node.text(name);
  for (const auto& [text, behaviour] : kBehaviours) {
    if (text == value) return behaviour;
  }
  node.refuse("{} {} is not supported", name, quote(value));
}

void split(SplitText& text, const Pattern& pattern, SplitBehaviour behaviour, bool invert) {
  std::vector<Piece> pieces;
  pieces.reserve(text.pieces.size());
  std::vector<PatternPart> parts;
  for (const Piece& piece : text.pieces) {
    if (!piece.is_text()) {
      pieces.push_back(piece);
      continue;
    }
    parts.clear();
    pattern.split(text.piece(piece), parts);
    if (invert) {
      for (PatternPart& part : parts) part.is_match = !part.is_match;
    }
    merge(behaviour, parts);
    const uint32_t begin = piece.range.begin;
    for (const PatternPart& part : parts) {
      pieces.push_back({{begin + part.begin, begin + part.end}});
    }
  }
  text.pieces = std::move(pieces);
}

void rewrite(SplitText& text, const std::function<AlignedText(AlignedText piece)>& make) {
  AlignedText out;
  for (Piece& piece : text.pieces) {
    const AlignedText part(text.text, piece.range);
    const auto begin = static_cast<uint32_t>(out.text().size());
    out.append(piece.is_text() ? make(part) : part);
    piece.range = {begin, static_cast<uint32_t>(out.text().size())};
  }
  std::erase_if(text.pieces, [](const Piece& piece) {
    return piece.is_text() && piece.range.begin == piece.range.end;
  });
  text.text = std::move(out);
}

}  // namespace weft::data
