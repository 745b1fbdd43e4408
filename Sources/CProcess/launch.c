/* The process that starts a command: perfhud's own executable, executed again, which never starts the Swift runtime.

   The kernel includes in the peak RSS of a command what its process had in memory before exec. A fork of perfhud has
   megabytes, so every command would seem to have them too. A launcher has a few hundred KiB: it is executed again, and
   the constructor below takes over before any other code of the program has run. If the program cannot be executed
   again (spawn.c), a fork of perfhud does the same work.

   For a command on a pty the launcher becomes the holder, which leads the session there and watches the command.
   Without a pty the launcher ends once the command, which is perfhud's own child, has been executed. */
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The only descriptors that the holder keeps open. */
enum { TERMINAL = 0, REPORTS = 1 };

static volatile pid_t command;
static volatile sig_atomic_t stopped_by;

static void set_handler(int signal, void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, NULL);
}

void perfhud_forget_handlers(void) {
  for (int signal = 1; signal < NSIG; signal++) {
    struct sigaction action;
    if (sigaction(signal, NULL, &action) != 0) continue;
    if (action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL) set_handler(signal, SIG_DFL);
  }
}

_Static_assert(sizeof(struct perfhud_pty_report) <= 512, "at most _POSIX_PIPE_BUF");

/* Returns whether the report was sent. */
static int send_report(int descriptor, const struct perfhud_pty_report *record) {
  /* Shorter than PIPE_BUF: all or nothing. If perfhud has ended, nobody reads it. */
  while (write(descriptor, record, sizeof *record) < 0) {
    if (errno != EINTR && errno != EAGAIN) return 0;
  }
  return 1;
}

static void report(int descriptor, int32_t kind, int32_t value, int32_t detail) {
  struct perfhud_pty_report record = {.kind = kind, .value = value, .detail = detail};
  send_report(descriptor, &record);
}

static void report_start(int descriptor, const struct start *start) {
  struct perfhud_pty_report record = {
      .kind = PERFHUD_PTY_STARTED, .process = start->command, .floor_bytes = start->floor_bytes};
  if (start->command < 0) {
    record.kind = PERFHUD_PTY_FAILED;
    record.value = start->error;
    record.detail = start->step;
    record.process = start->failed;
  }
  send_report(descriptor, &record);
}

/* ------------------------------------------------------------------ the command, until exec */

static int set_standard(const struct plan *plan) {
  int source[3];
  for (int i = 0; i < 3; i++) {
    source[i] = plan->standard[i] < 0 ? plan->slave : plan->standard[i];
    if (source[i] < 3 && source[i] != i) source[i] = fcntl(source[i], F_DUPFD_CLOEXEC, 3);
    if (source[i] < 0) return -1;
  }
  for (int i = 0; i < 3; i++) {
    /* A descriptor that is passed on under its own number stays as it is. Closed ones have a close-on-exec placeholder
       (startup.c). */
    if (source[i] != i && dup2(source[i], i) < 0) return -1;
  }
  return 0;
}

/* Why a command was not executed. Written by the process that was to become the command. */
struct failure {
  volatile int step;
  volatile int error;
  volatile uint64_t floor_bytes;
  uint64_t pending; /* signals that were sent to the command before it existed, as bits */
};

/* The files that a name may stand for, in the order in which they are tried: as in execvpe(3), but everything that
   needs memory is done before the new process exists. */
struct program {
  char **paths;
  char **script_argv; /* for a script without a `#!` line, which /bin/sh runs */
  char *memory;
  int is_search;
};

static int find_program(const struct plan *plan, struct program *program) {
  const char *name = plan->argv[0];
  size_t length = strlen(name);
  const char *path = strchr(name, '/') != NULL ? NULL : getenv("PATH");
  if (path == NULL && strchr(name, '/') == NULL) path = "/bin:/usr/bin";
  size_t count = 1, words = 0;
  for (const char *at = path; at != NULL && *at != 0; at++) count += *at == ':';
  while (plan->argv[words] != NULL) words++;
  size_t text = path == NULL ? length + 1 : strlen(path) + count * (length + 2);
  program->paths = calloc(count + 1, sizeof(char *));
  program->script_argv = calloc(words + 2, sizeof(char *));
  char *to = program->memory = malloc(text);
  if (program->paths == NULL || program->script_argv == NULL || to == NULL) return -1;
  program->script_argv[0] = "/bin/sh";
  for (size_t i = 1; i < words; i++) program->script_argv[i + 1] = plan->argv[i];
  /* No program has an empty name. */
  if (length == 0) return 0;
  if (path == NULL) {
    program->paths[0] = memcpy(to, name, length + 1);
    return 0;
  }
  program->is_search = 1;
  for (size_t i = 0; i < count; i++) {
    const char *end = strchrnul(path, ':');
    program->paths[i] = to;
    to = mempcpy(to, path, (size_t)(end - path));
    /* An empty entry means the working directory. */
    if (end > path) *to++ = '/';
    to = mempcpy(to, name, length + 1);
    path = end + 1;
  }
  return 0;
}

static void forget_program(struct program *program) {
  free(program->paths);
  free(program->script_argv);
  free(program->memory);
}

/* Returns only on failure, with errno set. */
static void execute(const struct plan *plan, const struct program *program) {
  int is_denied = 0;
  errno = ENOENT;
  for (char **path = program->paths; *path != NULL; path++) {
    syscall(SYS_execve, *path, plan->argv, plan->envp);
    if (errno == ENOEXEC) {
      program->script_argv[1] = *path;
      syscall(SYS_execve, program->script_argv[0], program->script_argv, plan->envp);
    }
    switch (errno) {
    case EACCES: is_denied = 1; break;
    case ENOENT:
    case ESTALE:
    case ENOTDIR:
    case ENODEV:
    case ETIMEDOUT: break;
    default: return;
    }
  }
  if (is_denied) errno = EACCES;
  /* An entry that does not exist or is not a directory says nothing about the program. */
  else if (program->is_search) errno = ENOENT;
}

/* Returns only on failure. Its parent sleeps meanwhile, so there is no race over the process groups.

   The code of each C library function called here is mapped into the new process's memory, 64 KiB at a time, and adds
   to the command's peak RSS. Therefore several calls go through one function, syscall(2). */
static void run_command(const struct plan *plan, const struct program *program,
                        struct failure *failure) {
  failure->step = PERFHUD_PTY_SPAWN;
  if (plan->slave >= 0) {
    if (setpgid(0, 0) != 0) return;
    /* SIGTTOU is blocked, like all signals, so the kernel lets a background group take the terminal. */
    if (tcsetpgrp(plan->slave, getpid()) != 0) return;
    if (set_standard(plan) != 0) return;
  }
  if (plan->ignores_children) set_handler(SIGCHLD, SIG_IGN);
  for (int signal = 1; failure->pending >> (signal - 1) != 0; signal++)
    if (failure->pending >> (signal - 1) & 1) syscall(SYS_kill, getpid(), signal);
  failure->step = PERFHUD_PTY_EXEC;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, plan->mask, NULL, KERNEL_SIGNALS / 8);
  /* Of this new process alone. exec carries this value over. */
  struct rusage usage;
  if (syscall(SYS_getrusage, RUSAGE_SELF, &usage) == 0)
    failure->floor_bytes = (uint64_t)usage.ru_maxrss * 1024;
  execute(plan, program);
}

struct start perfhud_start_command(const struct plan *plan, int of_parent) {
  struct start start = {.command = -1, .step = PERFHUD_PTY_SPAWN};
  /* Shared with the new process, whose other memory is a copy. It starts with less in memory than a process that
     borrows the parent's memory, as with vfork. */
  struct failure *failure = mmap(NULL, sizeof *failure, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  struct program program = {NULL};
  if (failure == MAP_FAILED || find_program(plan, &program) != 0) {
    start.error = errno;
    if (failure != MAP_FAILED) munmap(failure, sizeof *failure);
    forget_program(&program);
    return start;
  }
  /* This process continues once the program has been executed or the new process has ended. */
  unsigned long flags = CLONE_VFORK | SIGCHLD | (of_parent ? CLONE_PARENT : 0);
  /* A signal key of the terminal is meant for the whole process group, and so for the command too. */
  if (of_parent) syscall(SYS_rt_sigpending, &failure->pending, KERNEL_SIGNALS / 8);
  pid_t started = (pid_t)syscall(SYS_clone, flags, 0, 0, 0, 0);
  if (started == 0) {
    run_command(plan, &program, failure);
    failure->error = errno;
    _exit(127);
  }
  start.error = started < 0 ? errno : failure->error;
  start.step = started < 0 ? PERFHUD_PTY_SPAWN : failure->step;
  start.floor_bytes = failure->floor_bytes;
  munmap(failure, sizeof *failure);
  forget_program(&program);
  if (started > 0 && start.error == 0) {
    start.command = started;
  } else if (started > 0 && !of_parent) {
    while (waitpid(started, NULL, 0) < 0 && errno == EINTR) {
    }
  } else if (started > 0) {
    start.failed = started;
  }
  return start;
}

/* ------------------------------------------------------------------------------- the holder */

/* Does what a shell's `fg` does. Only a process of the same session may continue a command that runs as another user
   (sudo), so perfhud sends SIGCONT to the holder. */
static void pass_continue(int signal) {
  int error = errno;
  /* The command stopped because it needed the terminal, which it had lost to a job that ended without returning it. */
  if (stopped_by == SIGTTIN || stopped_by == SIGTTOU) tcsetpgrp(TERMINAL, command);
  pid_t foreground = tcgetpgrp(TERMINAL);
  kill(-command, signal);
  if (foreground > 0 && foreground != command && foreground != getpgrp()) kill(-foreground, signal);
  errno = error;
}

/* Ends the holder when its terminal hangs up, as by default. A hangup that a process sends is ignored, as every other
   signal is: the command would be lost with the holder. */
static void hang_up(int signal, siginfo_t *info, void *context) {
  (void)context;
  if (info->si_code <= 0) return;
  int error = errno;
  set_handler(signal, SIG_DFL);
  raise(signal);
  errno = error;
}

/* Reports stops until the command ends. */
static void watch(siginfo_t *info, struct rusage *usage) {
  for (;;) {
    info->si_pid = 0;
    /* The command is left unreaped, so that its PID stays valid as long as perfhud may send it signals. The system call
       also reports the usage (RUSAGE_BOTH, even with WNOWAIT); the C library's function does not. */
    int wanted = WEXITED | WSTOPPED | WCONTINUED | WNOWAIT;
    if (syscall(SYS_waitid, P_PID, command, info, wanted, usage) != 0) {
      if (errno == EINTR) continue;
      _exit(1);
    }
    if (info->si_code != CLD_STOPPED && info->si_code != CLD_CONTINUED) return;
    info->si_pid = 0;
    if (waitid(P_PID, (id_t)command, info, WSTOPPED | WCONTINUED | WNOHANG) != 0) continue;
    if (info->si_pid == 0) continue; /* it has ended in between */
    int is_stop = info->si_code == CLD_STOPPED;
    stopped_by = is_stop ? info->si_status : 0;
    report(REPORTS, is_stop ? PERFHUD_PTY_STOPPED : PERFHUD_PTY_CONTINUED, stopped_by, 0);
  }
}

_Noreturn void perfhud_hold(struct plan *plan) {
  prctl(PR_SET_NAME, "perfhud-holder"); /* shown by ps, top and pkill -x */
  /* The handlers work on perfhud's memory and terminal, not on a copy of them. */
  perfhud_forget_handlers();
  /* If SIGCHLD were ignored, there would be no status to wait for. */
  struct sigaction children;
  plan->ignores_children =
      sigaction(SIGCHLD, NULL, &children) == 0 && children.sa_handler == SIG_IGN;
  set_handler(SIGCHLD, SIG_DFL);
  struct start start = {.command = -1, .step = PERFHUD_PTY_SPAWN};
  if (setsid() < 0 || ioctl(plan->slave, TIOCSCTTY, 0) != 0)
    start.error = errno;
  else
    start = perfhud_start_command(plan, 0);
  if (start.command < 0) {
    report_start(plan->reports, &start);
    _exit(1);
  }

  /* This closes above all the master: while a copy of it is open, perfhud's death does not hang up the terminal. */
  dup2(plan->slave, TERMINAL);
  dup2(plan->reports, REPORTS);
  closefrom(REPORTS + 1);
  command = start.command;
  /* The arguments are the command's, not the holder's: `pgrep -f` should find only the command. */
  if (plan->words != NULL) memset(plan->words, 0, plan->words_size);
  set_handler(SIGCONT, pass_continue);
  struct sigaction hangup = {.sa_sigaction = hang_up, .sa_flags = SA_RESTART | SA_SIGINFO};
  sigaction(SIGHUP, &hangup, NULL);
  /* The terminal's stop signals, signals that are meant for perfhud, and SIGPIPE all stay blocked. A hangup of the
     terminal ends the holder, and the end of the session leader hangs up the foreground group. */
  sigset_t blocked;
  sigfillset(&blocked);
  sigdelset(&blocked, SIGHUP);
  sigdelset(&blocked, SIGCONT);
  sigprocmask(SIG_SETMASK, &blocked, NULL);
  report_start(REPORTS, &start);

  siginfo_t info;
  struct rusage usage;
  watch(&info, &usage);

  /* The end of the session leader hangs up the foreground group, which includes the background jobs of a
     non-interactive shell. They live on if the holder itself is in the foreground. */
  set_handler(SIGHUP, SIG_IGN);
  set_handler(SIGCONT, SIG_IGN);
  tcsetpgrp(TERMINAL, getpgrp());
  struct perfhud_pty_report end = {
      .kind = info.si_code == CLD_EXITED ? PERFHUD_PTY_EXITED : PERFHUD_PTY_KILLED,
      .value = info.si_status,
      .detail = info.si_code == CLD_DUMPED,
      .has_usage = 1,
      .usage = perfhud_usage_of(&usage, start.floor_bytes)};
  /* Otherwise perfhud would wait for the report; now it sees the end of the pipe. */
  if (!send_report(REPORTS, &end)) close(REPORTS);

  /* This hangup would also discard what perfhud has not read yet if a job has the terminal open, so wait until perfhud
     closes the pipe. */
  struct pollfd reader = {.fd = REPORTS};
  while (poll(&reader, 1, -1) < 0 && errno == EINTR) {
  }
  waitid(P_PID, (id_t)command, &info, WEXITED);
  _exit(0);
}

/* ------------------------------------------------------------------------------- its beginning */

struct perfhud_usage perfhud_usage_of(const struct rusage *found, uint64_t floor_bytes) {
  uint64_t most = (uint64_t)found->ru_maxrss * 1024;
  struct perfhud_usage usage = {
      .user_nanoseconds = (uint64_t)found->ru_utime.tv_sec * 1000000000 +
                          (uint64_t)found->ru_utime.tv_usec * 1000,
      .system_nanoseconds = (uint64_t)found->ru_stime.tv_sec * 1000000000 +
                            (uint64_t)found->ru_stime.tv_usec * 1000,
      .max_resident_bytes = most,
      /* Some stack pages may have been added between reading the floor and exec. */
      .max_resident_is_bound = most <= floor_bytes + (64 << 10),
      .minor_faults = (uint64_t)found->ru_minflt,
      .major_faults = (uint64_t)found->ru_majflt,
      .read_bytes = (uint64_t)found->ru_inblock * 512,
      .written_bytes = (uint64_t)found->ru_oublock * 512,
  };
  return usage;
}

/* The next number of a plan; 0 if there is none. scanf(3) would bring its tables into memory. */
static unsigned long long next_number(const char **text) {
  while (**text == ' ') (*text)++;
  int is_negative = **text == '-';
  if (is_negative) (*text)++;
  unsigned long long value = 0;
  for (; **text >= '0' && **text <= '9'; (*text)++) value = value * 10 + (unsigned)(**text - '0');
  return is_negative ? -value : value;
}

/* Takes over if this process is a launcher; then it never returns. The priority orders constructors: none of Swift's
   has run yet. */
__attribute__((constructor(101))) static void launch(int argc, char **argv, char **envp) {
  if (argc < 2 || strcmp(argv[0], LAUNCHER_NAME) != 0) return;
  if (strncmp(argv[1], LAUNCHER_PLAN, strlen(LAUNCHER_PLAN)) != 0) return;
  const char *text = argv[1] + strlen(LAUNCHER_PLAN);
  int standard[3];
  struct plan plan = {.argv = argv + 2, .envp = envp, .standard = standard};
  plan.reports = (int)next_number(&text);
  plan.slave = (int)next_number(&text);
  for (int i = 0; i < 3; i++) standard[i] = (int)next_number(&text);
  unsigned marked = (unsigned)next_number(&text);
  plan.ignores_children = (int)next_number(&text);
  sigset_t mask;
  sigemptyset(&mask);
  unsigned long long bits = next_number(&text);
  for (int signal = 1; signal <= KERNEL_SIGNALS; signal++)
    if (bits >> (signal - 1) & 1) sigaddset(&mask, signal);
  plan.mask = &mask;
  /* These had to stay open across exec. */
  fcntl(plan.reports, F_SETFD, FD_CLOEXEC);
  if (plan.slave >= 0) fcntl(plan.slave, F_SETFD, FD_CLOEXEC);
  for (int i = 0; i < 3; i++)
    if (marked >> i & 1) fcntl(standard[i], F_SETFD, FD_CLOEXEC);
  report(plan.reports, PERFHUD_PTY_READY, 0, 0);
  if (plan.slave >= 0) {
    plan.words = argv[1];
    plan.words_size = (size_t)(argv[argc - 1] + strlen(argv[argc - 1]) - argv[1]);
    perfhud_hold(&plan);
  }
  struct start start = perfhud_start_command(&plan, 1);
  report_start(plan.reports, &start);
  _exit(0);
}
