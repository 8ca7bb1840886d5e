// What this machine can do at most, and how near to it a compiled kernel comes
// in the same process; built by machine.py.
//
//   peak roof THREADS                       JSON: FMA rate and read bandwidth
//   on 1 and on THREADS pinned threads peak serve CPU,CPU… for each line read:
//   the FMA rate (GFLOP/s) that these CPUs reach together just now peak kernels
//   ISA ROUNDS [NAME LIBRARY INPUT OUTPUT FLOP]…
//                                           JSON: each library's share of ISA's
//                                           FMA peak; INPUT and OUTPUT are
//                                           sizes in floats
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MaxThreads = 64, MaxKernels = 64, MaxSamples = 512 };

typedef float Ymm __attribute__((vector_size(32)));
typedef float Zmm __attribute__((vector_size(64)));

// A loop of independent FMAs that stays in registers: the empty assembly keeps
// it from being folded. CHAINS of them cover the latency of two ports and leave
// registers for the operands.
#define KEEP(CONSTRAINT, VALUE) __asm__ volatile("" : CONSTRAINT(VALUE))
#define FMA_LOOP(NAME, TARGET, VECTOR, CHAINS, CONSTRAINT)                     \
  __attribute__((noinline, target(TARGET))) static double NAME(long rounds) {  \
    VECTOR sum[CHAINS], scale = (VECTOR){} + 0.999f,                           \
                        shift = (VECTOR){} + 1e-3f;                            \
    for (int i = 0; i < CHAINS; ++i)                                           \
      sum[i] = (VECTOR){} + 1e-3f * (float)i;                                  \
    for (long n = 0; n < rounds; ++n) {                                        \
      for (int i = 0; i < CHAINS; ++i)                                         \
        sum[i] = sum[i] * scale + shift;                                       \
      for (int i = 0; i < CHAINS; ++i)                                         \
        KEEP(CONSTRAINT, sum[i]);                                              \
    }                                                                          \
    return 2.0 * CHAINS * (double)(sizeof(VECTOR) / sizeof(float)) *           \
           (double)rounds;                                                     \
  }
FMA_LOOP(fmaAvx512, "avx512f", Zmm, 24, "+v")
FMA_LOOP(fmaAvx2, "avx2,fma", Ymm, 12, "+x")

typedef double (*FmaLoop)(long);

static FmaLoop fmaLoop(const char *isa) {
  return strcmp(isa, "avx512") == 0 ? fmaAvx512 : fmaAvx2;
}

static const char *widestIsa(void) {
  return __builtin_cpu_supports("avx512f") ? "avx512" : "avx2";
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

//===-- Rates of several threads
//------------------------------------------------------------------------------------------===//

typedef struct {
  int cpu;
  size_t bytes; // the working set to read; 0: FMAs
  double seconds;
  double rate; // the result: FLOP or bytes a second
} Job;

static pthread_barrier_t startLine;

__attribute__((target("avx2"))) static void readAll(const float *data,
                                                    size_t bytes) {
  Ymm sum[8] = {};
  for (size_t k = 0; k + 64 <= bytes / sizeof(float); k += 64)
    for (size_t i = 0; i < 8; ++i)
      sum[i] += *(const Ymm *)(data + k + 8 * i);
  for (int i = 0; i < 8; ++i)
    KEEP("+x", sum[i]);
}

static void *runJob(void *argument) {
  Job *job = argument;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(job->cpu, &set);
  sched_setaffinity(0, sizeof(set), &set);
  FmaLoop loop = fmaLoop(widestIsa());
  float *data = NULL;
  if (job->bytes) {
    data = aligned_alloc(4096, job->bytes);
    memset(data, 0, job->bytes);
  }
  pthread_barrier_wait(&startLine);
  double work = 0, begin = now(), end = begin;
  for (; end - begin < job->seconds; end = now()) {
    if (data) {
      readAll(data, job->bytes);
      work += (double)job->bytes;
    } else {
      work += loop(5000);
    }
  }
  job->rate = work / (end - begin);
  free(data);
  return NULL;
}

// The summed rate, in units of 1e9 a second, of a thread on each of the CPUs;
// the best of several tries.
static double bestRate(const int *cpus, int threads, size_t bytes,
                       double seconds, int tries) {
  double best = 0;
  for (int attempt = 0; attempt < tries; ++attempt) {
    pthread_t ids[MaxThreads];
    Job jobs[MaxThreads];
    pthread_barrier_init(&startLine, NULL, (unsigned)threads);
    for (int t = 0; t < threads; ++t) {
      jobs[t] = (Job){.cpu = cpus[t], .bytes = bytes, .seconds = seconds};
      pthread_create(&ids[t], NULL, runJob, &jobs[t]);
    }
    double sum = 0;
    for (int t = 0; t < threads; ++t) {
      pthread_join(ids[t], NULL);
      sum += jobs[t].rate;
    }
    pthread_barrier_destroy(&startLine);
    best = sum > best ? sum : best;
  }
  return best * 1e-9;
}

static int printRoof(int most) {
  const size_t sizes[] = {1u << 20, 16u << 20, 256u << 20};
  int cpus[MaxThreads], count = 0;
  cpu_set_t set;
  sched_getaffinity(0, sizeof(set), &set);
  for (int cpu = 0; cpu < CPU_SETSIZE && count < MaxThreads; ++cpu)
    if (CPU_ISSET(cpu, &set))
      cpus[count++] = cpu;
  most = most < count ? most : count;
  printf("{\"isa\": \"%s\"", widestIsa());
  for (int threads = 1; threads <= most; ++threads) {
    printf(", \"%d\": {\"fma\": %.1f, \"read\": {", threads,
           bestRate(cpus, threads, 0, 0.1, 5));
    for (int s = 0; s < 3; ++s)
      printf("%s\"%zu\": %.1f", s ? ", " : "", sizes[s],
             bestRate(cpus, threads, sizes[s], 0.1, 3));
    printf("}}");
  }
  puts("}");
  return 0;
}

static int serve(char *list) {
  int cpus[MaxThreads], count = 0;
  for (char *cpu = strtok(list, ","); cpu && count < MaxThreads;
       cpu = strtok(NULL, ","))
    cpus[count++] = atoi(cpu);
  while (count && getchar() != EOF) {
    printf("%.1f\n", bestRate(cpus, count, 0, 0.004, 1));
    fflush(stdout);
  }
  return 0;
}

//===-- Kernels between peak loops
//----------------------------------------------------------------------------------------===//

typedef int (*Run)(const float *, float *, void *);

typedef struct {
  const char *name;
  Run run;
  float *input, *output;
  void *workspace;
  double flop;
  long calls; // of one sample
  double rates[MaxSamples], before[MaxSamples], after[MaxSamples]; // FLOP/s
  int alone[MaxSamples];
} Kernel;

static int byValue(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double quantile(double *values, int count, int tenths) {
  qsort(values, (size_t)count, sizeof(double), byValue);
  return values[(count - 1) * tenths / 10];
}

static float *alignedFloats(size_t count) {
  float *data =
      aligned_alloc(4096, (count * sizeof(float) + 4095) / 4096 * 4096);
  for (size_t i = 0; i < count; ++i)
    data[i] = (float)(i * 2654435761u % 2001) / 1000.0f - 1.0f;
  return data;
}

static int loadKernel(Kernel *kernel, char **words) {
  void *library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  kernel->name = words[0];
  kernel->run = (Run)dlsym(library, "model_run");
  size_t (*workspaceSize)(void) =
      (size_t (*)(void))dlsym(library, "model_workspace_size");
  if (!kernel->run || !workspaceSize) {
    fprintf(stderr, "expected model_run and model_workspace_size in %s\n",
            words[1]);
    return 1;
  }
  kernel->input = alignedFloats((size_t)atol(words[2]));
  kernel->output = alignedFloats((size_t)atol(words[3]));
  kernel->workspace = alignedFloats(workspaceSize() / sizeof(float) + 1);
  kernel->flop = atof(words[4]);
  return 0;
}

static double secondsOf(const Kernel *kernel, long calls) {
  double begin = now();
  for (long n = 0; n < calls; ++n)
    if (kernel->run(kernel->input, kernel->output, kernel->workspace))
      exit(1);
  return now() - begin;
}

static double cpuSeconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// FLOP a second of a peak loop of half a millisecond.
static double peakRate(FmaLoop loop) {
  static long rounds = 1000;
  double begin = now(), work = loop(rounds), seconds = now() - begin;
  if (seconds < 3e-4)
    rounds *= 2;
  return work / seconds;
}

// One sample of each kernel between two peak loops.
static void takeTurn(Kernel *kernels, int count, FmaLoop loop, int turn) {
  for (Kernel *kernel = kernels; kernel < kernels + count; ++kernel) {
    secondsOf(kernel, 1);
    kernel->before[turn] = peakRate(loop);
    double cpu = cpuSeconds(), wall = secondsOf(kernel, kernel->calls);
    kernel->alone[turn] = cpuSeconds() - cpu > 0.97 * wall;
    kernel->rates[turn] = kernel->flop * (double)kernel->calls / wall;
    kernel->after[turn] = peakRate(loop);
  }
}

static double peakOf(const Kernel *kernels, int count, int turns) {
  static double peaks[2 * MaxKernels * MaxSamples];
  int n = 0;
  for (int k = 0; k < count; ++k) {
    for (int t = 0; t < turns; ++t) {
      peaks[n++] = kernels[k].before[t];
      peaks[n++] = kernels[k].after[t];
    }
  }
  return quantile(peaks, n, 9);
}

// Copies the rates that count and returns how many. A sample between slow peak
// loops, or with another process's time in it, tells of a neighbour on the core
// and not of the kernel.
static int keep(const Kernel *kernel, int turns, double peak, double *kept) {
  int n = 0;
  for (int t = 0; t < turns; ++t)
    if (kernel->alone[t] && kernel->before[t] > 0.9 * peak &&
        kernel->after[t] > 0.9 * peak)
      kept[n++] = kernel->rates[t];
  return n;
}

// Kernels take turns until each has `wanted` samples that count, or four times
// as many were taken.
static int measureKernels(const char *isa, int wanted, int count,
                          char **words) {
  static Kernel kernels[MaxKernels];
  double kept[MaxSamples], peak = 0;
  if (count > MaxKernels || wanted < 1 || 4 * wanted > MaxSamples)
    return 1;
  FmaLoop loop = fmaLoop(isa);
  for (int i = 0; i < 20; ++i)
    peakRate(loop);
  for (int k = 0; k < count; ++k) {
    if (loadKernel(&kernels[k], words + 5 * k))
      return 1;
    double least = secondsOf(&kernels[k], 1);
    for (int i = 0; i < 5; ++i) {
      double seconds = secondsOf(&kernels[k], 1);
      least = seconds < least ? seconds : least;
    }
    kernels[k].calls = 1 + (long)(0.003 / least);
  }
  int turns = 0, fewest = 0;
  while (fewest < wanted && turns < 4 * wanted) {
    takeTurn(kernels, count, loop, turns++);
    peak = peakOf(kernels, count, turns);
    fewest = turns;
    for (int k = 0; k < count; ++k) {
      int n = keep(&kernels[k], turns, peak, kept);
      fewest = n < fewest ? n : fewest;
    }
  }
  printf("{\"isa\": \"%s\", \"peak\": %.2f, \"kernels\": [", isa, peak * 1e-9);
  for (int k = 0; k < count; ++k) {
    int n = keep(&kernels[k], turns, peak, kept);
    int used = n;
    if (!n) // what there is, marked by how few count
      memcpy(kept, kernels[k].rates, sizeof(double) * (size_t)(used = turns));
    double median = quantile(kept, used, 5);
    printf("%s{\"name\": \"%s\", \"gflops\": %.2f, \"share\": %.4f, \"p10\": "
           "%.4f, \"p90\": %.4f, \"samples\": %d, \"kept\": %d}",
           k ? ", " : "", kernels[k].name, median * 1e-9, median / peak,
           quantile(kept, used, 1) / peak, quantile(kept, used, 9) / peak,
           turns, n);
  }
  puts("]}");
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "serve") == 0)
    return serve(argv[2]);
  if (argc == 3 && strcmp(argv[1], "roof") == 0)
    return printRoof(atoi(argv[2]));
  if (argc > 4 && strcmp(argv[1], "kernels") == 0 && (argc - 4) % 5 == 0)
    return measureKernels(argv[2], atoi(argv[3]), (argc - 4) / 5, argv + 4);
  fputs("usage: peak roof THREADS | serve CPU,CPU… | kernels ISA SAMPLES [NAME "
        "LIBRARY INPUT OUTPUT FLOP]…\n",
        stderr);
  return 2;
}
