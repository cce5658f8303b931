/* Loops and branches of a library, against numbers by ONNX's formulas. Once the shapes were seen,
   calls allocate nothing. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "expected.h"
#include "libchoose.h"
#include "libcount.h"
#include "libgru.h"
#include "liblstm.h"

/* The libraries' own calls, which find these first. */
static int64_t allocations = 0;
void *aligned_alloc(size_t alignment, size_t size) {
  void *memory = NULL;
  ++allocations;
  return posix_memalign(&memory, alignment, size) ? NULL : memory;
}

enum { kSteps = 20, kBatch = 2, kInputs = 3, kHidden = 5 };

static void expectClose(const float *got, const float *wanted, int count, const char *what) {
  /* Sums of some ten products of numbers below 1 in float32, through 20 steps that contract. */
  for (int i = 0; i < count; ++i)
    if (!(fabsf(got[i] - wanted[i]) <= 1e-6f)) {
      printf("%s: element %d is %.9g instead of %.9g\n", what, i, (double)got[i],
             (double)wanted[i]);
      exit(1);
    }
}

/* Runs all steps, then fewer, then all again. */
#define RUN_RECURRENT(NAME, OK)                                                                    \
  do {                                                                                             \
    NAME##_call call = {0};                                                                        \
    static const int64_t kLengths[] = {kSteps, 7, kSteps, kSteps, kSteps};                         \
    for (int round = 0; round < 5; ++round) {                                                      \
      int64_t before = allocations, steps = kLengths[round];                                       \
      call.x.data = NAME##_x;                                                                      \
      call.x.shape[0] = steps;                                                                     \
      call.x.shape[1] = kBatch;                                                                    \
      call.x.shape[2] = kInputs;                                                                   \
      if (NAME(&call) != OK) {                                                                     \
        puts(NAME##_message(&call));                                                               \
        exit(1);                                                                                   \
      }                                                                                            \
      assert(call.y.shape[0] == steps && call.y.shape[3] == kHidden);                              \
      expectClose(call.y.data, NAME##_y, (int)steps * kBatch * kHidden, #NAME);                    \
      if (round > 2 && allocations != before) {                                                    \
        printf(#NAME ": %d allocations\n", (int)(allocations - before));                           \
        exit(1);                                                                                   \
      }                                                                                            \
    }                                                                                              \
    NAME##_release(&call);                                                                         \
  } while (0)

static void runChoose(void) {
  static const float kSix[] = {0, 0, 0, 0, 0, 0}, kTwo[] = {1, 2};
  choose_call call = {0};
  call.x.data = kSix;
  call.x.shape[0] = 6;
  call.c = 1;
  assert(choose(&call) == CHOOSE_OK && call.y == 6);
  /* Of two elements the first branch is impossible: the other one is not hindered by it. */
  call.x.data = kTwo;
  call.x.shape[0] = 2;
  call.c = 0;
  assert(choose(&call) == CHOOSE_OK && call.y == -3);
  call.c = 1;
  assert(choose(&call) != CHOOSE_OK);
  puts(choose_message(&call));
  call.c = 0;
  assert(choose(&call) == CHOOSE_OK && call.y == -3);
  choose_release(&call);
}

static void runCount(void) {
  static const float kX[] = {1, 4};
  /* 1.5 and 6, 1.75 and 7, 1.875 and 7.5: the first values are x. */
  static const struct {
    int64_t most, steps;
    float limit, last;
  } kCases[] = {
      {10, 2, 6.5f, 7}, {1, 1, 6.5f, 6}, {0, 0, 6.5f, 4}, {3, 3, 100, 7.5f}, {10, 2, 6.5f, 7}};
  count_call call = {0};
  for (int k = 0; k < 5; ++k) {
    call.x.data = kX;
    call.x.shape[0] = 2;
    call.most = kCases[k].most;
    call.limit = kCases[k].limit;
    if (count(&call) != COUNT_OK) {
      puts(count_message(&call));
      exit(1);
    }
    assert(call.all.shape[0] == kCases[k].steps &&
           (call.all.shape[1] == 2 || kCases[k].steps == 0));
    assert(call.last.data[1] == kCases[k].last && call.last.data[0] == kCases[k].last / 4);
    if (kCases[k].steps > 1)
      assert(call.all.data[0] == 1.5f && call.all.data[1] == 6 && call.all.data[2] == 1.75f);
  }
  count_release(&call);
}

int main(void) {
  RUN_RECURRENT(lstm, LSTM_OK);
  RUN_RECURRENT(gru, GRU_OK);
  runChoose();
  runCount();
  return 0;
}
