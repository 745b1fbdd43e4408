/* A load that knows its own truth: the tests and the benchmarks measure perfhud against it.

   perfhud-load duty --percent P [--threads N] [--period MS] [--seconds S] --truth FILE
   perfhud-load serve
   perfhud-load threads N [--seconds S]
   perfhud-load processes N [--wake MS]
   perfhud-load storm N [--kind wait|orphan|daemon|ignore]

   The first line of the output is "ready PID". All times are CLOCK_MONOTONIC in nanoseconds. */
#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { thread_stack_bytes = 64 * 1024 };

const char usage[] =
    "usage: perfhud-load duty --percent P [--threads N] [--period MS] [--seconds S] --truth FILE\n"
    "       perfhud-load serve\n"
    "       perfhud-load threads N [--seconds S]\n"
    "       perfhud-load processes N [--wake MS]\n"
    "       perfhud-load storm N [--kind wait|orphan|daemon|ignore]";

_Noreturn void fail(int status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("perfhud-load: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(status);
}

uint64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

void sleep_until(uint64_t instant) {
  struct timespec time = {.tv_sec = (time_t)(instant / 1000000000),
                          .tv_nsec = (long)(instant % 1000000000)};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

void answer(const char *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  if (length > (int)sizeof line - 2) length = (int)sizeof line - 2;
  line[length++] = '\n';
  for (int done = 0; done < length;) {
    ssize_t count = write(STDOUT_FILENO, line + done, (size_t)(length - done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) _exit(1);
    done += (int)count;
  }
}

bool start_thread(pthread_t *thread, void *(*body)(void *), void *argument) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, thread_stack_bytes);
  errno = pthread_create(thread, &attributes, body, argument);
  pthread_attr_destroy(&attributes);
  return errno == 0;
}

double number(const char *text, const char *option, double least, double most) {
  char *end;
  errno = 0;
  double value = text == NULL ? 0 : strtod(text, &end);
  if (text == NULL || end == text || *end != 0 || errno != 0 || !(value >= least) ||
      !(value <= most)) {
    fail(64, "%s wants a number from %g to %g", option, least, most);
  }
  return value;
}

/* ---- the simple loads ------------------------------------------------------------------------ */

static int run_threads(int count, char **arguments) {
  double wanted = number(count > 0 ? arguments[0] : NULL, "threads", 0, 100000), seconds = 3600;
  if (count == 3 && strcmp(arguments[1], "--seconds") == 0) {
    seconds = number(arguments[2], "--seconds", 0.1, 86400);
  } else if (count != 1) {
    fail(64, "threads wants a number\n%s", usage);
  }
  if (!keep_sleepers((size_t)wanted)) fail(1, "cannot start a thread: %s", strerror(errno));
  answer("ready %d", getpid());
  sleep_until(now(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9));
  return 0;
}

/* A child that does a little work each time it wakes up, not all at the same time. */
static pid_t fork_waking_child(uint64_t period, size_t number) {
  pid_t parent = getpid();
  pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  for (uint64_t next = now(CLOCK_MONOTONIC) + number * 7919 * million % period;; next += period) {
    sleep_until(next);
    spin(million / 20, UINT64_MAX, NULL);
  }
}

static int run_processes(int count, char **arguments) {
  size_t wanted = (size_t)number(count > 0 ? arguments[0] : NULL, "processes", 0, 100000);
  uint64_t wake = 0;
  if (count == 3 && strcmp(arguments[1], "--wake") == 0) {
    wake = (uint64_t)(number(arguments[2], "--wake", 1, 100000) * million);
  } else if (count != 1) {
    fail(64, "processes wants a number\n%s", usage);
  }
  for (size_t i = 0; i < wanted; i++) {
    pid_t child = wake == 0 ? fork_sleeping_child() : fork_waking_child(wake, i);
    if (child < 0) fail(1, "cannot fork: %s", strerror(errno));
  }
  answer("ready %d", getpid());
  char line[64];
  while (read_line(line, sizeof line)) continue;
  return 0;
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  if (strcmp(mode, "duty") == 0) return run_duty(argc - 2, argv + 2);
  if (strcmp(mode, "threads") == 0) return run_threads(argc - 2, argv + 2);
  if (strcmp(mode, "storm") == 0) return run_storm(argc - 2, argv + 2);
  if (strcmp(mode, "processes") == 0) return run_processes(argc - 2, argv + 2);
  if (strcmp(mode, "serve") != 0) fail(64, "a load is wanted\n%s", usage);
  if (argc == 4 && strcmp(argv[2], "--link") == 0) {
    remove_link(argv[3]);
    answer("ok %d", getpid());
  } else if (argc == 2) {
    answer("ready %d", getpid());
  } else {
    fail(64, "serve has no options\n%s", usage);
  }
  serve(NULL);
}
