// What --log records of the models that a command reads.
#ifndef APPS_WEFT_OUTPUT_MODEL_RECORD_H_
#define APPS_WEFT_OUTPUT_MODEL_RECORD_H_

#include "weft/options/option_table.h"

namespace weft::app {

// Records a line for each model that an option names, with its checksum: that of its file, or for a
// file of another program or a folder that of its bytes.
void record_models(const options::OptionTable& table);

}  // namespace weft::app

#endif  // APPS_WEFT_OUTPUT_MODEL_RECORD_H_
