/* The load that does what it is told, command by command: memory, threads, children, names.

   A command is a line on the standard input, its answer a line on the standard output that starts
   with "ok" or "error":

   alloc BYTES         map and touch memory          ok TIME TOTAL_BYTES
   free BYTES          unmap the newest of it        ok TIME TOTAL_BYTES
   faults N            cause N minor faults          ok START END
   threads N           keep N sleeping threads       ok TIME N
   burn MS             spin for so long              ok START END BUSY_NS
   burn-child MS       the same in a reaped child    ok START END BUSY_NS (of the child, all of it)
   name NAME           PR_SET_NAME, %XX for bytes    ok TIME
   exec NAME           execute itself by that name   ok PID
   child               fork a sleeping child         ok PID
   zombie              fork a child, do not reap it  ok PID
   reap                reap all children that ended  ok COUNT
   main-exit           end the main thread alone     ok TID of the thread that goes on
   exit STATUS         end                           ok TIME */
#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { page_bytes = 4096 };

/* ---- memory ---------------------------------------------------------------------------------- */

/* One mapping of `alloc`; `free` takes from the newest, and may leave a part of it. */
struct block {
  struct block *older;
  char *start;
  size_t bytes;
};

static struct block *newest_block;
static size_t allocated_bytes;

static size_t whole_pages(size_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

static char *map_and_touch(size_t bytes) {
  char *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return NULL;
  madvise(start, bytes, MADV_NOHUGEPAGE);
  for (size_t offset = 0; offset < bytes; offset += page_bytes) start[offset] = 1;
  return start;
}

static void serve_alloc(size_t bytes) {
  bytes = whole_pages(bytes);
  struct block *block = malloc(sizeof *block);
  char *start = block == NULL || bytes == 0 ? NULL : map_and_touch(bytes);
  if (start == NULL) {
    free(block);
    answer("error cannot allocate %zu bytes", bytes);
    return;
  }
  *block = (struct block){newest_block, start, bytes};
  newest_block = block;
  allocated_bytes += bytes;
  answer("ok %" PRIu64 " %zu", now(CLOCK_MONOTONIC), allocated_bytes);
}

static void serve_free(size_t bytes) {
  bytes = whole_pages(bytes);
  if (bytes > allocated_bytes) {
    answer("error only %zu bytes are allocated", allocated_bytes);
    return;
  }
  while (bytes > 0) {
    struct block *block = newest_block;
    size_t part = bytes < block->bytes ? bytes : block->bytes;
    munmap(block->start + block->bytes - part, part);
    block->bytes -= part;
    bytes -= part;
    allocated_bytes -= part;
    if (block->bytes == 0) {
      newest_block = block->older;
      free(block);
    }
  }
  answer("ok %" PRIu64 " %zu", now(CLOCK_MONOTONIC), allocated_bytes);
}

/* Causes `count` minor faults, of single pages, in at most 16 MiB at a time. */
static void serve_faults(size_t count) {
  uint64_t start = now(CLOCK_MONOTONIC);
  for (size_t left = count; left > 0;) {
    size_t pages = left < 4096 ? left : 4096;
    char *memory = map_and_touch(pages * page_bytes);
    if (memory == NULL) {
      answer("error cannot allocate %zu pages", pages);
      return;
    }
    munmap(memory, pages * page_bytes);
    left -= pages;
  }
  answer("ok %" PRIu64 " %" PRIu64, start, now(CLOCK_MONOTONIC));
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Waits until a task of /proc is in a state (proc_pid_stat(5), field 3): an answer must not come before
   what it tells is so. A task that has only just begun is running still, and may be counted as that. */
static void wait_for_state(const char *path, char state) {
  char text[256];
  for (int attempt = 0; attempt < 100000; attempt++) {
    FILE *file = fopen(path, "r");
    size_t count = file == NULL ? 0 : fread(text, 1, sizeof text - 1, file);
    if (file != NULL) fclose(file);
    text[count] = 0;
    const char *end = strrchr(text, ')');
    if (end != NULL && end[1] == ' ' && end[2] == state) return;
    usleep(100);
  }
  fail(1, "%s does not come to state %c", path, state);
}

static void wait_until_asleep(pid_t task) {
  char path[64];
  /* Of a thread too, though /proc does not list it. */
  snprintf(path, sizeof path, "/proc/%d/task/%d/stat", task, task);
  wait_for_state(path, 'S');
}

struct sleeper {
  struct sleeper *older;
  pthread_t thread;
  sem_t begin, end;
  pid_t id;
};

static struct sleeper *newest_sleeper;
static size_t sleeper_count;

static void *sleep_for_end(void *argument) {
  struct sleeper *sleeper = argument;
  sleeper->id = gettid();
  sem_post(&sleeper->begin);
  while (sem_wait(&sleeper->end) != 0) continue;
  return NULL;
}

bool keep_sleepers(size_t wanted) {
  size_t started = 0;
  while (sleeper_count < wanted) {
    struct sleeper *sleeper = calloc(1, sizeof *sleeper);
    if (sleeper == NULL) return false;
    sem_init(&sleeper->begin, 0, 0);
    sem_init(&sleeper->end, 0, 0);
    if (!start_thread(&sleeper->thread, sleep_for_end, sleeper)) {
      free(sleeper);
      return false;
    }
    sleeper->older = newest_sleeper;
    newest_sleeper = sleeper;
    sleeper_count++;
    started++;
  }
  for (struct sleeper *sleeper = newest_sleeper; started > 0; sleeper = sleeper->older, started--) {
    while (sem_wait(&sleeper->begin) != 0) continue;
    wait_until_asleep(sleeper->id);
  }
  while (sleeper_count > wanted) {
    struct sleeper *sleeper = newest_sleeper;
    newest_sleeper = sleeper->older;
    sem_post(&sleeper->end);
    pthread_join(sleeper->thread, NULL);
    free(sleeper);
    sleeper_count--;
  }
  return true;
}

/* ---- children -------------------------------------------------------------------------------- */

/* Sleeping children read from this pipe; when the last process that could write to it has ended,
   however it ended, they end too. It stays open across exec. */
static int lifeline[2] = {-1, -1};

pid_t fork_sleeping_child(void) {
  if (lifeline[0] < 0 && pipe(lifeline) != 0) return -1;
  pid_t child = fork();
  if (child == 0) {
    char byte;
    close(lifeline[1]);
    while (read(lifeline[0], &byte, 1) < 0 && errno == EINTR) continue;
    _exit(0);
  }
  if (child > 0) wait_until_asleep(child);
  return child;
}

static void answer_pid(pid_t pid) {
  if (pid < 0) {
    answer("error cannot fork: %s", strerror(errno));
  } else {
    answer("ok %d", pid);
  }
}

static void serve_zombie(void) {
  pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t info;
  if (child > 0) waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
  answer_pid(child);
}

static void serve_reap(void) {
  int count = 0;
  while (waitpid(-1, NULL, WNOHANG) > 0) count++;
  answer("ok %d", count);
}

/* A child that burns and is reaped before the answer: what a build does, in small. */
static void serve_burn_child(uint64_t nanoseconds) {
  uint64_t start = now(CLOCK_MONOTONIC);
  pid_t child = fork();
  if (child == 0) {
    spin(nanoseconds, UINT64_MAX, NULL);
    _exit(0);
  }
  struct rusage usage = {0};
  if (child < 0 || wait4(child, NULL, 0, &usage) < 0) {
    answer("error cannot fork: %s", strerror(errno));
    return;
  }
  uint64_t microseconds = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * million +
                          (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  answer("ok %" PRIu64 " %" PRIu64 " %" PRIu64, start, now(CLOCK_MONOTONIC), microseconds * 1000);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Replaces %XX by the byte it names, in place; false if a % has no two hexadecimal digits. */
static bool percent_decode(char *text) {
  char *to = text;
  for (const char *from = text; *from != 0; from++) {
    unsigned byte = (unsigned char)*from;
    if (byte == '%') {
      char digits[3] = {from[1], from[1] == 0 ? 0 : from[2], 0}, *end;
      byte = (unsigned)strtoul(digits, &end, 16);
      if (end != digits + 2) return false;
      from += 2;
    }
    *to++ = (char)byte;
  }
  *to = 0;
  return true;
}

/* Executes this program anew through a link of that name; it answers "ok PID" when it is back. */
static void serve_exec(const char *name) {
  char self[PATH_MAX], directory[] = "/tmp/perfhud-load-XXXXXX", link[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (*name == 0 || strchr(name, '/') != NULL || strlen(name) > NAME_MAX) {
    answer("error a name without / is wanted");
    return;
  }
  if (length < 0 || mkdtemp(directory) == NULL) {
    answer("error cannot make a link: %s", strerror(errno));
    return;
  }
  self[length] = 0;
  snprintf(link, sizeof link, "%s/%s", directory, name);
  if (symlink(self, link) == 0) {
    execl(link, name, "serve", "--link", link, (char *)NULL);
  }
  int error = errno;
  unlink(link);
  rmdir(directory);
  answer("error cannot execute %s: %s", name, strerror(error));
}

void remove_link(char *link) {
  unlink(link);
  char *slash = strrchr(link, '/');
  if (slash != NULL) {
    *slash = 0;
    rmdir(link);
  }
}

/* ---- serve ----------------------------------------------------------------------------------- */

bool read_line(char *line, size_t size) {
  size_t used = 0;
  while (true) {
    char byte;
    ssize_t count = read(STDIN_FILENO, &byte, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    if (byte == '\n') break;
    if (used + 1 < size) line[used++] = byte;
  }
  line[used] = 0;
  return true;
}

/* Takes a whole number of at most `most` from the text after a command, or answers an error. */
static bool take_count(const char *command, const char *text, uint64_t most, uint64_t *value) {
  char *end;
  errno = 0;
  *value = strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != 0 || errno != 0 || *value > most) {
    answer("error %s wants a whole number up to %" PRIu64, command, most);
    return false;
  }
  return true;
}

static void serve_command(char *line) {
  char *space = strchr(line, ' ');
  char *text = space == NULL ? line + strlen(line) : space + 1;
  if (space != NULL) *space = 0;
  uint64_t value;
  if (strcmp(line, "alloc") == 0) {
    if (take_count(line, text, UINT64_C(1) << 46, &value)) serve_alloc(value);
  } else if (strcmp(line, "free") == 0) {
    if (take_count(line, text, UINT64_C(1) << 46, &value)) serve_free(value);
  } else if (strcmp(line, "faults") == 0) {
    if (take_count(line, text, 1000 * million, &value)) serve_faults(value);
  } else if (strcmp(line, "threads") == 0) {
    if (!take_count(line, text, 100000, &value)) return;
    if (keep_sleepers(value)) {
      answer("ok %" PRIu64 " %zu", now(CLOCK_MONOTONIC), sleeper_count);
    } else {
      answer("error cannot start a thread: %s", strerror(errno));
    }
  } else if (strcmp(line, "burn") == 0) {
    if (!take_count(line, text, 3600 * 1000, &value)) return;
    uint64_t start = now(CLOCK_MONOTONIC), before = now(CLOCK_THREAD_CPUTIME_ID);
    uint64_t busy = spin(UINT64_MAX, start + value * million, NULL);
    /* A hole that the host makes is no switch of threads: only the kernel knows of it. */
    uint64_t counted = now(CLOCK_THREAD_CPUTIME_ID) - before;
    answer("ok %" PRIu64 " %" PRIu64 " %" PRIu64, start, now(CLOCK_MONOTONIC),
           counted < busy ? counted : busy);
  } else if (strcmp(line, "burn-child") == 0) {
    if (take_count(line, text, 3600 * 1000, &value)) serve_burn_child(value * million);
  } else if (strcmp(line, "name") == 0) {
    if (percent_decode(text) && prctl(PR_SET_NAME, text, 0, 0, 0) == 0) {
      answer("ok %" PRIu64, now(CLOCK_MONOTONIC));
    } else {
      answer("error a percent-encoded name is wanted");
    }
  } else if (strcmp(line, "exec") == 0) {
    if (percent_decode(text)) {
      serve_exec(text);
    } else {
      answer("error a percent-encoded name is wanted");
    }
  } else if (strcmp(line, "zombie") == 0) {
    serve_zombie();
  } else if (strcmp(line, "reap") == 0) {
    serve_reap();
  } else if (strcmp(line, "child") == 0) {
    answer_pid(fork_sleeping_child());
  } else if (strcmp(line, "main-exit") == 0) {
    if (gettid() != getpid()) {
      answer("error the main thread has ended already");
      return;
    }
    pthread_t thread;
    if (!start_thread(&thread, serve, (void *)"after main-exit")) {
      answer("error cannot start a thread: %s", strerror(errno));
      return;
    }
    pthread_exit(NULL);
  } else if (strcmp(line, "exit") == 0) {
    if (!take_count(line, text, 255, &value)) return;
    answer("ok %" PRIu64, now(CLOCK_MONOTONIC));
    _exit((int)value);
  } else {
    answer("error unknown command %s", line);
  }
}

void *serve(void *argument) {
  if (argument != NULL) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", getpid());
    wait_for_state(path, 'Z');
    answer("ok %d", gettid());
  }
  char line[4096];
  while (read_line(line, sizeof line)) serve_command(line);
  _exit(0);
}
