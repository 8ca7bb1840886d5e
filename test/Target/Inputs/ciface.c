/* Loads a library and calls it by MLIR's C interface, unloads it, and does so again.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

struct Matrix {
  float *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
};
struct Scalar {
  float *allocated, *aligned;
  int64_t offset;
};

static void report(const char *what, int status, const float *y) {
  printf("%s: status %d, last %g\n", what, status, y[5]);
}

int main(int argc, char **argv) {
  float a[8] = {-1, -1, 0, 1, 2, 3, 4, 5}, b[6] = {0, 1, 2, 3, 4, 5}, y[6], sum;
  (void)argc;
  for (int round = 0; round < 2; ++round) {
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      puts(dlerror());
      return 1;
    }
    int (*function)(struct Matrix *, struct Matrix *, struct Matrix *, struct Scalar *);
    *(void **)&function = dlsym(library, "_mlir_ciface_main");
    struct Matrix x = {a, a, 2, {2, 3}, {3, 1}}, z = {b, b, 0, {2, 3}, {3, 1}}, out = {y, y, 0, {2, 3}, {3, 1}};
    struct Scalar total = {&sum, &sum, 0};
    y[5] = 0;
    report("dense", function(&x, &z, &out, &total), y);
    y[5] = 0;
    x.strides[0] = 4;
    report("strided", function(&x, &z, &out, &total), y);
    x.strides[0] = 3;
    x.sizes[1] = 2;
    report("another shape", function(&x, &z, &out, &total), y);
    dlclose(library);
  }
  return 0;
}
