/* Calls a compiled network from four threads at once: each gets the result of a call alone.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "net.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#ifndef INPUT
#define INPUT (3 * 32 * 32)
#define OUTPUT 10
#define ROUNDS 20
#endif
enum { kInput = INPUT, kOutput = OUTPUT, kThreads = 4, kRounds = ROUNDS };

/* What a program must not do: one workspace for calls at the same time. */
#ifdef ONE_WORKSPACE
static _Alignas(64) char workspace[ONE_WORKSPACE];
#else
#define workspace NULL
#endif

struct Call {
  float input[kInput], alone[kOutput];
  int differ;
};
static struct Call calls[kThreads];

static void *work(void *data) {
  struct Call *call = data;
  for (int round = 0; round < kRounds; ++round) {
    float output[kOutput];
    if (net_run(call->input, output, workspace) != 0 ||
        memcmp(output, call->alone, sizeof(output)) != 0)
      ++call->differ;
  }
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  int differ = 0;
  for (int i = 0; i < kThreads; ++i) {
    for (int j = 0; j < kInput; ++j)
      calls[i].input[j] = (float)((j * (i + 3)) % 17) / 17.0f - 0.5f;
    if (net_run(calls[i].input, calls[i].alone, NULL) != 0)
      return 1;
  }
  for (int i = 0; i < kThreads; ++i)
    pthread_create(&threads[i], NULL, work, &calls[i]);
  for (int i = 0; i < kThreads; ++i) {
    pthread_join(threads[i], NULL);
    differ += calls[i].differ;
  }
  printf("%d threads, %d differ\n", kThreads, differ);
  return differ != 0;
}
