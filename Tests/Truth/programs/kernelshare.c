/* kernelshare PERCENT SECONDS LOG [fork]: computes all the time, and spends about that share of its CPU time in the
   kernel, where it reads /dev/zero. With `fork`, short-lived children do both. Appends to LOG, ten times a second:
   the time in Unix seconds, and the user and system time of itself and of its children, in seconds, as getrusage(2)
   reports them. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec * 1e-6; }

static char buffer[1 << 18];

/* Uses CPU time in rounds of a millisecond. */
static void use(int zero, double share, double length) {
  volatile unsigned sum = 0;
  double end = now(CLOCK_MONOTONIC) + length;
  while (now(CLOCK_MONOTONIC) < end) {
    double start = now(CLOCK_THREAD_CPUTIME_ID);
    while (share > 0 && now(CLOCK_THREAD_CPUTIME_ID) - start < share * 1e-3)
      if (read(zero, buffer, sizeof buffer) <= 0) _exit(1);
    while (now(CLOCK_THREAD_CPUTIME_ID) - start < 1e-3)
      for (int i = 0; i < 100000; i++) sum += (unsigned)i;
  }
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  double share = atof(argv[1]) / 100, end = now(CLOCK_MONOTONIC) + atof(argv[2]);
  int forks = argc > 4 && strcmp(argv[4], "fork") == 0, zero = open("/dev/zero", O_RDONLY);
  FILE *log = fopen(argv[3], "w");
  if (!log || zero < 0) return 1;
  while (now(CLOCK_MONOTONIC) < end) {
    struct rusage own, children;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    fprintf(log, "%.6f %.6f %.6f\n", now(CLOCK_REALTIME), seconds(own.ru_utime) + seconds(children.ru_utime),
            seconds(own.ru_stime) + seconds(children.ru_stime));
    fflush(log);
    if (!forks) {
      use(zero, share, 0.1);
      continue;
    }
    pid_t child = fork();
    if (child == 0) {
      use(zero, share, 0.1);
      _exit(0);
    }
    waitpid(child, NULL, 0);
  }
  return fclose(log) == 0 ? 0 : 1;
}
