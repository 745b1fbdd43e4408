/* Short-lived processes of 1 to 14 ms, and what they really used.

   perfhud-load storm N [--kind wait|orphan|daemon|ignore]

   "ready PID"; a line on the standard input starts it. N processes use 1 to 14 ms each, two at a time;
   then "ok SELF_NS CHILDREN_NS PROCESSES", and it stays until the end of its input.

   wait    each is waited for
   orphan  the parent of each ends at once: nobody of the tree waits for it
   daemon  the same, in a session of its own
   ignore  SIGCHLD is ignored: the kernel throws away what they used

   SELF_NS is the CPU time of this process. CHILDREN_NS is that of the others: of those that are waited for
   by getrusage(2), of the others as each tells before it ends, which leaves out its end itself. */
#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { WAIT, ORPHAN, DAEMON, IGNORE };

/* What the processes tell of themselves. */
struct told {
  _Atomic uint64_t nanoseconds;
  _Atomic uint64_t ended;
};

static struct told *told;

static uint64_t used_by(int who) {
  struct rusage usage;
  getrusage(who, &usage);
  return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
         (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

/* Which of 1 to 14 ms the process uses. */
static _Noreturn void burn(size_t number) {
  spin((1 + number % 14) * million, UINT64_MAX, NULL);
  atomic_fetch_add(&told->nanoseconds, now(CLOCK_PROCESS_CPUTIME_ID));
  atomic_fetch_add(&told->ended, 1);
  _exit(0);
}

static pid_t start(size_t number, enum kind kind) {
  pid_t child = fork();
  if (child != 0) return child;
  if (kind == WAIT || kind == IGNORE) burn(number);
  pid_t second = fork();
  if (second > 0) _exit(0);
  if (second < 0) _exit(1);
  if (kind == DAEMON) setsid();
  burn(number);
}

int run_storm(int count, char **arguments) {
  size_t wanted = (size_t)number(count > 0 ? arguments[0] : NULL, "storm", 1, 100000);
  enum kind kind = WAIT;
  if (count == 3 && strcmp(arguments[1], "--kind") == 0) {
    const char *const names[] = {"wait", "orphan", "daemon", "ignore"};
    int found = -1;
    for (int i = 0; i < 4; i++)
      if (strcmp(arguments[2], names[i]) == 0) found = i;
    if (found < 0) fail(64, "--kind wants wait, orphan, daemon or ignore");
    kind = (enum kind)found;
  } else if (count != 1) {
    fail(64, "storm wants a number\n%s", usage);
  }
  told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (told == MAP_FAILED) fail(1, "no memory: %s", strerror(errno));
  if (kind == IGNORE) signal(SIGCHLD, SIG_IGN);
  answer("ready %d", getpid());
  char line[64];
  if (!read_line(line, sizeof line)) return 0;

  for (size_t i = 0; i < wanted; i++) {
    if (start(i, kind) < 0) fail(1, "cannot fork: %s", strerror(errno));
    if (kind == WAIT) {
      if (i >= 1) wait(NULL);
      continue;
    }
    if (kind != IGNORE) wait(NULL); /* for the one between */
    while (atomic_load(&told->ended) + 2 <= i + 1) sleep_until(now(CLOCK_MONOTONIC) + million / 2);
  }
  while (atomic_load(&told->ended) < wanted) sleep_until(now(CLOCK_MONOTONIC) + million);
  if (kind != IGNORE)
    while (wait(NULL) > 0) continue;
  uint64_t children = kind == IGNORE ? 0 : used_by(RUSAGE_CHILDREN);
  if (kind != WAIT) children += atomic_load(&told->nanoseconds);
  answer("ok %" PRIu64 " %" PRIu64 " %zu", used_by(RUSAGE_SELF), children, wanted);
  while (read_line(line, sizeof line)) continue;
  return 0;
}
