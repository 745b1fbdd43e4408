/* How perfhud splits into supervisor and engine.

   The process that was started becomes the supervisor (supervisor.c): it is the one that the user's shell waits for.
   It executes perfhud's program once more, and is taken over by the constructor below before Swift's runtime begins.
   Its plan is one variable of the environment: the descriptors of the journal and of the socket to the engine, and
   the engine's process. */
#define _GNU_SOURCE
#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define PLAN_VARIABLE "PERFHUD_SUPERVISE"

extern char **environ;

/* Keeps the standard error output, for what is to be said, and of the others what is a terminal: a pipe must not
   be held open. */
static void close_inherited(int *journal, int *socket) {
  int kept[2] = {*journal, *socket};
  /* Out of the way, and then to 3 and 4. */
  for (int i = 0; i < 2; i++) kept[i] = fcntl(kept[i], F_DUPFD_CLOEXEC, 16);
  for (int i = 0; i < 2; i++)
    if (kept[i] < 0 || dup3(kept[i], 3 + i, O_CLOEXEC) < 0) return;
  *journal = 3;
  *socket = 4;
  closefrom(5);
  for (int i = 0; i < 2; i++)
    if (!isatty(i)) close(i);
  /* The lowest number that is free is taken: none of them is left for other files. */
  for (int i = 0; i < 3; i++)
    if (fcntl(i, F_GETFD) < 0) open("/dev/null", O_RDWR | O_CLOEXEC);
}

static void run_supervisor(int descriptor, int socket, pid_t engine, struct journal *journal) {
  static struct supervisor self;
  self.engine = engine;
  self.socket = socket;
  self.journal = journal;
  close_inherited(&descriptor, &self.socket);
  perfhud_supervise_engine(&self);
}

/* Returns if the program cannot be executed anew. */
static void execute_supervisor(int descriptor, int socket, pid_t engine) {
  char *const *arguments;
  if (perfhud_arguments(&arguments) == 0) return;
  char plan[64];
  snprintf(plan, sizeof plan, PLAN_VARIABLE "=%d,%d,%d", descriptor, socket, (int)engine);
  size_t count = 0;
  while (environ[count] != NULL) count++;
  char **variables = calloc(count + 2, sizeof *variables);
  if (variables == NULL) return;
  variables[0] = plan;
  memcpy(variables + 1, environ, count * sizeof *variables);
  /* Without one of them it could do nothing. */
  if (fcntl(descriptor, F_SETFD, 0) == 0 && fcntl(socket, F_SETFD, 0) == 0)
    perfhud_execute_anew(arguments, variables);
  free(variables);
}

int perfhud_supervise(void) {
  int descriptor = perfhud_make_journal();
  struct journal *journal = descriptor < 0 ? NULL : perfhud_map_journal(descriptor);
  int ends[2] = {-1, -1};
  if (journal == NULL || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    int error = errno;
    if (descriptor >= 0) close(descriptor);
    errno = error;
    return -1;
  }
  pid_t supervisor = getpid();
  journal->magic = JOURNAL_MAGIC;
  journal->supervisor = supervisor;
  /* Until the supervisor is ready, signals wait. */
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  pid_t engine = _Fork();
  if (engine > 0) {
    journal->engine = engine;
    close(ends[0]);
    execute_supervisor(descriptor, ends[1], engine);
    perfhud_forget_handlers();
    run_supervisor(descriptor, ends[1], engine, journal);
  }
  int error = errno;
  close(ends[1]);
  close(descriptor);
  if (engine < 0) {
    close(ends[0]);
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return -1;
  }
  /* Without its supervisor it has no terminal to be in the foreground of. */
  prctl(PR_SET_PDEATHSIG, SIGHUP);
  if (getppid() != supervisor) _exit(1);
  perfhud_become_engine(journal, ends[0]);
  sigprocmask(SIG_SETMASK, &before, NULL);
  return 0;
}

/* Whether this process is a supervisor; if so it never returns. The priority orders constructors: none of Swift's
   has run. */
__attribute__((constructor(101))) static void supervise(void) {
  const char *plan = getenv(PLAN_VARIABLE);
  if (plan == NULL) return;
  char *end;
  int descriptor = (int)strtol(plan, &end, 10);
  int socket = *end == ',' ? (int)strtol(end + 1, &end, 10) : -1;
  pid_t engine = *end == ',' ? (pid_t)strtol(end + 1, NULL, 10) : -1;
  unsetenv(PLAN_VARIABLE);
  /* Only what this process has prepared itself counts. */
  struct journal *journal = perfhud_map_journal(descriptor);
  if (journal != NULL) {
    if (journal->magic != JOURNAL_MAGIC || journal->supervisor != getpid()) return;
    run_supervisor(descriptor, socket, journal->engine, journal);
  }
  /* No memory for it. But a child of this process is the engine: to go on as an ordinary perfhud would start the
     command a second time. This memory of its own says nothing, so it can do no more than wait for the engine. */
  static _Alignas(struct journal) uint8_t nothing[offsetof(struct journal, buffer)];
  if (engine > 0 && perfhud_is_child(engine)) run_supervisor(descriptor, socket, engine, (struct journal *)nothing);
}
