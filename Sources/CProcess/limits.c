/* Checks for limits (setrlimit(2)) under which perfhud cannot run, before the Swift runtime begins, which would crash.
   A command still runs, in place of perfhud. */
#define _GNU_SOURCE
#include "CProcess.h"

#include "launch.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A limit, and the number of KiB below which perfhud does not start. */
struct need {
  int resource;
  const char *name;
  char option; /* the option of ulimit, which counts in KiB */
  unsigned command_kib; /* with a command, which runs safely without perfhud */
  unsigned alone_kib;   /* without one: the least that the runtime needs to start */
};

/* Measured with the release binary: the HUD over `sleep` takes 30 MB of address space, 19 MB of which are the binary,
   16 MB of data and 160 KiB of stack. The rest is for a long run in a large terminal. */
static const struct need needs[] = {
    {RLIMIT_AS, "address space", 'v', 64 << 10, 24 << 10},
    {RLIMIT_DATA, "data", 'd', 40 << 10, 6 << 10},
    {RLIMIT_STACK, "stack", 's', 512, 160},
};

static const struct need *broken_need(int has_command) {
  for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
    struct rlimit limit;
    if (getrlimit(needs[i].resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) continue;
    unsigned kib = has_command ? needs[i].command_kib : needs[i].alone_kib;
    if (limit.rlim_cur < (rlim_t)kib << 10) return &needs[i];
  }
  return NULL;
}

static void say(const char *text) {
  size_t length = strlen(text);
  while (length > 0) {
    ssize_t wrote = write(STDERR_FILENO, text, length);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;
    text += wrote;
    length -= (size_t)wrote;
  }
}

/* The command, or NULL. */
static char **command_of(int argc, char **argv) {
  struct perfhud_words words;
  perfhud_read_words(argc, argv, &words);
  return words.kind == PERFHUD_COMMAND && words.command < argc ? argv + words.command : NULL;
}

void perfhud_check_limits(int argc, char **argv) {
  char **command = command_of(argc, argv);
  const struct need *need = broken_need(command != NULL);
  if (need == NULL) return;
  unsigned kib = command != NULL ? need->command_kib : need->alone_kib;
  char text[256];
  snprintf(text, sizeof text, "perfhud: the %s limit is too low%s; raise it with: ulimit -%c %u\n", need->name,
           command != NULL ? " for a HUD: the command runs without perfhud" : "", need->option, kib);
  say(text);
  if (command == NULL) _exit(125);
  execvp(command[0], command);
  int error = errno;
  snprintf(text, sizeof text, "perfhud: cannot run %.100s: %s\n", command[0], strerror(error));
  /* A name is untrusted text. */
  for (char *at = text; at[1] != 0; at++)
    if ((unsigned char)*at < 0x20 || *at == 0x7F) *at = '?';
  say(text);
  _exit(error == ENOENT ? 127 : 126);
}

/* ------------------------------------------------------------------------- threads and processes */

enum { MOST_TASKS = 4, TASK_STACK = 4096 };

/* errno is shared with the parent, so no call here may write it. */
static int wait_for_end(void *unused) {
  (void)unused;
  for (;;) syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
}

/* These are not threads: when the C library starts its first thread, it changes the handling of signal 33, even for a
   command. */
int perfhud_can_start(int tasks) {
  static _Alignas(16) char stacks[MOST_TASKS][TASK_STACK];
  pid_t started[MOST_TASKS];
  int running = 0, error = 0;
  if (tasks > MOST_TASKS) tasks = MOST_TASKS;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (running < tasks && error == 0) {
    /* They share this memory, which costs least, and send no signal when they end. */
    started[running] = clone(wait_for_end, stacks[running] + TASK_STACK, CLONE_VM, NULL);
    if (started[running] > 0)
      running++;
    else
      error = errno;
  }
  for (int i = 0; i < running; i++) kill(started[i], SIGKILL);
  for (int i = 0; i < running; i++)
    while (waitpid(started[i], NULL, __WALL) < 0 && errno == EINTR) {
    }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return error == 0 ? 0 : -1;
}

int perfhud_become(char *const *argv, const sigset_t *mask) {
  /* The command is already running. */
  if (perfhud_is_taking_over()) perfhud_end_engine("it would have started your program again");
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, mask, &before);
  execvp(argv[0], argv);
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return -1;
}
