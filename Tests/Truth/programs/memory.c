/* Programs that know what memory they hold.
 *
 *   memory grow LOG STEPS…      holds so many MiB after each step (MiB:milliseconds), and writes its own
 *                               Rss and Pss into LOG every 20 ms: seconds since 1970, kB, kB
 *   memory fork MIB CHILDREN WRITTEN ALLOCATED SECONDS
 *                               touches MIB, forks children; each writes WRITTEN MiB of what it shares and
 *                               touches ALLOCATED MiB of its own; prints "ready" when all have
 *   memory release MIB CHILDREN WRITTEN ALLOCATED SECONDS
 *                               the same; the parent releases its MIB a second later, and then prints "ready"
 *   memory daemon MIB ALLOCATED SECONDS
 *                               touches MIB; a child of a child that ends at once, as of a daemon, touches
 *                               ALLOCATED MiB of its own
 *   memory exec MIB CHILDREN ALLOCATED SECONDS
 *                               as fork, with children that execute this program anew
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <signal.h>

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static void pause_for(double seconds) {
  struct timespec time = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
  nanosleep(&time, NULL);
}

static char *take(size_t mib) {
  if (mib == 0) return NULL;
  char *place = mmap(NULL, mib << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) exit(2);
  for (size_t at = 0; at < mib << 20; at += 4096) place[at] = (char)(at >> 12) | 1;
  return place;
}

static void write_log(FILE *log) {
  char line[256];
  long rss = 0, pss = 0;
  double before = now(CLOCK_REALTIME);
  FILE *file = fopen("/proc/self/smaps_rollup", "r");
  if (!file) exit(2);
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "Rss: %ld", &rss) == 1) continue;
    if (sscanf(line, "Pss: %ld", &pss) == 1) continue;
  }
  fclose(file);
  fprintf(log, "%.6f %ld %ld\n", before, rss, pss);
  fflush(log);
}

static int grow(int count, char **steps) {
  FILE *log = fopen(steps[0], "w");
  char *held = NULL;
  size_t size = 0;
  if (!log) return 2;
  for (int index = 1; index < count; index++) {
    unsigned long mib = 0, milliseconds = 0;
    sscanf(steps[index], "%lu:%lu", &mib, &milliseconds);
    if (held) munmap(held, size << 20);
    held = take(mib);
    size = mib;
    double end = now(CLOCK_MONOTONIC) + milliseconds * 1e-3;
    while (now(CLOCK_MONOTONIC) < end) {
      write_log(log);
      pause_for(0.02);
    }
  }
  return 0;
}

static void work(char *shared, size_t written, size_t allocated) {
  for (size_t at = 0; at < written << 20; at += 4096) shared[at]++;
  take(allocated);
}

static int run_daemon(size_t mib, size_t allocated, double seconds) {
  take(mib);
  pid_t between = fork();
  if (between == 0) {
    pid_t parent = getpid();
    setsid();
    if (fork() != 0) _exit(0);
    while (getppid() == parent) pause_for(0.001);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    take(allocated);
    if (write(1, "ready\n", 6) != 6) _exit(2);
    pause_for(seconds);
    _exit(0);
  }
  waitpid(between, NULL, 0);
  pause_for(seconds);
  return 0;
}

int main(int count, char **words) {
  if (count > 3 && strcmp(words[1], "grow") == 0) return grow(count - 2, words + 2);
  if (count == 5 && strcmp(words[1], "daemon") == 0)
    return run_daemon(strtoul(words[2], NULL, 10), strtoul(words[3], NULL, 10), atof(words[4]));
  if (count < 6) return 2;
  /* Ends with its parent, so that nothing is left of a test. */
  size_t mib = strtoul(words[2], NULL, 10);
  int children = atoi(words[3]);
  int executes = strcmp(words[1], "exec") == 0;
  size_t written = executes ? 0 : strtoul(words[4], NULL, 10);
  size_t allocated = strtoul(words[executes ? 4 : 5], NULL, 10);
  double seconds = atof(words[executes ? 5 : 6]);
  int ready[2];
  if (pipe(ready) != 0) return 2;
  char *shared = take(mib);
  for (int index = 0; index < children; index++) {
    if (fork() != 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (executes) {
      char amount[32], length[32];
      snprintf(amount, sizeof amount, "%zu", allocated);
      snprintf(length, sizeof length, "%f", seconds);
      dup2(ready[1], 1);
      execl("/proc/self/exe", "memory", "fork", amount, "0", "0", "0", length, NULL);
      _exit(2);
    }
    work(shared, written, allocated);
    if (write(ready[1], "ready\n", 6) != 6) _exit(2);
    pause_for(seconds);
    _exit(0);
  }
  for (int index = 0; index < children; index++) {
    char line[6];
    if (read(ready[0], line, 6) != 6) return 2;
  }
  if (strcmp(words[1], "release") == 0) {
    pause_for(1);
    munmap(shared, mib << 20);
  }
  if (write(1, "ready\n", 6) != 6) return 2;
  pause_for(seconds);
  while (wait(NULL) > 0) continue;
  return 0;
}
