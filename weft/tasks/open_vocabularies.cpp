#include "weft/tasks/open_vocabularies.h"

#include <algorithm>

namespace weft::tasks {

data::Vocabularies open_vocabularies(train::Group& group, const data::VocabularyOptions& options,
                                     const data::VocabularyText& text, uint64_t seed) {
  data::Vocabularies out;
  if (group.is_first()) out = data::open_vocabularies(options, text, seed);
  out.fields.resize(options.vocabs.size());
  for (size_t field = 0; field < out.fields.size() && group.size() > 1; ++field) {
    const std::string bytes =
        train::from_first_rank(group, [&] { return out.fields[field]->serialise(); });
    if (group.is_first()) continue;
    const std::string& path = options.vocabs[field];
    const auto same = std::ranges::find(options.vocabs, path) - options.vocabs.begin();
    out.fields[field] = static_cast<size_t>(same) < field ? out.fields[static_cast<size_t>(same)]
                                                          : data::load_tokeniser(bytes, path);
  }
  return out;
}

}  // namespace weft::tasks
