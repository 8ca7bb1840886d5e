/*===-- Workspace.c - One workspace for each calling thread ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled to bitcode when the project is built, linked into every model and
// called by the generated entry points when the caller brings no workspace.
//
//===----------------------------------------------------------------------===*/

#include <pthread.h>
#include <stdlib.h>

struct Workspace {
  void *data;
  size_t size;
  struct Workspace *previous, *next;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int hasKey;
/* All workspaces, for the day that the library is unloaded. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct Workspace *first;

static void destroy(struct Workspace *workspace) {
  free(workspace->data);
  free(workspace);
}

static void freeAtThreadEnd(void *value) {
  struct Workspace *workspace = value;
  pthread_mutex_lock(&mutex);
  if (workspace->previous)
    workspace->previous->next = workspace->next;
  else
    first = workspace->next;
  if (workspace->next)
    workspace->next->previous = workspace->previous;
  pthread_mutex_unlock(&mutex);
  destroy(workspace);
}

static void createKey(void) {
  hasKey = pthread_key_create(&key, freeAtThreadEnd) == 0;
}

static struct Workspace *getOfThread(void) {
  pthread_once(&once, createKey);
  if (!hasKey)
    return NULL;
  struct Workspace *workspace = pthread_getspecific(key);
  if (workspace)
    return workspace;
  workspace = calloc(1, sizeof(*workspace));
  if (!workspace)
    return NULL;
  if (pthread_setspecific(key, workspace) != 0) {
    free(workspace);
    return NULL;
  }
  pthread_mutex_lock(&mutex);
  workspace->next = first;
  if (first)
    first->previous = workspace;
  first = workspace;
  pthread_mutex_unlock(&mutex);
  return workspace;
}

/* The calling thread's own workspace of at least `size` bytes, aligned to a
   cache line; NULL when there is no memory. Its contents do not matter. */
void *fusion_thread_workspace(size_t size) {
  const size_t alignment = 64;
  struct Workspace *workspace = getOfThread();
  /* NULL means no memory, also if none is needed. */
  size = size ? size : 1;
  if (!workspace || workspace->size >= size)
    return workspace ? workspace->data : NULL;
  if (size > (size_t)-1 - alignment)
    return NULL;
  free(workspace->data);
  workspace->size = 0;
  workspace->data =
      aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (workspace->data)
    workspace->size = size;
  return workspace->data;
}

/* Run when the library is unloaded: no thread may call back into it. */
__attribute__((destructor)) void fusion_free_workspaces(void) {
  if (hasKey)
    pthread_key_delete(key);
  hasKey = 0;
  while (first) {
    struct Workspace *next = first->next;
    destroy(first);
    first = next;
  }
}
