#!/usr/bin/env python3
"""Labels its arguments by phrases.safetensors, through the foreign function interface of Python:

    phrases.py libweft.so TEXT...
"""

import ctypes
import json
import sys


class Option(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p)]


def main():
    weft = ctypes.CDLL(sys.argv[1])
    for name in ("weft_error_message", "weft_model_kind", "weft_results_json"):
        getattr(weft, name).restype = ctypes.c_char_p

    def checked(status):
        if status != 0:
            sys.exit(f"status {status}: {weft.weft_error_message().decode()}")

    model, predictor, results = (ctypes.c_void_p() for _ in range(3))
    none = ctypes.POINTER(Option)()
    checked(weft.weft_load(b"phrases.safetensors", none, ctypes.c_size_t(0),
                           ctypes.byref(model)))
    print(weft.weft_model_kind(model).decode())
    wrong = Option(b"mini-batsch", b"2")
    status = weft.weft_make_predictor(model, ctypes.byref(wrong), ctypes.c_size_t(1),
                                      ctypes.byref(predictor))
    print(status, weft.weft_error_message().decode())
    checked(weft.weft_make_predictor(model, none, ctypes.c_size_t(0), ctypes.byref(predictor)))
    texts = [text.encode() for text in sys.argv[2:]]
    checked(weft.weft_predict(predictor, (ctypes.c_char_p * len(texts))(*texts),
                              ctypes.c_size_t(len(texts)), ctypes.byref(results)))
    for i in range(len(texts)):
        print(*json.loads(weft.weft_results_json(results, ctypes.c_size_t(i)))["labels"])
    weft.weft_results_free(results)
    weft.weft_predictor_free(predictor)
    weft.weft_model_free(model)


if __name__ == "__main__":
    main()
