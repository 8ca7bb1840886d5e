/* Calls the model of scale-add.mlir from four threads at once and checks every result.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "model.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int call(float first, void *workspace) {
  static const float two[6] = {2, 4, 8, 16, 32, 64};
  float a[6], b[6], y[6] = {0}, sum = 0;
  for (int i = 0; i < 6; ++i) {
    a[i] = first + i;
    b[i] = 2 * i;
  }
  if (model_run(a, b, y, &sum, workspace) != model_ok || sum != 26)
    return 1;
  for (int i = 0; i < 6; ++i)
    if (y[i] != (a[i] + b[i]) * two[i])
      return 1;
  return 0;
}

static void *callOften(void *argument) {
  size_t size = (model_workspace_size() + 63) / 64 * 64, bad = 0;
  void *workspace = aligned_alloc(64, size);
  for (int i = 0; i < 300; ++i)
    bad += call(*(int *)argument + i, i % 2 ? workspace : NULL);
  free(workspace);
  return (void *)bad;
}

int main(void) {
  pthread_t threads[4];
  int numbers[4], wrong = 0;
  for (int i = 0; i < 4; ++i) {
    numbers[i] = 1000 * i;
    pthread_create(&threads[i], NULL, callOften, &numbers[i]);
  }
  for (int i = 0; i < 4; ++i) {
    void *bad;
    pthread_join(threads[i], &bad);
    wrong += bad != NULL;
  }
  int64_t y[2], sum[1] = {-1};
  if (model_output_shapes(y, sum) != model_ok || y[0] != 2 || y[1] != 3 || sum[0] != -1)
    ++wrong;
  if (strncmp(model_signature, "{\"abi\":1,\"name\":\"model\",", 24) != 0)
    ++wrong;
  printf("%s, workspace %d\n", wrong ? "wrong" : "right", (int)model_workspace_size());
  return wrong;
}
