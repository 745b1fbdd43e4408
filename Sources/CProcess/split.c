/* How perfhud splits into supervisor and engine.

   The original process becomes the supervisor (supervisor.c), the one that the user's shell waits for. The engine is a
   fork of it. If the arguments look as if there will be a HUD over a command, the fork happens before Swift's runtime
   begins. Then the process is still small, so the fork costs next to nothing, and the supervisor has only a few hundred
   KiB. The engine either confirms that there will be a HUD, or it gives back: it ends without having done anything, and
   the original process continues as an ordinary perfhud.

   If the arguments did not look like that, the split comes later, from a process that contains the runtime. */
#define _GNU_SOURCE
#include "CProcess.h"
#include "supervisor.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* The processes and threads besides this process and the engine: the holder, the command, the sampler's thread. */
enum { NEEDED_TASKS = 3 };

enum { NOT_SPLIT, UNCONFIRMED_ENGINE, ENGINE, GIVEN_BACK };
static int role = NOT_SPLIT;

/* Returns 0 in the engine. In the calling process it returns only if the engine gave back (also 0) or could not be
   started: -1 and errno. */
static int split(int is_confirmed) {
  struct journal *journal = perfhud_make_journal();
  int ends[2];
  if (journal == NULL) return -1;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    perfhud_forget_journal(journal);
    return -1;
  }
  int signals = supervisor_signals();
  pid_t front = getpid();
  journal->supervisor = front;
  atomic_init(&journal->tasks_error, -1);
  /* Signals wait until the supervisor is ready. */
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  /* If SIGCHLD were ignored, the engine's end would have no status. */
  struct sigaction standard, children;
  memset(&standard, 0, sizeof standard);
  sigaction(SIGCHLD, &standard, &children);
  pid_t engine = signals < 0 ? -1 : _Fork();
  int error = errno;
  if (engine > 0) {
    close(ends[0]);
    if (is_confirmed) perfhud_forget_handlers();
    struct supervisor self = {.journal = journal, .engine = engine, .socket = ends[1], .signals = signals};
    /* This runs while the engine's runtime begins. */
    atomic_store(&journal->tasks_error, perfhud_can_start(NEEDED_TASKS) == 0 ? 0 : errno);
    self.can_restart = !is_confirmed;
    perfhud_supervise_engine(&self, is_confirmed);
    if (self.is_engine) {
      /* Everything else of this process belonged to the supervisor and is closed. */
      role = UNCONFIRMED_ENGINE;
      sigaction(SIGCHLD, &children, NULL);
      sigprocmask(SIG_SETMASK, &before, NULL);
      return 0;
    }
    perfhud_forget_journal(journal);
    role = GIVEN_BACK;
  } else if (engine == 0) {
    /* Without its supervisor the engine has no terminal on which it is in the foreground. */
    prctl(PR_SET_PDEATHSIG, SIGHUP);
    if (getppid() != front) _exit(1);
    perfhud_become_engine(journal, ends[0]);
    role = UNCONFIRMED_ENGINE;
    if (is_confirmed) perfhud_supervise();
  } else {
    close(ends[0]);
    perfhud_forget_journal(journal);
  }
  if (engine <= 0) close(ends[1]);
  if (signals >= 0) close(signals);
  sigaction(SIGCHLD, &children, NULL);
  sigprocmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return engine < 0 ? -1 : 0;
}

int perfhud_supervise(void) {
  if (role == ENGINE) return 0;
  if (role != UNCONFIRMED_ENGINE) return split(1);
  role = ENGINE;
  prctl(PR_SET_NAME, "perfhud-hud"); /* a signal for `perfhud` should reach the supervisor */
  perfhud_confirm_engine();
  return 0;
}

void perfhud_abandon_split(void) {
  if (role == UNCONFIRMED_ENGINE && !perfhud_is_taking_over()) perfhud_end_for_front();
}

int perfhud_can_start_command(void) {
  if (role != NOT_SPLIT && role != GIVEN_BACK) return perfhud_await_tasks();
  return perfhud_can_start(1 + NEEDED_TASKS);
}

int perfhud_was_given_back(void) { return role == GIVEN_BACK; }

/* Another program that contains this code, such as a test program, must not be split. */
static int is_called_perfhud(const char *name) {
  const char *slash = strrchr(name, '/');
  return strcmp(slash == NULL ? name : slash + 1, "perfhud") == 0;
}

/* A terminal multiplexer started below a HUD keeps the variable after that HUD has ended. */
int perfhud_has_outer(void) {
  const char *outer = getenv("PERFHUD");
  if (outer == NULL || outer[0] == 0) return 0;
  char *end;
  long pid = strtol(outer, &end, 10);
  if (*end != 0 || pid <= 0 || pid > INT_MAX) return 1;
  return kill((pid_t)pid, 0) == 0 || errno != ESRCH;
}

/* A configuration file may be a pipe, which would be empty after an engine that gives back has read it. */
static int is_read_once(const char *path) {
  struct stat facts;
  return path != NULL && path[0] != 0 && stat(path, &facts) == 0 && !S_ISREG(facts.st_mode);
}

void perfhud_split_early(int argc, char **argv) {
  if (argc == 0 || !is_called_perfhud(argv[0])) return;
  const char *terminal = getenv("TERM");
  if (terminal != NULL && strcmp(terminal, "dumb") == 0) return;
  struct perfhud_words words;
  perfhud_read_words(argc, argv, &words);
  if (words.kind == PERFHUD_SUBCOMMAND || words.is_without_hud) return;
  if (!words.is_nested && perfhud_has_outer()) return;
  if (is_read_once(getenv("PERFHUD_CONFIG")) || tcgetpgrp(STDOUT_FILENO) != getpgrp()) return;
  split(0);
}
