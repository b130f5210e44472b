#include "weft/predict/translation/translator.h"

int main() { return weft::decode::DecodeOptions().beam_size == 5 ? 0 : 1; }
