/* A program that changes phases without a pause: what it frees, the name of the next phase and what it takes
   follow one another within microseconds. Its memory is what the table in phases.py says.

     borders KIND VISITS MILLISECONDS

   KIND: canvas-entry, canvas-middle, canvas-exit   the gallery takes 24 MiB and frees them before it names the
                                                    canvas, which leaks 6 MiB there
         turns, turns-a, turns-b    A takes 20, B 30 and C 0 MiB in turns; each frees what the phase before took
                                    right after it is named; A leaks 6, B leaks 12
         before, before-b           the same, but each frees its own right before the next one is named
         small          each visit to the editor leaks 200 KiB beside 8 MiB that it frees
         sawtooth       each visit leaves between 0 and 40 MiB, which the next one frees
         cache          the gallery fills a cache of 5 MiB a visit for 4 visits
         buffers        the gallery draws into two buffers of 20 MiB in turns, taken when they are first used
         warmup         the first visit keeps 60 MiB
         both           gallery and canvas leak 6 MiB each
         names          500 phases with names of their own, twice each, 1 ms each
         silent         as turns-b, but the phases are titles of the terminal */
#define _GNU_SOURCE
#define PERFHUD_IMPLEMENTATION
#include "../../../clients/perfhud.h"
#include <sys/mman.h>
#include <time.h>

static const size_t mebibyte = 1048576;
static int says_titles;

static char *take(size_t bytes) {
  if (bytes == 0) return NULL;
  char *start = (char *)mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) abort();
  madvise(start, bytes, MADV_NOHUGEPAGE);
  memset(start, 1, bytes);
  return start;
}

static void release(char *start, size_t bytes) {
  if (bytes > 0) munmap(start, bytes);
}

static void dwell(double milliseconds) {
  struct timespec time = {(time_t)(milliseconds / 1000), (long)(1e6 * (milliseconds - 1000 * (long)(milliseconds / 1000)))};
  while (nanosleep(&time, &time) != 0) {}
}

static void phase(const char *name) {
  if (!says_titles) {
    perfhud_phase(name, NULL, NULL);
    return;
  }
  char text[100];
  int length = snprintf(text, sizeof text, "\033]2;%s\007", name);
  if (write(1, text, (size_t)length) != length) exit(1);
}

static void canvas(int visits, double milliseconds, char where, size_t gallery_leaks) {
  for (int visit = 0; visit < visits; visit++) {
    phase("gallery");
    char *images = take(24 * mebibyte);
    take(gallery_leaks);
    dwell(milliseconds);
    release(images, 24 * mebibyte);
    phase("canvas");
    if (where == 'e') take(6 * mebibyte);
    dwell(milliseconds / 2);
    if (where == 'm') take(6 * mebibyte);
    dwell(milliseconds / 2);
    if (where == 'x') take(6 * mebibyte);
  }
}

static void turns(int visits, double milliseconds, int frees_before, const size_t *leaks) {
  static const char *const names[] = {"A", "B", "C"};
  const size_t sizes[] = {20 * mebibyte, 30 * mebibyte, 0};
  char *former = NULL;
  size_t former_size = 0;
  for (int visit = 0; visit < visits; visit++)
    for (int index = 0; index < 3; index++) {
      phase(names[index]);
      if (!frees_before) release(former, former_size);
      former = take(sizes[index]);
      former_size = sizes[index];
      take(leaks[index]);
      dwell(milliseconds);
      if (frees_before) release(former, former_size);
    }
}

int main(int argc, char **argv) {
  if (argc != 4) return 64;
  const char *kind = argv[1];
  int visits = atoi(argv[2]);
  double milliseconds = atof(argv[3]);
  dwell(300);
  if (!strncmp(kind, "canvas-", 7)) {
    canvas(visits, milliseconds, !strcmp(kind, "canvas-exit") ? 'x' : kind[7], 0);
  } else if (!strcmp(kind, "both")) {
    canvas(visits, milliseconds, 'e', 6 * mebibyte);
  } else if (!strncmp(kind, "turns", 5) || !strncmp(kind, "before", 6) || !strcmp(kind, "silent")) {
    const char *which = strchr(kind, '-');
    says_titles = !strcmp(kind, "silent");
    const size_t leaks[] = {which && which[1] == 'a' ? 6 * mebibyte : 0,
                            (which && which[1] == 'b') || says_titles ? 12 * mebibyte : 0, 0};
    turns(visits, milliseconds, kind[0] == 'b', leaks);
  } else if (!strcmp(kind, "small")) {
    for (int visit = 0; visit < visits; visit++) {
      phase("editor");
      char *text = take(8 * mebibyte);
      take(200 * 1024);
      dwell(milliseconds);
      release(text, 8 * mebibyte);
      phase("menu");
      dwell(milliseconds);
    }
  } else if (!strcmp(kind, "sawtooth")) {
    unsigned state = 7;
    char *left = NULL;
    size_t size = 0;
    for (int visit = 0; visit < visits; visit++) {
      phase("editor");
      release(left, size);
      state = state * 1664525u + 1013904223u;
      size = (size_t)((unsigned long long)(state >> 8) * 40 * mebibyte >> 24) & ~(size_t)4095;
      left = take(size);
      dwell(milliseconds);
      phase("menu");
      dwell(milliseconds);
    }
  } else if (!strcmp(kind, "cache") || !strcmp(kind, "buffers") || !strcmp(kind, "warmup")) {
    for (int visit = 0; visit < visits; visit++) {
      phase("gallery");
      char *images = take(24 * mebibyte);
      if (kind[0] == 'c' && visit < 4) take(5 * mebibyte);
      if (kind[0] == 'b' && visit < 2) take(20 * mebibyte);
      if (kind[0] == 'w' && visit == 0) take(60 * mebibyte);
      dwell(milliseconds);
      phase("canvas");
      release(images, 24 * mebibyte);
      dwell(milliseconds);
    }
  } else if (!strcmp(kind, "names")) {
    for (int visit = 0; visit < visits; visit++)
      for (int index = 0; index < 500; index++) {
        char name[20];
        snprintf(name, sizeof name, "screen %d", index);
        phase(name);
        dwell(milliseconds);
      }
  } else {
    return 64;
  }
  phase("end");
  perfhud_flush();
  dwell(300);
  return 0;
}
