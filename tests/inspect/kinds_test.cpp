#include "weft/inspect/kinds.h"

#include <gtest/gtest.h>

namespace weft::inspect {
namespace {

// A kind of model without a pair of files in weft/inspect.
struct OtherSession {};

TEST(Kinds, AreInspectedWhereTheyHaveFilesForIt) {
  static_assert(Inspected<model_file::DetectorSession>);
  static_assert(Inspected<model_file::TranslatorSession>);
  static_assert(!Inspected<OtherSession>);
}

TEST(Kinds, CheckWhatTheirModelsRead) {
  const InspectionOptions options{.beam_size = 7};
  EXPECT_NO_THROW(check_read(options, {"beam-size"}, "with a translator"));
  EXPECT_THROW(check_read(options, {"max-length"}, "with a tagger"), OptionError);
}

}  // namespace
}  // namespace weft::inspect
