// All of Weft's public headers.
#ifndef WEFT_WEFT_H_
#define WEFT_WEFT_H_

#include "weft/array.h"
#include "weft/classify.h"
#include "weft/convert.h"
#include "weft/detect.h"
#include "weft/embed.h"
#include "weft/error.h"
#include "weft/evaluate.h"
#include "weft/export.h"
#include "weft/fill.h"
#include "weft/generate.h"
#include "weft/inspect.h"
#include "weft/line.h"
#include "weft/model.h"
#include "weft/option_schema.h"
#include "weft/options.h"
#include "weft/picture.h"
#include "weft/report.h"
#include "weft/score.h"
#include "weft/settings.h"
#include "weft/speed.h"
#include "weft/stream.h"
#include "weft/tag.h"
#include "weft/train.h"
#include "weft/transcribe.h"
#include "weft/translate.h"
#include "weft/views.h"

#endif  // WEFT_WEFT_H_
