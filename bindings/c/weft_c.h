/* The C interface of Weft: models are loaded, run and trained through opaque handles.
 *
 * A function that can fail returns a status, and weft_error_message() says why. Strings are UTF-8
 * and end with a zero byte. Pointers to results are valid until their handle is freed; freeing
 * NULL does nothing. A model or predictor may be used by several threads at once, a handle of
 * results by one.
 */
#ifndef WEFT_BINDINGS_C_WEFT_C_H_
#define WEFT_BINDINGS_C_WEFT_C_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_C_API __attribute__((visibility("default")))

typedef enum weft_status {
  WEFT_OK = 0,
  WEFT_ERROR = 1,         /* of no other kind */
  WEFT_OPTION_ERROR = 2,  /* an option or argument is unknown, out of range or contradicts others */
  WEFT_FILE_ERROR = 3,    /* a file cannot be opened, read or written */
  WEFT_FORMAT_ERROR = 4,  /* a file's content does not match its format */
  WEFT_SHAPE_ERROR = 5,   /* incompatible shapes */
  WEFT_NUMERIC_ERROR = 6, /* a number is infinite or NaN */
  WEFT_OUT_OF_MEMORY = 7
} weft_status;

/* What the last call of this thread that failed says: one line, `where: what is wrong`. */
WEFT_C_API const char* weft_error_message(void);

/* "0.1.0" */
WEFT_C_API const char* weft_version(void);

/* An option by its name on the command line, which `weft COMMAND --help` explains, and its value as
 * on the command line. Values of a list are several options of one name. */
typedef struct weft_option {
  const char* name;
  const char* value;
} weft_option;

typedef struct weft_model weft_model;
typedef struct weft_predictor weft_predictor;
typedef struct weft_results weft_results;

/* A model file of Weft, a folder of Hugging Face Transformers or a GGUF file. Options: precision
 * (auto, float32, bfloat16, int8, int4), lora. */
WEFT_C_API weft_status weft_load(const char* path, const weft_option* options, size_t count,
                                 weft_model** out);
/* "seq2seq" (a translator), "classifier", "tagger", "transcriber", "detector", "language-model",
 * "embedder", "masked-lm", ... */
WEFT_C_API const char* weft_model_kind(const weft_model* model);
WEFT_C_API void weft_model_free(weft_model* model);

/* What runs a model of any kind but "cross-view", with the options of the command for its kind. It
 * may outlive the handle of the model. */
WEFT_C_API weft_status weft_make_predictor(const weft_model* model, const weft_option* options,
                                           size_t count, weft_predictor** out);
WEFT_C_API void weft_predictor_free(weft_predictor* predictor);

/* One result for each input, in order. An input is a text or, of models of pictures and sounds,
 * the path of a file. */
WEFT_C_API weft_status weft_predict(const weft_predictor* predictor, const char* const* inputs,
                                    size_t count, weft_results** out);
WEFT_C_API size_t weft_results_count(const weft_results* results);

/* Of an index that is out of range these return NULL. */

/* The translation, continuation, transcript or filled text; labels with a space between them; of
 * other kinds of models empty. */
WEFT_C_API const char* weft_results_text(const weft_results* results, size_t index);
/* All of a result, as a JSON object. */
WEFT_C_API const char* weft_results_json(const weft_results* results, size_t index);
/* The vector of an embedder, or the probabilities of a classifier; NULL, with a size of 0, of other
 * kinds of models. */
WEFT_C_API const float* weft_results_numbers(const weft_results* results, size_t index,
                                             size_t* size);
/* Why an input has no result; NULL if it has one. */
WEFT_C_API const char* weft_results_fault(const weft_results* results, size_t index);
WEFT_C_API void weft_results_free(weft_results* results);

/* Receives text, `size` bytes that do not end with a zero byte, as soon as it is decided. Returns 0
 * to end the text there. */
typedef int (*weft_on_text)(const char* text, size_t size, void* user);
/* Translates or continues one text, and passes the text on as it is decided. */
WEFT_C_API weft_status weft_stream(const weft_predictor* predictor, const char* input,
                                   weft_on_text on_text, void* user);

/* Called after each update of a training. Returns 0 to stop: the training then saves its state, and
 * the same call goes on from there. */
typedef int (*weft_on_update)(int64_t update, double loss, double seconds_left, void* user);
/* Trains as `weft train TASK` does. `on_update` may be NULL. */
WEFT_C_API weft_status weft_train(const char* task, const weft_option* options, size_t count,
                                  weft_on_update on_update, void* user);

/* As `weft convert` and `weft quantize` do. */
WEFT_C_API weft_status weft_convert(const weft_option* options, size_t count);
WEFT_C_API weft_status weft_quantize(const weft_option* options, size_t count);

/* The number of threads that compute, for the whole process. */
WEFT_C_API weft_status weft_use_threads(int threads);
/* Receives the messages of the library, for the whole process; `is_warning` is 0 or 1. */
typedef void (*weft_on_log)(int is_warning, const char* message, void* user);
/* Without `on_log`, as at first, messages are dropped. */
WEFT_C_API void weft_send_log(weft_on_log on_log, void* user);

#ifdef __cplusplus
}
#endif

#endif /* WEFT_BINDINGS_C_WEFT_C_H_ */
