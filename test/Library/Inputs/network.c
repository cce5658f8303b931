#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "libnetwork.h"

enum { kIn = 3 * 224 * 224, kOut = 1000 };
static float image[kIn], expected[kOut];

static void *classify(void *unused) {
  (void)unused;
  network_call call = {0};
  call.data_0.data = image;
  for (int axis = 0; axis < 4; ++axis)
    call.data_0.shape[axis] = (const int64_t[]){1, 3, 224, 224}[axis];
  for (int round = 0; round < 2; ++round) {
    if (network(&call) != NETWORK_OK) {
      puts(network_message(&call));
      exit(1);
    }
    /* The tolerance of unittests/API/NetworksTest.cpp. */
    for (int i = 0; i < kOut; ++i)
      if (!(fabsf(call.softmaxout_1.data[i] - expected[i]) <= 1e-4f * fabsf(expected[i]) + 1e-7f)) {
        printf("output %d is %g instead of %g\n", i, call.softmaxout_1.data[i], expected[i]);
        exit(1);
      }
  }
  network_release(&call);
  return NULL;
}

int main(int argc, char **argv) {
  assert(argc == 2);
  FILE *file = fopen(argv[1], "rb");
  assert(file && fseek(file, 128, SEEK_SET) == 0); /* the header of an NPY file of version 1 */
  assert(fread(expected, sizeof(float), kOut, file) == kOut);
  fclose(file);
  for (int i = 0; i < kIn; ++i)
    image[i] = (float)i / (float)kIn;
  pthread_t threads[2];
  for (int t = 0; t < 2; ++t)
    assert(pthread_create(&threads[t], NULL, classify, NULL) == 0);
  for (int t = 0; t < 2; ++t)
    pthread_join(threads[t], NULL);
  return 0;
}
