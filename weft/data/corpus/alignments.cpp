#include "weft/data/corpus/alignments.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/core/hash.h"
#include "weft/data/corpus/sidecar_file.h"

namespace weft::data {

Alignments::Alignments(const Corpus& corpus, const std::vector<std::string>& files) {
  read_sidecar_files(corpus, files, "--guided-alignment", [&](const SidecarLine& line) {
    const int64_t source = corpus.length(0, line.example);
    const int64_t target = corpus.length(corpus.field_count() - 1, line.example);
    std::vector<Link>& links = links_.emplace_back(parse_links(line.text, line.where));
    for (const Link& link : links) {
      if (link.source < source && link.target < target) continue;
      fail<FormatError>(line.where, "{}-{} is outside of {} source and {} target tokens",
                        link.source, link.target, source, target);
    }
    // A link given twice counts once.
    const auto place = [](const Link& link) { return std::pair(link.source, link.target); };
    std::ranges::sort(links, {}, place);
    const auto is_same = [&](const Link& a, const Link& b) { return place(a) == place(b); };
    links.erase(std::unique(links.begin(), links.end(), is_same), links.end());
  });
}

std::vector<std::vector<Link>> Alignments::of(const Batch& batch) const {
  std::vector<std::vector<Link>> out;
  for (const int64_t number : batch.examples) {
    out.push_back(links_[static_cast<size_t>(number)]);
  }
  return out;
}

uint64_t Alignments::fingerprint() const {
  Hash h;
  for (const std::vector<Link>& sentence : links_) {
    h.add(sentence.size());
    for (const Link& link : sentence) {
      h.add(static_cast<uint64_t>(link.source));
      h.add(static_cast<uint64_t>(link.target));
    }
  }
  return h.value();
}

}  // namespace weft::data
