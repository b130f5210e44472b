#include "weft/tasks/translation/length_limits.h"

#include <algorithm>
#include <span>

#include "weft/core/error.h"
#include "weft/core/log.h"
#include "weft/models/capacity.h"

namespace weft::tasks {
namespace {

// The positions that CTC spells a sentence with at least: a blank parts equal neighbours.
int64_t spelling_of(std::span<const int32_t> ids) {
  auto count = std::ssize(ids);
  for (size_t t = 1; t < ids.size(); ++t) count += ids[t] == ids[t - 1] ? 1 : 0;
  return count;
}

void check_tables(const data::Corpus& corpus, const models::Seq2SeqOptions& o, const char* option,
                  const char* limit) {
  const int64_t encoder = models::table_capacity(o, models::Side::kEncoder);
  const int64_t decoder = models::table_capacity(o, models::Side::kDecoder);
  int64_t count = 0, most = 0;
  for (int64_t s = 0; s < corpus.size(); ++s) {
    const int64_t source = corpus.length(0, s) + 1;
    const int64_t rows = models::decoder_rows(o, source, corpus.length(1, s) + 1);
    count += source > encoder || rows > decoder ? 1 : 0;
    if (source > encoder) most = std::max(most, source);
    if (rows > decoder) most = std::max(most, rows);
  }
  if (count == 0) return;
  fail<OptionError>(option,
                    "{} of {} pairs of --train-sets have more rows than {}; expected at least {}, "
                    "got {}; hint: or a --max-length that leaves them out",
                    count, corpus.size(), limit, most, o.position.max_positions);
}

}  // namespace

void check_lengths(const data::Corpus& corpus, const models::Seq2SeqOptions& model,
                   const models::Seq2SeqOptions* teacher) {
  check_tables(corpus, model, "--max-positions", "that");
  if (teacher != nullptr) check_tables(corpus, *teacher, "--teacher", "its --max-positions");
}

void check_ctc_targets(const data::Corpus& corpus, const models::Seq2SeqOptions& model,
                       std::string_view sets) {
  const auto* ctc = model.generation.get_if<models::Ctc>();
  if (ctc == nullptr) return;
  int64_t count = 0;
  for (int64_t s = 0; s < corpus.size(); ++s) {
    const int64_t room = models::positions_for(model, corpus.length(0, s) + 1);
    count += spelling_of(corpus.ids(1, s)) > room ? 1 : 0;
  }
  if (count == 0) return;
  if (count == corpus.size()) {
    fail<OptionError>("--ctc-upsampling",
                      "no target of {} can be spelled with {} positions for each token of its "
                      "source; expected more",
                      sets, ctc->upsampling);
  }
  log::warn(
      "{} of {} targets of {} cannot be spelled with {} positions for each token of the source: "
      "they count as nothing in the loss; hint: a higher --ctc-upsampling",
      count, corpus.size(), sets, ctc->upsampling);
}

}  // namespace weft::tasks
