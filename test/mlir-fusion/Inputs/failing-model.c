/* A library whose model runs out of memory; with UNDEFINED one that cannot be loaded, with PARTIAL one without a function,
   with PROFILE one that says it takes its time and does not. */
#include <stddef.h>
#include <stdint.h>
const char net_signature[] =
    "{\"abi\":1,\"name\":\"net\",\"version\":\"0\",\"entry\":\"main\",\"inputs\":[],\"outputs\":[{\"name\":"
    "\"y\",\"type\":\"f32\",\"shape\":[2]}],\"workspace_size\":0,\"target\":\"x86-64\",\"threading\":\"none\""
#ifdef PROFILE
    ",\"profile\":[]"
#endif
    "}";
#ifdef UNDEFINED
int nowhere(void);
int net_run(float *y, void *workspace) { return nowhere(); }
#else
int net_run(float *y, void *workspace) { return 2; }
#endif
size_t net_workspace_size(void) { return 0; }
int net_output_shapes(int64_t *dims) {
  dims[0] = 2;
  return 0;
}
#ifndef PARTIAL
int net_shape_error(const char **error) {
  *error = NULL;
  return 0;
}
#endif
