/* Calls a library of dynamic shape by MLIR's C interface.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

struct Array1 {
  float *allocated, *aligned;
  int64_t offset, sizes[1], strides[1];
};
struct Array2 {
  float *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
};
struct Array3 {
  float *allocated, *aligned;
  int64_t offset, sizes[3], strides[3];
};

int main(int argc, char **argv) {
  float a[7] = {-1, 0, 1, 2, 3, 4, 5}, b[6] = {2, 3, 4, 5, 6, 7}, y[6], sum[2];
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library) {
    puts(dlerror());
    return 1;
  }
  int (*function)(struct Array3 *, struct Array2 *, struct Array2 *, struct Array1 *);
  *(void **)&function = dlsym(library, "_mlir_ciface_main");
  /* A stride over one element means nothing. */
  struct Array3 x = {a, a, 1, {1, 2, 3}, {77, 3, 1}};
  struct Array2 z = {b, b, 0, {2, 3}, {3, 1}}, out = {y, y, 0, {3, 2}, {2, 1}};
  struct Array1 total = {sum, sum, 0, {2}, {1}};
  y[5] = 0;
  int status = function(&x, &z, &out, &total);
  printf("dense: status %d, last %g\n", status, y[5]);
  y[5] = 0;
  z.strides[0] = 4;
  status = function(&x, &z, &out, &total);
  printf("strided: status %d, last %g\n", status, y[5]);
  z.strides[0] = 3;
  out.sizes[0] = 2;
  status = function(&x, &z, &out, &total);
  printf("another shape: status %d, last %g\n", status, y[5]);
  return 0;
}
