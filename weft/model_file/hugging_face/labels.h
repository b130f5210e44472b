// The labels of a model in config.json: id2label and label2id.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_LABELS_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_LABELS_H_

#include <string>
#include <vector>

#include "weft/data/labels/label_set.h"
#include "weft/model_file/hugging_face/architecture.h"

namespace weft::model_file {

// The names of labels by id; those of Transformers' two where the field is missing. A name that
// occurred before gets its id, as labels differ here. Throws FormatError, naming the field.
data::LabelSet take_labels(Fields& config);
// Adds them as the only label set.
void add_labels(const data::LabelSet& labels, ImportedContents& out);

// Writes those of the only label set.
void write_labels(FolderWriter& out);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_LABELS_H_
