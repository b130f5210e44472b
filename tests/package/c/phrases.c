/* Labels its arguments by the classifier phrases.safetensors, through the C interface. */
#include <stdio.h>
#include <weft_c.h>

static int fail(void) {
  fprintf(stderr, "%s\n", weft_error_message());
  return 1;
}

int main(int argc, char** argv) {
  weft_model* model = NULL;
  weft_predictor* predictor = NULL;
  weft_results* results = NULL;
  const weft_option precision = {"precision", "float32"};
  size_t i, numbers = 0;
  if (weft_load("phrases.safetensors", &precision, 1, &model) != WEFT_OK) return fail();
  if (weft_make_predictor(model, NULL, 0, &predictor) != WEFT_OK) return fail();
  weft_model_free(model);
  if (weft_predict(predictor, (const char* const*)(argv + 1), (size_t)argc - 1, &results) !=
      WEFT_OK) {
    return fail();
  }
  for (i = 0; i < weft_results_count(results); ++i) {
    weft_results_numbers(results, i, &numbers);
    printf("%s %lu\n", weft_results_text(results, i), (unsigned long)numbers);
  }
  weft_results_free(results);
  weft_predictor_free(predictor);
  return 0;
}
