/* The interface between spawn.c, which requests a command, and launch.c, which starts it. */
#ifndef PERFHUD_LAUNCH_H
#define PERFHUD_LAUNCH_H
#include "CProcess.h"

/* A launcher's first report: it is perfhud's program and has understood the plan. */
#define PERFHUD_PTY_READY 7

/* What a launcher must do. All descriptors are its own. */
struct plan {
  char *const *argv;
  char *const *envp;
  const int *standard; /* for descriptors 0, 1 and 2: -1 is the pty */
  const sigset_t *mask;
  int master; /* perfhud's end of the pty, only in perfhud itself */
  int slave; /* the terminal of the new session; -1: no pty, the caller's session */
  int reports;
  int ignores_children; /* SIGCHLD was ignored on entry */
  char *words;          /* the launcher's own arguments after the name, to be cleared; NULL: none */
  size_t words_size;
};

/* A launcher is perfhud's own program, executed again under this name, with the plan as its first argument. */
#define LAUNCHER_NAME "perfhud-holder"
#define LAUNCHER_PLAN "perfhud-holder/1:"
#define LAUNCHER_PLAN_ROOM 160
/* Bits of the kernel's signal mask. */
enum { KERNEL_SIGNALS = 64 };

/* Leads a session on `plan->slave`, starts the command there and watches it. Call it with all signals blocked. */
_Noreturn void perfhud_hold(struct plan *plan);

/* Whether a command was started, or why not. */
struct start {
  pid_t command; /* -1: there is none */
  pid_t failed;  /* a process that did not become the command; this process's parent must reap it; 0: none */
  int step;
  int error;
  uint64_t floor_bytes;
};
/* Starts the command of a plan as a child of this process, or of the parent of this process. */
struct start perfhud_start_command(const struct plan *plan, int of_parent);

/* Converts getrusage(2) to perfhud's form. */
struct rusage;
struct perfhud_usage perfhud_usage_of(const struct rusage *found, uint64_t floor_bytes);
void perfhud_forget_handlers(void);

/* limits.c: if a limit is too low for perfhud, runs the command of the arguments in place of perfhud, or exits with
   status 125. */
void perfhud_check_limits(int argc, char **argv);
#endif
