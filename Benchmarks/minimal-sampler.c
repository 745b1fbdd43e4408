/* The limit: what watching one process costs at least, with everything around it left out.

   minimal-sampler --pid N [--interval MS] [--phase US] [--samples K] --print
   minimal-sampler --pid N [--interval MS] [--phase US] [--samples K] --csv FILE

   --print refreshes one screen of 100 x 12: CPU over 0.5 s, RSS, threads, state, and a graph of the
   memory, all of it drawn anew each time and written at once. It reads the process's CPU clock and
   /proc/PID/statm each time, /proc/PID/stat twice a second.
   --csv writes t_ns,cpu_ns,rss_bytes,tick_ns: the monotonic clock, the process's CPU clock, RSS,
   and utime + stime of /proc/PID/stat, whose unit is a clock tick. It reads stat each time.

   It sleeps on an absolute timer and ends when the process does. The instants are whole intervals
   of CLOCK_MONOTONIC, so that they lie right behind the kernel's ticks, which bring the accounts of
   running threads up to date; --phase moves them away from there, by so many microseconds. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { columns = 100, graph_rows = 8, window_samples = 64 };

static int statm_file, stat_file;
static long page_size, tick_nanoseconds;

static uint64_t read_clock(clockid_t clock) {
  struct timespec time;
  if (clock_gettime(clock, &time) != 0) return 0;
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Reads a held file from its start; false when the process has been reaped. */
static bool read_text(int file, char *text, size_t size) {
  ssize_t count = pread(file, text, size - 1, 0);
  if (count <= 0) return false;
  text[count] = 0;
  return true;
}

static const char *skip_fields(const char *text, int count) {
  for (; count > 0 && text != NULL; count--) {
    text = strchr(text, ' ');
    if (text != NULL) text++;
  }
  return text;
}

static bool read_resident_bytes(uint64_t *bytes) {
  char text[256];
  if (!read_text(statm_file, text, sizeof text)) return false;
  *bytes = strtoull(skip_fields(text, 1), NULL, 10) * (uint64_t)page_size;
  return true;
}

static bool read_stat(char *state, uint64_t *ticks, long *threads) {
  char text[1024];
  if (!read_text(stat_file, text, sizeof text)) return false;
  const char *fields = strrchr(text, ')') + 2;
  *state = *fields;
  fields = skip_fields(fields, 11);
  char *next;
  *ticks = strtoull(fields, &next, 10);
  *ticks += strtoull(next, NULL, 10);
  *threads = strtol(skip_fields(fields, 6), NULL, 10);
  return true;
}

/* ---- the screen ------------------------------------------------------------------------------ */

static uint64_t memory[columns];
static unsigned memory_count;

static void draw(double percent, uint64_t resident, long threads, char state) {
  static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static char screen[columns * graph_rows * 4 + 1024];
  memory[memory_count++ % columns] = resident;
  uint64_t most = 1;
  for (unsigned i = 0; i < columns; i++) {
    if (memory[i] > most) most = memory[i];
  }
  int used = snprintf(screen, sizeof screen,
                      "\033[HCPU %6.1f %%   RSS %8.1f MiB   threads %5ld   state %c"
                      "\033[K\r\n\033[K\r\n",
                      percent, (double)resident / 1048576, threads, state);
  for (int row = graph_rows - 1; row >= 0; row--) {
    for (unsigned column = 0; column < columns; column++) {
      uint64_t value = memory[(memory_count + column) % columns];
      int64_t eighths = (int64_t)(value * graph_rows * 8 / most) - row * 8;
      const char *block = blocks[eighths < 0 ? 0 : eighths > 8 ? 8 : eighths];
      while (*block != 0) screen[used++] = *block++;
    }
    screen[used++] = '\r';
    screen[used++] = '\n';
  }
  used += snprintf(screen + used, sizeof screen - (size_t)used, "max %.1f MiB\033[K",
                   (double)most / 1048576);
  for (int done = 0; done < used;) {
    ssize_t count = write(STDOUT_FILENO, screen + done, (size_t)(used - done));
    if (count < 0 && errno != EINTR) exit(1);
    if (count > 0) done += (int)count;
  }
}

/* ---- the loop -------------------------------------------------------------------------------- */

static _Noreturn void fail(const char *text) {
  fprintf(stderr, "minimal-sampler: %s\n", text);
  exit(1);
}

static int open_file(long pid, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/%s", pid, name);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) fail("no such process");
  return file;
}

int main(int argc, char **argv) {
  long pid = 0, samples = 0;
  uint64_t interval = 100, phase = 0;
  bool print = false;
  FILE *csv = NULL;
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(argv[i], "--print") == 0) {
      print = true;
      continue;
    } else if (strcmp(argv[i], "--pid") == 0) {
      pid = atol(value);
    } else if (strcmp(argv[i], "--interval") == 0) {
      interval = strtoull(value, NULL, 10);
    } else if (strcmp(argv[i], "--phase") == 0) {
      phase = strtoull(value, NULL, 10);
    } else if (strcmp(argv[i], "--samples") == 0) {
      samples = atol(value);
    } else if (strcmp(argv[i], "--csv") == 0) {
      csv = fopen(value, "w");
      if (csv == NULL) fail("cannot write the file");
    } else {
      fail("usage: --pid N [--interval MS] [--phase US] [--samples K] --print | --csv FILE");
    }
    i++;
  }
  if (pid <= 0 || interval == 0 || print == (csv != NULL)) fail("--pid and one of --print, --csv");
  interval *= 1000000;
  phase *= 1000;
  page_size = sysconf(_SC_PAGESIZE);
  tick_nanoseconds = 1000000000 / sysconf(_SC_CLK_TCK);
  statm_file = open_file(pid, "statm");
  stat_file = open_file(pid, "stat");
  /* What clock_getcpuclockid(3) makes of a pid. */
  clockid_t clock = (clockid_t)((~(unsigned)pid << 3) | 2);

  uint64_t times[window_samples], busy[window_samples], ticks = 0, resident = 0;
  uint64_t window = interval >= 500000000 ? 1 : 500000000 / interval;
  if (window >= window_samples) window = window_samples - 1;
  uint64_t stat_every = window;
  char state = '?';
  long threads = 0;
  if (print && write(STDOUT_FILENO, "\033[2J", 4) != 4) return 1;
  if (csv != NULL) fprintf(csv, "t_ns,cpu_ns,rss_bytes,tick_ns\n");

  for (uint64_t count = 0; samples == 0 || count < (uint64_t)samples; count++) {
    uint64_t time = read_clock(CLOCK_MONOTONIC);
    unsigned slot = count % window_samples;
    times[slot] = time;
    busy[slot] = read_clock(clock);
    if (!read_resident_bytes(&resident)) break;
    if (csv != NULL || count % stat_every == 0) {
      if (!read_stat(&state, &ticks, &threads)) break;
    }
    if (csv != NULL) {
      fprintf(csv, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", time, busy[slot], resident,
              ticks * (uint64_t)tick_nanoseconds);
      fflush(csv);
    } else {
      unsigned first = count < window ? 0 : (unsigned)((count - window) % window_samples);
      uint64_t span = time - times[first];
      draw(span == 0 ? 0 : 100.0 * (double)(busy[slot] - busy[first]) / (double)span, resident,
           threads, state);
    }
    uint64_t now = read_clock(CLOCK_MONOTONIC);
    uint64_t next = ((now - phase) / interval + 1) * interval + phase;
    struct timespec wake = {.tv_sec = (time_t)(next / 1000000000),
                            .tv_nsec = (long)(next % 1000000000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL) == EINTR) continue;
  }
  if (csv != NULL) fclose(csv);
  return 0;
}
