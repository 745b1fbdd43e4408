#ifndef PERFHUD_MILLISECONDS_H
#define PERFHUD_MILLISECONDS_H
#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC. May be called in a signal handler. */
static inline int64_t milliseconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
#endif
