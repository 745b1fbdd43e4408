/* Two ways to watch the processes of a tree, to compare perfhud with.

   tree-peer top --pid N [--interval MS]      as top does it: every interval the stat of every process of
                                              the machine, and what those of the tree have used since the
                                              interval before
   tree-peer minimal --pid N [--interval MS]  the limit: the last pid, the newer pids if there are any, and
                                              one CPU clock for each process that is known

   At the end of its input it prints the CPU time that it has seen, in nanoseconds. It sleeps on an absolute
   timer. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { most = 1 << 17 };

struct process {
  pid_t pid, parent;
  uint64_t ticks;
  bool is_member;
};

static struct process now_list[most], before_list[most];
static size_t now_count, before_count;
static pid_t root;

static bool read_stat(pid_t pid, struct process *process) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return false;
  text[count] = 0;
  char *rest = strrchr(text, ')');
  unsigned long user = 0, system = 0;
  int parent = 0;
  if (rest == NULL || sscanf(rest + 2, "%*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &parent,
                             &user, &system) != 3)
    return false;
  *process = (struct process){pid, parent, user + system, pid == root};
  return true;
}

static uint64_t before_ticks(pid_t pid, bool *found) {
  for (size_t i = 0; i < before_count; i++) {
    if (before_list[i].pid == pid) {
      *found = true;
      return before_list[i].ticks;
    }
  }
  *found = false;
  return 0;
}

/* Returns what the members have used since the last call, in ticks. */
static uint64_t top(void) {
  memcpy(before_list, now_list, now_count * sizeof *now_list);
  before_count = now_count;
  now_count = 0;
  DIR *folder = opendir("/proc");
  if (folder == NULL) return 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL && now_count < most;) {
    pid_t pid = atoi(entry->d_name);
    if (pid > 0 && read_stat(pid, &now_list[now_count])) now_count++;
  }
  closedir(folder);
  /* Pids are listed in their order: parents come first, but for numbers that began anew. */
  uint64_t used = 0;
  for (size_t i = 0; i < now_count; i++) {
    struct process *process = &now_list[i];
    for (size_t k = 0; k < i && !process->is_member; k++)
      process->is_member = now_list[k].is_member && now_list[k].pid == process->parent;
    if (!process->is_member) continue;
    bool found;
    uint64_t before = before_ticks(process->pid, &found);
    if (found && process->ticks > before) used += process->ticks - before;
  }
  return used;
}

static pid_t known[most];
static size_t known_count;
static pid_t last;
static int loadavg, proc;

static bool is_known(pid_t pid) {
  for (size_t i = 0; i < known_count; i++)
    if (known[i] == pid) return true;
  return false;
}

/* Takes in what was born since the last call; returns the sum of all clocks, in nanoseconds. */
static uint64_t minimal(void) {
  char text[128];
  ssize_t count = pread(loadavg, text, sizeof text - 1, 0);
  text[count > 0 ? count : 0] = 0;
  char *place = strrchr(text, ' ');
  pid_t newest = place == NULL ? 0 : atoi(place);
  if (newest != last) {
    char buffer[16384];
    lseek(proc, last == 0 ? 0 : last + 1 + 258, SEEK_SET);
    long length;
    while ((length = syscall(SYS_getdents64, proc, buffer, sizeof buffer)) > 0) {
      for (long at = 0; at < length;) {
        unsigned short size;
        memcpy(&size, buffer + at + 16, sizeof size);
        pid_t pid = atoi(buffer + at + 19);
        struct process process;
        if (pid > 0 && known_count < most && read_stat(pid, &process) &&
            (pid == root || is_known(process.parent)))
          known[known_count++] = pid;
        at += size;
      }
    }
    last = newest;
  }
  uint64_t sum = 0;
  size_t kept = 0;
  for (size_t i = 0; i < known_count; i++) {
    struct timespec time;
    if (clock_gettime((clockid_t)(~(unsigned)known[i] << 3 | 2), &time) != 0) continue;
    sum += (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
    known[kept++] = known[i];
  }
  known_count = kept;
  return sum;
}

int main(int argc, char **argv) {
  long milliseconds = 100;
  for (int i = 2; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--pid") == 0) root = atoi(argv[i + 1]);
    if (strcmp(argv[i], "--interval") == 0) milliseconds = atol(argv[i + 1]);
  }
  bool is_top = argc > 1 && strcmp(argv[1], "top") == 0;
  if (root <= 0 || milliseconds <= 0 || (!is_top && strcmp(argc > 1 ? argv[1] : "", "minimal") != 0)) {
    fputs("usage: tree-peer top|minimal --pid N [--interval MS]\n", stderr);
    return 64;
  }
  loadavg = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
  proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (loadavg < 0 || proc < 0) return 1;
  uint64_t used = 0;
  if (is_top) top(); else minimal();
  struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  for (;;) {
    next.tv_nsec += milliseconds * 1000000;
    next.tv_sec += next.tv_nsec / 1000000000;
    next.tv_nsec %= 1000000000;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == EINTR) continue;
    used = is_top ? used + top() : minimal();
    struct pollfd input = {.fd = 0, .events = POLLIN};
    if (poll(&input, 1, 0) != 0) break;
  }
  printf("%" PRIu64 "\n", is_top ? used * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK)) : used);
}
