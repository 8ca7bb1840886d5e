// A thread calls a model and goes on living while the library is unloaded: its
// workspace is freed at the unload, and nothing of the library is called later.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

typedef int (*Run)(const float *, const float *, float *, float *, void *);
static pthread_barrier_t called, unloaded;
static Run run;

static void *work(void *unused) {
  float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {0}, y[6], z[1];
  int status = run(a, b, y, z, NULL);
  pthread_barrier_wait(&called);
  pthread_barrier_wait(&unloaded);
  return status == 0 ? NULL : unused;
}

int main(int argc, char **argv) {
  for (int i = 0; i < 3; ++i) {
    void *library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      puts(dlerror());
      return 1;
    }
    run = (Run)dlsym(library, "net_run");
    pthread_barrier_init(&called, NULL, 2);
    pthread_barrier_init(&unloaded, NULL, 2);
    pthread_t thread;
    void *failed = NULL;
    pthread_create(&thread, NULL, work, &thread);
    pthread_barrier_wait(&called);
    dlclose(library);
    pthread_barrier_wait(&unloaded);
    pthread_join(thread, &failed);
    printf("round %d: %s\n", i, failed ? "failed" : "done");
  }
  return 0;
}
