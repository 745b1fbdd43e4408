/* burn MILLISECONDS LOG [CHILDREN]: uses that much CPU time in all, split among itself and short-lived
   children that it waits for, and appends to LOG the nanoseconds that the kernel has counted. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long used(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void burn(long long nanoseconds) {
  volatile unsigned sum = 0;
  while (used() < nanoseconds)
    for (int i = 0; i < 20000; i++) sum += (unsigned)i;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  int children = argc > 3 ? atoi(argv[3]) : 0;
  long long part = atoll(argv[1]) * 1000000LL / (children + 1);
  for (int i = 0; i < children; i++) {
    if (fork() == 0) {
      burn(part);
      _exit(0);
    }
    wait(NULL);
  }
  burn(part);
  struct rusage waited;
  getrusage(RUSAGE_CHILDREN, &waited);
  FILE *log = fopen(argv[2], "a");
  if (!log) return 1;
  fprintf(log, "%lld\n", used() + (waited.ru_utime.tv_sec + waited.ru_stime.tv_sec) * 1000000000LL +
                             (waited.ru_utime.tv_usec + waited.ru_stime.tv_usec) * 1000LL);
  return fclose(log) == 0 ? 0 : 1;
}
