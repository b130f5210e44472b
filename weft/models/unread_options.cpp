#include "weft/models/unread_options.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "weft/formats/options_table.h"

namespace weft::models {
namespace {

using Names = std::vector<std::string_view>;

// What every type but the Transformer reads. An option added for the Transformer need not be listed
// here: the other types then refuse it.
const Names kCommon = {"type",        "enc-depth",       "dec-depth",           "dim-emb",
                       "output-bias", "tied-embeddings", "tied-embeddings-all", "rnn-cell",
                       "dropout-rnn"};
const std::map<std::string_view, Names> kRead = {
    {"rnn", {"enc-type"}},
    {"rnn-attention", {"enc-type", "rnn-attention", "rnn-input-feeding"}},
    {"cnn",
     {"rnn-attention", "rnn-input-feeding", "cnn-width", "position", "max-positions",
      "position-scale"}}};
const Names kNotTransformer = {"rnn-cell", "rnn-attention", "rnn-input-feeding",
                               "enc-type", "dropout-rnn",   "cnn-width"};

bool has(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_read(std::string_view type, std::string_view name) {
  if (type == "transformer") return !has(kNotTransformer, name);
  return has(kCommon, name) || has(kRead.at(type), name);
}

}  // namespace

void check_unread(const Seq2SeqOptions& options) {
  formats::check_unread(
      options, [&](std::string_view name) { return is_read(options.type, name); },
      "with --type " + options.type);
}

}  // namespace weft::models
