#include "weft/data/subwords/subword_tokeniser.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/data/subwords/added_tokens.h"
#include "weft/data/subwords/byte_characters.h"
#include "weft/data/subwords/models/piece_cache.h"
#include "weft/data/subwords/models/subword_model.h"
#include "weft/data/subwords/models/token_table.h"
#include "weft/data/subwords/nodes/post_processor.h"
#include "weft/data/subwords/nodes/pre_tokeniser.h"

namespace weft::data {
namespace {

constexpr std::string_view kVersion = "1.0";

// The node of a field, if it is there.
template <class Read, class Out>
void read_if_any(JsonNode& root, std::string_view name, Read read, Out& out) {
  if (root.has(name)) out = read(root.node(name));
}

std::vector<bool> special_ids(const std::vector<AddedToken>& added) {
  std::vector<bool> out;
  for (const AddedToken& token : added) {
    if (!token.special) continue;
    out.resize(std::max(out.size(), static_cast<size_t>(token.id) + 1));
    out[static_cast<size_t>(token.id)] = true;
  }
  return out;
}

// The number of spaces at the beginning and at the end of a token.
std::pair<int, int> spaces_around(std::string_view token) {
  const std::string_view space = byte_character(' ');
  int leading = 0, trailing = 0;
  for (std::string_view rest = token; rest.starts_with(space) || rest.starts_with(' ');
       rest.remove_prefix(rest[0] == ' ' ? 1 : space.size())) {
    ++leading;
  }
  for (std::string_view rest = token; rest.ends_with(space) || rest.ends_with(' ');
       rest.remove_suffix(rest.back() == ' ' ? 1 : space.size())) {
    ++trailing;
  }
  return {leading, trailing};
}

}  // namespace

struct SubwordTokeniser::Parts {
  Parts(TokenizerDocument given, std::string_view where);

  SplitText split(std::string_view text, const AddedTokens::Search& search) const;
  void add_tokens(std::string_view text, const EncodeOptions& options, bool with_spans,
                  Encoding& out) const;
  Encoding join(std::span<const TemplatePart> parts, std::span<const std::string_view> texts,
                const EncodeOptions& options, bool with_spans) const;
  const std::string_view* text_of(int32_t id) const;

  TokenizerDocument document;
  std::string where;
  Normalisers normalisers;
  PreTokenisers pre_tokenisers;
  PostProcessor post_processor;
  Decoder decoder = joining_decoder();
  std::unique_ptr<const AddedTokens> added;
  std::vector<bool> special, is_added;  // by id
  SubwordModelPtr model;
  std::vector<std::string_view> texts;  // by id; empty: no token has it
  std::unique_ptr<TokenTable> ids;
  std::vector<int32_t> ends;
  int32_t begin = -1, padding = -1, mask = -1;
  mutable PieceCache cache;

 private:
  void read_nodes();
  void list_tokens();
  void find_roles();
  void add_span(const SplitText& split, ByteRange range, Encoding& out) const;
  void add_piece(const SplitText& split, const Piece& piece, bool with_spans, Encoding& out) const;
  std::vector<PieceToken> tokens_of(std::string_view piece) const;
  void trim(std::string_view text, Encoding& encoding, size_t first) const;
};

SubwordTokeniser::Parts::Parts(TokenizerDocument given, std::string_view name)
    : document(std::move(given)), where(name) {
  read_nodes();
  find_roles();
}

void SubwordTokeniser::Parts::read_nodes() {
  JsonNode root(document.nodes, where);
  if (root.text("version", kVersion) != kVersion) {
    root.refuse("version {}; expected {}", quote(root.text("version")), kVersion);
  }
  for (const char* name : {"truncation", "padding", "special_tokens"}) root.ignore(name);
  read_if_any(root, "normalizer", read_normalisers, normalisers);
  read_if_any(root, "pre_tokenizer", read_pre_tokenisers, pre_tokenisers);
  read_if_any(root, "post_processor", read_post_processor, post_processor);
  read_if_any(root, "decoder", read_decoder, decoder);
  std::vector<AddedToken> tokens;
  if (root.has("added_tokens")) tokens = read_added_tokens(root.nodes("added_tokens"));
  special = special_ids(tokens);
  added = std::make_unique<AddedTokens>(std::move(tokens), normalisers);
  list_tokens();
  model = read_model(root.node("model"), {document, *ids, special});
  root.finish();
}

void SubwordTokeniser::Parts::list_tokens() {
  ids = std::make_unique<TokenTable>(document.tokens.size() + added->tokens().size());
  const auto add = [&](std::string_view text, int32_t id) {
    const auto i = static_cast<size_t>(id);
    texts.resize(std::max(texts.size(), i + 1));
    const int32_t known = ids->find(text);
    if ((known >= 0 && known != id) || (!texts[i].empty() && texts[i] != text)) {
      fail<FormatError>(where, "token {} has id {}, but so has {}, or the token has id {}",
                        quote(text), id, quote(texts[i]), known);
    }
    texts[i] = text;
    ids->add(text, id);
  };
  for (const ModelToken& token : document.tokens) add(token.text, token.id);
  for (const AddedToken& token : added->tokens()) add(token.text, token.id);
  special.resize(texts.size());
  is_added.resize(texts.size());
  for (const AddedToken& token : added->tokens()) is_added[static_cast<size_t>(token.id)] = true;
}

// Without special tokens in the file they are those that the post-processor adds.
void SubwordTokeniser::Parts::find_roles() {
  const SpecialTokens tokens = special_tokens_of(document, where);
  const auto id_of = [&](const std::string& text) {
    const int32_t id = text.empty() ? -1 : ids->find(text);
    if (id < 0 && !text.empty()) {
      fail<FormatError>(where, "special token {} is not in the vocabulary", quote(text));
    }
    return id;
  };
  begin = id_of(tokens.begin);
  padding = id_of(tokens.padding);
  mask = id_of(tokens.mask);
  for (const std::string& text : tokens.end) ends.push_back(id_of(text));
  for (const auto* parts : {&post_processor.single, &post_processor.pair}) {
    for (const TemplatePart& part : *parts) {
      for (const int32_t id : part.ids) {
        if (text_of(id) != nullptr) continue;
        fail<FormatError>(where, "post_processor adds the id {}, which no token has", id);
      }
    }
  }
  const std::vector<TemplatePart>& parts = post_processor.single;
  if (parts.size() < 2) return;
  if (begin < 0 && !parts.front().ids.empty()) begin = parts.front().ids.front();
  if (ends.empty() && !parts.back().ids.empty()) ends.push_back(parts.back().ids.back());
}

const std::string_view* SubwordTokeniser::Parts::text_of(int32_t id) const {
  return id >= 0 && id < std::ssize(texts) ? &texts[static_cast<size_t>(id)] : nullptr;
}

SplitText SubwordTokeniser::Parts::split(std::string_view text,
                                         const AddedTokens::Search& search) const {
  SplitText out;
  if (text.empty()) return out;
  out.text = AlignedText(text);
  out.pieces.push_back({{0, static_cast<uint32_t>(out.text.text().size())}});
  added->split(out, false, search);
  if (!normalisers.empty()) {
    rewrite(out, [&](AlignedText piece) { return normalised(normalisers, std::move(piece)); });
  }
  added->split(out, true, search);
  for (const auto& step : pre_tokenisers.steps) {
    step->apply(out);
    check_growth(text.size(), out.text.text().size());
  }
  return out;
}

// Of a piece whose bytes become characters, where the pre-tokenisers say so.
std::vector<PieceToken> SubwordTokeniser::Parts::tokens_of(std::string_view piece) const {
  std::vector<PieceToken> out;
  if (!pre_tokenisers.bytes_as_characters) {
    model->tokenise(piece, out);
    return out;
  }
  std::string characters;
  std::vector<uint32_t> bytes;  // of the piece before each byte of `characters`
  for (uint32_t i = 0; i < piece.size(); ++i) {
    const std::string_view character = byte_character(static_cast<uint8_t>(piece[i]));
    characters += character;
    bytes.insert(bytes.end(), character.size(), i);
  }
  model->tokenise(characters, out);
  for (PieceToken& token : out) {
    token.begin = bytes[token.begin];
    token.end = bytes[token.end - 1] + 1;
  }
  return out;
}

void SubwordTokeniser::Parts::add_span(const SplitText& split, ByteRange range,
                                       Encoding& out) const {
  out.spans.push_back(split.text.origin(range.begin, range.end));
}

void SubwordTokeniser::Parts::add_piece(const SplitText& split, const Piece& piece, bool with_spans,
                                        Encoding& out) const {
  const std::string_view text = split.piece(piece);
  std::vector<PieceToken> made;
  const std::vector<PieceToken>* tokens = nullptr;
  if (text.size() <= PieceCache::kMaxPiece) tokens = cache.find(text);
  if (tokens == nullptr) {
    made = tokens_of(text);
    tokens = &made;
  }
  for (const PieceToken& token : *tokens) {
    out.ids.push_back(token.id);
    const uint32_t base = piece.range.begin;
    if (with_spans) add_span(split, {base + token.begin, base + token.end}, out);
  }
  if (tokens == &made && text.size() <= PieceCache::kMaxPiece) cache.add(text, std::move(made));
}

// Without the spaces at both ends of a token, as tokenizers' trim_offsets. A space that the
// pre-tokeniser puts before the text is none of the text's.
void SubwordTokeniser::Parts::trim(std::string_view text, Encoding& encoding, size_t first) const {
  const auto is_continuation = [&](uint32_t i) { return (text[i] & 0xC0) == 0x80; };
  for (size_t i = first; i < encoding.ids.size(); ++i) {
    const auto id = static_cast<size_t>(encoding.ids[i]);
    auto& [from, to] = encoding.spans[i];
    auto [leading, trailing] =
        spaces_around(is_added[id] ? text.substr(from, to - from) : texts[id]);
    const bool was_added = post_processor.keeps_first_space && (i == first || from == 0);
    if (leading == 1 && was_added) leading = 0;
    for (; leading > 0 && from < to; --leading) {
      do {
        ++from;
      } while (from < to && is_continuation(from));
    }
    for (; trailing > 0 && to > from; --trailing) {
      do {
        --to;
      } while (to > from && is_continuation(to));
    }
  }
}

void SubwordTokeniser::Parts::add_tokens(std::string_view text, const EncodeOptions& options,
                                         bool with_spans, Encoding& out) const {
  if (text.size() > UINT32_MAX / 4) {
    fail<FormatError>(where, "a text of {} bytes; expected less than a gigabyte", text.size());
  }
  const size_t first = out.ids.size();
  const SplitText split_text = split(text, {options.parse_special, options.typed});
  for (const Piece& piece : split_text.pieces) {
    if (piece.is_text()) {
      add_piece(split_text, piece, with_spans, out);
      continue;
    }
    out.ids.push_back(piece.added);
    if (with_spans) add_span(split_text, piece.range, out);
  }
  if (with_spans && post_processor.trims_spans) trim(text, out, first);
}

Encoding SubwordTokeniser::Parts::join(std::span<const TemplatePart> parts,
                                       std::span<const std::string_view> texts_to_join,
                                       const EncodeOptions& options, bool with_spans) const {
  Encoding out;
  for (const TemplatePart& part : parts) {
    if (part.kind == TemplatePart::Kind::kSpecial) {
      if (options.add_special) out.ids.insert(out.ids.end(), part.ids.begin(), part.ids.end());
      if (with_spans) out.spans.resize(out.ids.size());
    } else {
      const size_t text = part.kind == TemplatePart::Kind::kFirst ? 0 : 1;
      add_tokens(texts_to_join[text], options, with_spans, out);
    }
    out.types.resize(out.ids.size(), part.type);
  }
  return out;
}

SubwordTokeniser::SubwordTokeniser(TokenizerDocument document, std::string_view where)
    : parts_(std::make_unique<Parts>(std::move(document), where)) {}

SubwordTokeniser::~SubwordTokeniser() = default;

Encoding SubwordTokeniser::encode(std::string_view text, const EncodeOptions& options) const {
  return parts_->join(parts_->post_processor.single, {&text, 1}, options, true);
}

std::vector<int32_t> SubwordTokeniser::encode(std::string_view line) const {
  return parts_->join(parts_->post_processor.single, {&line, 1}, {}, false).ids;
}

Encoding SubwordTokeniser::encode_pair(std::string_view first, std::string_view second,
                                       const EncodeOptions& options) const {
  const std::string_view texts[] = {first, second};
  return parts_->join(parts_->post_processor.pair, texts, options, true);
}

Encoding SubwordTokeniser::join_pair(std::span<const int32_t> first,
                                     std::span<const int32_t> second) const {
  Encoding out;
  for (const TemplatePart& part : parts_->post_processor.pair) {
    const std::span<const int32_t> ids = part.kind == TemplatePart::Kind::kSpecial ? part.ids
                                         : part.kind == TemplatePart::Kind::kFirst ? first
                                                                                   : second;
    out.ids.insert(out.ids.end(), ids.begin(), ids.end());
    out.types.resize(out.ids.size(), part.type);
  }
  return out;
}

bool SubwordTokeniser::has_pair_symbols() const {
  return std::ranges::any_of(parts_->post_processor.pair, [](const TemplatePart& part) {
    return part.kind == TemplatePart::Kind::kSpecial;
  });
}

std::string SubwordTokeniser::decode(std::span<const int32_t> ids, bool keep_special) const {
  TokenStream stream(*this, keep_special);
  std::string out;
  for (const int32_t id : ids) out += stream.push(id);
  return out += stream.finish();
}

std::string_view SubwordTokeniser::piece(int32_t id) const {
  const std::string_view* text = parts_->text_of(id);
  if (text == nullptr) {
    fail<FormatError>(parts_->where, "id out of range; expected 0 to {}, got {}", size() - 1, id);
  }
  return *text;
}

std::optional<int32_t> SubwordTokeniser::find(std::string_view piece) const {
  const int32_t id = parts_->ids->find(piece);
  return id < 0 ? std::nullopt : std::optional(id);
}

bool SubwordTokeniser::is_special(int32_t id) const {
  return id >= 0 && id < size() && parts_->special[static_cast<size_t>(id)];
}

int32_t SubwordTokeniser::size() const { return static_cast<int32_t>(parts_->texts.size()); }
int32_t SubwordTokeniser::end_id() const {
  return parts_->ends.empty() ? -1 : parts_->ends.front();
}
int32_t SubwordTokeniser::begin_id() const { return parts_->begin; }
int32_t SubwordTokeniser::unknown_id() const { return parts_->model->unknown_id(); }
int32_t SubwordTokeniser::padding_id() const { return parts_->padding; }
int32_t SubwordTokeniser::mask_id() const { return parts_->mask; }
std::span<const int32_t> SubwordTokeniser::end_ids() const { return parts_->ends; }
std::string SubwordTokeniser::serialise() const { return tokenizer_json(parts_->document); }
std::string SubwordTokeniser::file_bytes(bool) const {
  TokenizerDocument plain = parts_->document;
  remove_special_tokens(plain);
  return tokenizer_json(plain);
}
const Decoder& SubwordTokeniser::decoder() const { return parts_->decoder; }

TokenStream::TokenStream(const SubwordTokeniser& tokeniser, bool keep_special)
    : tokeniser_(tokeniser), keep_special_(keep_special), text_(tokeniser.decoder()) {}

std::string TokenStream::push(int32_t id) {
  const std::string_view piece = tokeniser_.piece(id);
  if (piece.empty() || (!keep_special_ && tokeniser_.is_special(id))) return {};
  return text_.push(piece);
}

std::string TokenStream::finish() { return text_.finish(); }

SubwordTokeniserPtr load_tokenizer_json(std::string_view text, std::string_view where,
                                        const std::optional<SpecialTokens>& special) {
  TokenizerDocument document = parse_tokenizer_json(text, where);
  if (special) set_special_tokens(document, *special);
  return std::make_shared<SubwordTokeniser>(std::move(document), where);
}

}  // namespace weft::data
