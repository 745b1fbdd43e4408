/* The limit for a tick: a thread that does nothing but take the expirations of a timer.

   tick-loop [--hz 60] [--seconds S]

   At the end it writes one line: ticks served, expirations missed. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
  long hz = 60, seconds = 10;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--hz") == 0) hz = atol(argv[i + 1]);
    if (strcmp(argv[i], "--seconds") == 0) seconds = atol(argv[i + 1]);
  }
  if (hz < 1 || hz > 1000 || seconds < 1) {
    fprintf(stderr, "usage: tick-loop [--hz 60] [--seconds S]\n");
    return 64;
  }
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  long period = 1000000000 / hz;
  struct itimerspec setting = {
      .it_interval = {.tv_sec = period / 1000000000, .tv_nsec = period % 1000000000},
      .it_value = {.tv_nsec = 1}};
  if (timer < 0 || timerfd_settime(timer, 0, &setting, NULL) != 0) {
    perror("tick-loop");
    return 1;
  }
  uint64_t served = 0, missed = 0, expirations;
  while (served + missed < (uint64_t)(hz * seconds)) {
    if (read(timer, &expirations, sizeof expirations) != sizeof expirations) return 1;
    served++;
    missed += expirations - 1;
  }
  printf("served %" PRIu64 " missed %" PRIu64 "\n", served, missed);
  return 0;
}
