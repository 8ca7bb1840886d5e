/* Calls a model of dynamic shape with several sizes.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "net.h"
#include <stdio.h>
#include <stdlib.h>

static float a[64], b[64], y[64], z[64];

static int isRight(int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < m; ++j) {
      float value = a[i * m + j] + b[i * m + j];
      if (y[j * n + i] != value)
        return 0;
      sum += value;
    }
    if (z[i] != sum)
      return 0;
  }
  return 1;
}

static void call(int64_t n, int64_t m) {
  int64_t aDims[] = {1, n, m}, bDims[] = {n, m}, yDims[2], zDims[1];
  const char *error = "";
  int shapes = net_output_shapes(aDims, bDims, yDims, zDims) + net_shape_error(aDims, bDims, &error) + (error != NULL);
  size_t size = net_workspace_size(aDims, bDims);
  void *workspace = aligned_alloc(64, size ? size : 64);
  int status = net_run(a, aDims, b, bDims, y, yDims, z, zDims, workspace);
  free(workspace);
  printf("%d %d: shapes %d, y %dx%d z %d, workspace %s, run %d, %s\n", (int)n, (int)m, shapes, (int)yDims[0],
         (int)yDims[1], (int)zDims[0], size % 64 == 0 ? "a multiple of 64" : "of odd size", status,
         isRight(n, m) ? "right" : "wrong");
}

static void refuse(const char *what, const int64_t *aDims, const int64_t *bDims) {
  int64_t yDims[2] = {0}, zDims[1] = {0};
  int shapes = net_output_shapes(aDims, bDims, yDims, zDims);
  size_t size = net_workspace_size(aDims, bDims);
  const char *error = NULL;
  int refused = net_shape_error(aDims, bDims, &error);
  printf("%s: shapes %d, workspace %s, run %d, error %d: %s\n", what, shapes, size == (size_t)-1 ? "none" : "some",
         net_run(a, aDims, b, bDims, y, yDims, z, zDims, NULL), refused, error);
}

int main(void) {
  for (int i = 0; i < 64; ++i) {
    a[i] = i;
    b[i] = i % 3;
  }
  call(2, 3);
  call(5, 1);
  call(0, 4);
  refuse("sizes that differ", (int64_t[]){1, 2, 3}, (int64_t[]){2, 4});
  refuse("a negative size", (int64_t[]){1, -2, 3}, (int64_t[]){-2, 3});
  refuse("another static size", (int64_t[]){2, 2, 3}, (int64_t[]){2, 3});
  int64_t aDims[] = {1, 2, 3}, bDims[] = {2, 3}, yDims[] = {2, 3}, zDims[] = {2};
  printf("another output: run %d\n", net_run(a, aDims, b, bDims, y, yDims, z, zDims, NULL));
  /* The thread's own workspace grows and is kept. */
  int64_t aLarge[] = {1, 8, 8}, bLarge[] = {8, 8}, yLarge[] = {8, 8}, zLarge[] = {8}, ySmall[] = {3, 2};
  int large = net_run(a, aLarge, b, bLarge, y, yLarge, z, zLarge, NULL);
  int small = net_run(a, aDims, b, bDims, y, ySmall, z, zDims, NULL);
  printf("larger workspace, smaller workspace: %d %d\n", large, small);
  return 0;
}
