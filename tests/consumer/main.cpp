#include "weft/decode/translate.h"

int main() { return weft::decode::DecodeOptions().beam_size == 5 ? 0 : 1; }
