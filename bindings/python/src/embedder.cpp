#include "bindings/python/src/bind.h"
#include "bindings/python/src/parts.h"
#include "weft/embed.h"

namespace weft::python {
namespace {

// ([N, E], a fault or None for each text, news)
nb::object embed(const Embedder& embedder, const nb::list& texts) {
  const auto given = texts_of(texts, "text");
  Report report;
  Embeddings found{.vectors = {.shape = {std::ssize(given), embedder.dimensions()}, .values = {}},
                   .faults = {}};
  std::vector<float>& values = found.vectors.values;
  values.reserve(given.size() * static_cast<size_t>(embedder.dimensions()));
  for_each_part(given, [&](std::span<const std::string> part) {
    Embeddings some = embedder.embed(part, &report);
    values.insert(values.end(), some.vectors.values.begin(), some.vectors.values.end());
    std::ranges::move(some.faults, std::back_inserter(found.faults));
  });
  return nb::make_tuple(array_of(std::move(found.vectors)), list_of(found.faults, fault_of),
                        news_of(report));
}

// (texts for each pair, news)
nb::object mine(const NegativeMiner& miner, const nb::list& pairs, const nb::list& corpus) {
  std::vector<PositivePair> given;
  for (const nb::handle pair : pairs) {
    std::vector<std::string> texts = texts_of(pair, "text of a pair");
    given.push_back({.first = std::move(texts.at(0)), .second = std::move(texts.at(1))});
  }
  const std::vector<std::string> more = texts_of(corpus, "text");
  const auto while_mining = [] {
    const nb::gil_scoped_acquire lock;
    check_signals();
  };
  Report report("text");
  auto found = without_lock([&] { return miner.mine(given, more, &report, while_mining); });
  return nb::make_tuple(list_of(std::move(found), [](const auto& texts) { return list_of(texts); }),
                        news_of(report));
}

}  // namespace

void bind_embedder(nb::module_& module) {
  nb::class_<Embedder>(module, "Embedder")
      .def("__init__", make_of_model<Embedder>)
      .def("embed", embed)
      .def_prop_ro("dimensions", &Embedder::dimensions);
  nb::class_<NegativeMiner>(module, "NegativeMiner")
      .def("__init__", make_of_model<NegativeMiner>)
      .def("mine", mine);
}

}  // namespace weft::python
