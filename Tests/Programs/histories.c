/* A program that tells its phases and whose memory does what is known of it; scripts/record-memory.py
   records it. `histories KIND`, with KIND one of:

     noise    each visit to `canvas` takes some 40 MiB in blocks of many sizes and frees them all, in no
              order, while a few older blocks live on: nothing is kept, the allocator moves
     leak     the same, and each visit keeps 4 MiB
     overlap  `canvas` is left for `export` and come back to: what one takes is freed in the other
     endless  `load` begins and is never left
     held     each visit frees all that it took but for 16 bytes in 3000: the holes are too small for the
              next visit, so the process grows, and what it grows by is free
     trimmed  the same with larger holes, given back with malloc_trim when the phase is left */
#define _GNU_SOURCE
#define PERFHUD_IMPLEMENTATION
#include "../../clients/perfhud.h"

enum { visits = 5, blocks = 40000, survivors = 400 };
static const size_t mebibyte = 1048576;
static char *block[blocks], *survivor[survivors];
static unsigned state = 1;

static unsigned draw(unsigned below) {
  state = state * 1664525u + 1013904223u;
  return (unsigned)((unsigned long long)state * below >> 32);
}

static char *take(size_t bytes) {
  char *start = (char *)malloc(bytes);
  if (!start) abort();
  memset(start, 1, bytes);
  return start;
}

static void rest(double seconds) { usleep((unsigned)(seconds * 1e6)); }

static void fill(void) {
  for (int index = 0; index < blocks; index++) block[index] = take(64 + draw(2000));
}

static void empty(void) {
  for (int left = blocks; left > 0; left--) {
    int index = (int)draw((unsigned)left);
    free(block[index]);
    block[index] = block[left - 1];
  }
}

/* A few blocks outlive the phase that took them, always the same number. */
static void renew(void) {
  for (int index = 0; index < survivors; index++) {
    free(survivor[index]);
    survivor[index] = take(64 + draw(2000));
  }
}

static void noise(size_t leaked) {
  for (int visit = 0; visit < visits; visit++) {
    perfhud_phase("canvas", NULL, NULL);
    rest(0.4);
    fill();
    renew();
    if (leaked > 0) take(leaked);
    rest(1.2);
    empty();
    rest(0.4);
    perfhud_phase("gallery", NULL, NULL);
    rest(1.5);
  }
}

static void overlap(void) {
  for (int visit = 0; visit < visits; visit++) {
    perfhud_phase("canvas", NULL, NULL);
    rest(0.5);
    char *picture = take(24 * mebibyte);
    rest(0.7);
    perfhud_phase("export", NULL, NULL);
    rest(0.3);
    char *file = take(12 * mebibyte);
    rest(0.7);
    free(picture);
    rest(0.3);
    perfhud_phase("canvas", NULL, NULL);
    rest(0.5);
    free(file);
    rest(0.7);
    perfhud_phase("gallery", NULL, NULL);
    rest(1);
  }
}

static void endless(void) {
  perfhud_phase("start", NULL, NULL);
  rest(1);
  perfhud_phase("load", NULL, NULL);
  for (int step = 0; step < 30; step++) {
    take(mebibyte);
    rest(0.1);
  }
}

/* Blocks of one size, of each of which the first bytes stay: a shrinking realloc frees the rest in place. */
static void perforate(size_t bytes, int count, int trims) {
  for (int index = 0; index < count; index++) block[index] = take(bytes);
  rest(1.2);
  for (int index = 0; index < count; index++) block[index] = (char *)realloc(block[index], 16);
  if (trims)
    perfhud_allocator_trim();
  else
    perfhud_allocator_report();
}

static void held(int trims) {
  perfhud_allocator_report();
  for (int visit = 0; visit < visits; visit++) {
    perfhud_phase("canvas", NULL, NULL);
    rest(0.4);
    if (trims)
      perforate(60000 + 8000u * (size_t)visit, 200, 1);
    else
      perforate(3000 + 64u * (size_t)visit, 4000, 0);
    rest(0.2);
    perfhud_phase("gallery", NULL, NULL);
    rest(1.5);
  }
}

int main(int argc, char **argv) {
  const char *kind = argc > 1 ? argv[1] : "";
  rest(0.5);
  if (!strcmp(kind, "noise")) noise(0);
  else if (!strcmp(kind, "leak")) noise(4 * mebibyte);
  else if (!strcmp(kind, "overlap")) overlap();
  else if (!strcmp(kind, "endless")) endless();
  else if (!strcmp(kind, "held")) held(0);
  else if (!strcmp(kind, "trimmed")) held(1);
  else return 64;
  if (strcmp(kind, "endless")) {
    perfhud_phase("end", NULL, NULL);
    rest(1);
  }
  return 0;
}
