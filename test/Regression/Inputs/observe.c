/* Sees a buffer through MLIR's C interface, and doubles it. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdint.h>

typedef struct {
  float *base, *data;
  int64_t offset, sizes[2], strides[2];
} matrix;

void _mlir_ciface_observe(matrix *m) {
  for (int64_t i = 0; i < m->sizes[0]; ++i)
    for (int64_t j = 0; j < m->sizes[1]; ++j)
      m->data[m->offset + i * m->strides[0] + j * m->strides[1]] += 100;
}

float offset(float x) { return x + 1; }
