/* Linked with --wrap: counts the workspaces, and can leave none.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "model.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int made, freed, full;
static void *known[16];

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  void *data = full ? NULL : __real_aligned_alloc(alignment, size);
  if (data)
    known[made++] = data;
  return data;
}

void __real_free(void *data);
void __wrap_free(void *data) {
  for (int i = 0; i < made; ++i)
    if (data && data == known[i]) {
      known[i] = NULL;
      ++freed;
    }
  __real_free(data);
}

static void *call(void *unused) {
  float a[6] = {0}, b[6] = {0}, y[6], sum;
  int first = model_run(a, b, y, &sum, NULL);
  int second = model_run(a, b, y, &sum, NULL);
  return (void *)(size_t)(first == second ? first : -1);
  (void)unused;
}

static void callInThread(void) {
  pthread_t thread;
  void *status;
  pthread_create(&thread, NULL, call, NULL);
  pthread_join(thread, &status);
  printf("status %d, made %d, freed %d\n", (int)(size_t)status, made, freed);
}

int main(void) {
  full = 1;
  callInThread();
  full = 0;
  callInThread();
  callInThread();
  call(NULL);
  printf("made %d, freed %d\n", made, freed);
  return 0;
}
