/* Spinning, and the load whose truth is known.

   While a thread spins it reads only the monotonic clock of the vdso, and a hole between two
   readings in which the kernel counted an involuntary switch is time in which it did not run. It
   must not read its own CPU clock then: that makes the kernel bring the thread's account up to
   date, and every reader from outside would look better than it is. At the edges of a burst the
   kernel has just switched, so there the CPU clock is read, to count the work of falling asleep and
   of waking up. A host that takes the processor away makes a hole without a switch: what the kernel
   counted less in a burst than the clock says is taken out of the long holes of that burst. What the
   kernel counted in all, read after the last burst, is in the truth's second line, so that the two
   can be compared. */
#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* A hole shorter than this is not asked about: two readings of the clock lie under 0.1 us apart, a
   switch to another thread and back takes at least 3 us. */
static const uint64_t hole_nanoseconds = 2000;
/* A hole without a switch that is longer than this may be the host's; interrupts are shorter. */
static const uint64_t host_hole_nanoseconds = 50000;

static volatile sig_atomic_t stop_requested;

static void request_stop(int signal_number) {
  (void)signal_number;
  stop_requested = 1;
}

/* ---- spinning -------------------------------------------------------------------------------- */

/* Why a segment ended: at the end of the burst, by a switch, or by a hole that may be the host's. */
enum segment_end { ended, preempted, paused };

/* A stretch of time in which a thread ran without a hole. */
struct segment {
  uint64_t start, end;
  enum segment_end why;
};

struct segment_log {
  struct segment *segments;
  size_t count, capacity;
  bool full;
};

static void append_segment(struct segment_log *log, uint64_t start, uint64_t end,
                           enum segment_end why) {
  if (log == NULL) return;
  if (log->count == log->capacity) {
    log->full = true;
  } else {
    log->segments[log->count++] = (struct segment){start, end, why};
  }
}

static long involuntary_switches(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

uint64_t spin(uint64_t busy, uint64_t deadline, struct segment_log *log) {
  long switches = involuntary_switches();
  uint64_t start = now(CLOCK_MONOTONIC), last = start, ran = 0;
  while (true) {
    uint64_t time = now(CLOCK_MONOTONIC);
    if (time - last > hole_nanoseconds) {
      long count = involuntary_switches();
      if (count != switches) {
        append_segment(log, start, last, preempted);
        ran += last - start;
        start = time;
        switches = count;
      } else if (time - last > host_hole_nanoseconds) {
        append_segment(log, start, last, paused);
        ran += time - start;
        start = time;
      }
    }
    last = time;
    if (ran + (last - start) >= busy || last >= deadline || stop_requested) break;
  }
  append_segment(log, start, last, ended);
  return ran + (last - start);
}

/* ---- duty ------------------------------------------------------------------------------------ */

struct burner {
  pthread_t thread;
  uint64_t period, busy_in_period, first, deadline;
  struct segment_log log;
  uint64_t clock_nanoseconds;
};

/* Counts the CPU time around a sleep, which no reading of the monotonic clock sees, half to the end
   of the burst before and half to the start of the burst after it. */
static void add_overhead(struct segment_log *log, size_t before, uint64_t nanoseconds) {
  if (before == 0 || before >= log->count) return;
  log->segments[before - 1].end += nanoseconds / 2;
  log->segments[before].start -= nanoseconds - nanoseconds / 2;
}

/* Takes what the host took out of the holes of the burst that begins at segment `first`: as much as
   the kernel counted less than the clock says, from all holes in proportion to their length. */
static void take_stolen(struct segment_log *log, size_t first, uint64_t counted) {
  uint64_t busy = 0, holes = 0;
  if (log->full) return;
  for (size_t i = first; i < log->count; i++) {
    busy += log->segments[i].end - log->segments[i].start;
    if (log->segments[i].why == paused) holes += log->segments[i + 1].start - log->segments[i].end;
  }
  busy += holes;
  uint64_t stolen = busy > counted ? busy - counted : 0;
  double kept = stolen < holes ? 1 - (double)stolen / (double)holes : 0;
  for (size_t i = first; i < log->count; i++) {
    struct segment *segment = &log->segments[i];
    if (segment->why != paused) continue;
    segment->end += (uint64_t)(kept * (double)(segment[1].start - segment->end));
  }
}

static void *burn(void *argument) {
  struct burner *burner = argument;
  uint64_t clock_at_start = now(CLOCK_THREAD_CPUTIME_ID);
  if (burner->busy_in_period >= burner->period) {
    sleep_until(burner->first);
    clock_at_start = now(CLOCK_THREAD_CPUTIME_ID);
    spin(UINT64_MAX, burner->deadline, &burner->log);
    burner->clock_nanoseconds = now(CLOCK_THREAD_CPUTIME_ID) - clock_at_start;
    take_stolen(&burner->log, 0, burner->clock_nanoseconds);
    return NULL;
  }
  uint64_t clock_before_sleep = 0;
  for (uint64_t start = burner->first; start < burner->deadline && !stop_requested;) {
    sleep_until(start);
    size_t before = burner->log.count;
    uint64_t clock = now(CLOCK_THREAD_CPUTIME_ID);
    if (before == 0) clock_at_start = clock;
    spin(burner->busy_in_period, start + burner->period, &burner->log);
    uint64_t clock_after = now(CLOCK_THREAD_CPUTIME_ID);
    take_stolen(&burner->log, before, clock_after - clock);
    if (before > 0) add_overhead(&burner->log, before, clock - clock_before_sleep);
    clock_before_sleep = clock_after;
    uint64_t time = now(CLOCK_MONOTONIC);
    do start += burner->period;
    while (start + burner->period <= time);
  }
  burner->clock_nanoseconds = now(CLOCK_THREAD_CPUTIME_ID) - clock_at_start;
  return NULL;
}

/* A hole is not wholly time without the thread: the interrupt that leads to the switch, and the way
   to it and back, are on its account. Their sum is what the kernel counted beyond the segments; it
   is given to the holes in equal parts, as far as they are long enough. */
static void add_switches(struct burner *burner) {
  struct segment_log *log = &burner->log;
  uint64_t busy = 0;
  size_t holes = 0;
  for (size_t i = 0; i < log->count; i++) {
    busy += log->segments[i].end - log->segments[i].start;
    holes += log->segments[i].why == preempted;
  }
  if (holes == 0 || burner->clock_nanoseconds <= busy) return;
  uint64_t part = (burner->clock_nanoseconds - busy) / holes;
  for (size_t i = 0; i + 1 < log->count; i++) {
    if (log->segments[i].why != preempted) continue;
    uint64_t hole = log->segments[i + 1].start - log->segments[i].end;
    log->segments[i].end += part < hole ? part : hole;
  }
}

struct edge {
  uint64_t time;
  int step;
};

static int compare_edges(const void *a, const void *b) {
  const struct edge *left = a, *right = b;
  return (left->time > right->time) - (left->time < right->time);
}

/* Writes the running total of all threads: it is linear between two lines. */
static void write_truth(const char *path, const struct burner *burners, size_t threads,
                        double percent) {
  size_t count = 0;
  uint64_t clock = 0, busy = 0;
  for (size_t i = 0; i < threads; i++) {
    if (burners[i].log.full) fail(1, "the log of thread %zu was too small for its switches", i);
    count += 2 * burners[i].log.count;
    clock += burners[i].clock_nanoseconds;
  }
  struct edge *edges = malloc((count + 1) * sizeof *edges);
  FILE *file = fopen(path, "w");
  if (edges == NULL || file == NULL) fail(1, "cannot write %s: %s", path, strerror(errno));
  size_t used = 0;
  for (size_t i = 0; i < threads; i++) {
    const struct segment_log *log = &burners[i].log;
    for (size_t j = 0; j < log->count; j++) {
      edges[used++] = (struct edge){log->segments[j].start, 1};
      edges[used++] = (struct edge){log->segments[j].end, -1};
      busy += log->segments[j].end - log->segments[j].start;
    }
  }
  qsort(edges, used, sizeof *edges, compare_edges);
  fprintf(file, "# percent %g threads %zu\n# busy_ns %" PRIu64 " kernel_ns %" PRIu64 "\n", percent,
          threads, busy, clock);
  uint64_t total = 0, previous = used > 0 ? edges[0].time : 0;
  int64_t running = 0;
  for (size_t i = 0; i < used; i++) {
    total += (uint64_t)running * (edges[i].time - previous);
    previous = edges[i].time;
    running += edges[i].step;
    if (i + 1 == used || edges[i + 1].time != previous) {
      fprintf(file, "%" PRIu64 " %" PRIu64 "\n", previous, total);
    }
  }
  if (fclose(file) != 0) fail(1, "cannot write %s: %s", path, strerror(errno));
  free(edges);
}

int run_duty(int count, char **arguments) {
  /* No divisor of the usual sampling intervals, so that readings fall on all places of a burst. */
  double percent = 0, period = 41, seconds = 10;
  size_t threads = 0;
  const char *truth = NULL;
  for (int i = 0; i < count; i += 2) {
    const char *option = arguments[i], *value = i + 1 < count ? arguments[i + 1] : NULL;
    if (strcmp(option, "--percent") == 0) {
      percent = number(value, option, 0.01, 100000);
    } else if (strcmp(option, "--threads") == 0) {
      threads = (size_t)number(value, option, 1, 1000);
    } else if (strcmp(option, "--period") == 0) {
      period = number(value, option, 1, 10000);
    } else if (strcmp(option, "--seconds") == 0) {
      seconds = number(value, option, 0.1, 86400);
    } else if (strcmp(option, "--truth") == 0 && value != NULL) {
      truth = value;
    } else {
      fail(64, "unknown option %s\n%s", option, usage);
    }
  }
  if (percent == 0 || truth == NULL) fail(64, "duty wants --percent and --truth\n%s", usage);
  if (threads == 0) threads = (size_t)((percent + 99.999) / 100);

  struct sigaction action = {.sa_handler = request_stop};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);

  struct burner *burners = calloc(threads, sizeof *burners);
  if (burners == NULL) fail(1, "no memory");
  uint64_t first = now(CLOCK_MONOTONIC) + 20 * million;
  for (size_t i = 0; i < threads; i++) {
    struct burner *burner = &burners[i];
    burner->period = (uint64_t)(period * million);
    burner->busy_in_period = (uint64_t)(period * million * percent / 100 / (double)threads);
    burner->first = first;
    burner->deadline = first + (uint64_t)(seconds * 1e9);
    /* Room for each burst and for 1000 switches a second; pages that are not needed stay unused. */
    burner->log.capacity = (size_t)(seconds * (1000 / period + 1000)) + 1000;
    burner->log.segments = mmap(NULL, burner->log.capacity * sizeof(struct segment),
                                PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (burner->log.segments == MAP_FAILED) fail(1, "no memory");
    if (!start_thread(&burner->thread, burn, burner)) {
      fail(1, "cannot start a thread: %s", strerror(errno));
    }
  }
  answer("ready %d", getpid());
  for (size_t i = 0; i < threads; i++) {
    pthread_join(burners[i].thread, NULL);
    add_switches(&burners[i]);
  }
  write_truth(truth, burners, threads, percent);
  return 0;
}
