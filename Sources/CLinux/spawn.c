/* perfhud → holder → command, on a pty with job control; and a command without a pty, at the end.

   A program that leads its own session has nobody who could continue it, so the kernel discards its
   Ctrl-Z. Therefore the session is led by the holder, a fork of perfhud that does nothing else, and
   the command is a job of it, in a process group of its own, as under a shell.

   After the fork only async-signal-safe calls (signal-safety(7)): another thread may have held any
   lock. */
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* All that the holder keeps open. */
enum { TERMINAL = 0, REPORTS = 1 };

struct plan {
  char *const *argv;
  char *const *envp;
  const int *standard;
  const sigset_t *mask;
  int master;
  int slave;
  int reports;
  int ignores_children; /* SIGCHLD was ignored on entry */
};

/* In the holder. The command shares its memory until exec, and leaves here why that failed. */
static volatile int failed_step;
static volatile int failed_errno;
static volatile pid_t command;
static volatile sig_atomic_t stopped_by;

static void set_handler(int signal, void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, NULL);
}

/* Moves a descriptor out of the way of 0, 1 and 2: perfhud may have been started without one. */
static int above_standard(int descriptor) {
  if (descriptor < 0 || descriptor > 2) return descriptor;
  int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  int error = errno;
  close(descriptor);
  errno = error;
  return moved;
}

_Static_assert(sizeof(struct perfhud_pty_report) <= 512, "at most _POSIX_PIPE_BUF");

static void send_report(int descriptor, const struct perfhud_pty_report *record) {
  /* Shorter than PIPE_BUF: all or nothing. When perfhud has gone, nobody is told. */
  while (write(descriptor, record, sizeof *record) < 0 && errno == EINTR) {
  }
}

static void report(int descriptor, int32_t kind, int32_t value, int32_t detail) {
  struct perfhud_pty_report record = {.kind = kind, .value = value, .detail = detail};
  send_report(descriptor, &record);
}

/* In the process that started the command, whose memory the command's had been until exec. */
static struct perfhud_usage usage_of(const struct rusage *found) {
  struct rusage own;
  getrusage(RUSAGE_SELF, &own);
  struct perfhud_usage usage = {
      .user_nanoseconds = (uint64_t)found->ru_utime.tv_sec * 1000000000 +
                          (uint64_t)found->ru_utime.tv_usec * 1000,
      .system_nanoseconds = (uint64_t)found->ru_stime.tv_sec * 1000000000 +
                            (uint64_t)found->ru_stime.tv_usec * 1000,
      .max_resident_bytes = (uint64_t)found->ru_maxrss * 1024,
      .max_resident_is_bound = found->ru_maxrss <= own.ru_maxrss,
      .minor_faults = (uint64_t)found->ru_minflt,
      .major_faults = (uint64_t)found->ru_majflt,
  };
  return usage;
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
    /* dup2 onto itself would leave close-on-exec as it is. A descriptor that is closed stays so. */
    if (source[i] == i)
      fcntl(i, F_SETFD, 0);
    else if (dup2(source[i], i) < 0)
      return -1;
  }
  return 0;
}

/* Returns only when it fails. The holder is asleep meanwhile, so there is no race for the groups. */
static void run_command(const struct plan *plan) {
  failed_step = PERFHUD_PTY_SPAWN;
  if (setpgid(0, 0) != 0) return;
  /* SIGTTOU is blocked, as all signals are: the kernel lets a background group take the terminal. */
  if (tcsetpgrp(plan->slave, getpid()) != 0) return;
  if (set_standard(plan) != 0) return;
  if (plan->ignores_children) set_handler(SIGCHLD, SIG_IGN);
  failed_step = PERFHUD_PTY_EXEC;
  sigprocmask(SIG_SETMASK, plan->mask, NULL);
  execvpe(plan->argv[0], plan->argv, plan->envp);
}

/* ------------------------------------------------------------------------------- the holder */

/* What the `fg` of a shell does. Only a process of the same session may continue a command that
   runs as another user (sudo), so perfhud sends its SIGCONT here. */
static void pass_continue(int signal) {
  int error = errno;
  /* It wanted the terminal and had lost it, to a job that ended without giving it back. */
  if (stopped_by == SIGTTIN || stopped_by == SIGTTOU) tcsetpgrp(TERMINAL, command);
  pid_t foreground = tcgetpgrp(TERMINAL);
  kill(-command, signal);
  if (foreground > 0 && foreground != command && foreground != getpgrp()) kill(-foreground, signal);
  errno = error;
}

/* Reports stops until the command ends. */
static void watch(siginfo_t *info, struct rusage *usage) {
  for (;;) {
    info->si_pid = 0;
    /* Left unreaped, so that its number stays its own as long as perfhud may send it signals. The
       system call tells the usage too (RUSAGE_BOTH, also with WNOWAIT); the function of the C
       library does not. */
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

static void forget_handlers(void) {
  for (int signal = 1; signal < NSIG; signal++) {
    struct sigaction action;
    if (sigaction(signal, NULL, &action) != 0) continue;
    if (action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL) set_handler(signal, SIG_DFL);
  }
}

static _Noreturn void fail(const struct plan *plan, int step, int error) {
  report(plan->reports, PERFHUD_PTY_FAILED, error, step);
  _exit(1);
}

/* Begins with all signals blocked. */
static _Noreturn void hold(struct plan *plan) {
  prctl(PR_SET_NAME, "perfhud-holder"); /* told apart by ps, top and pkill -x */
  /* Handlers are for perfhud's memory and terminal, not for a copy of them. */
  forget_handlers();
  /* With SIGCHLD ignored there would be no status to wait for. */
  struct sigaction children;
  plan->ignores_children =
      sigaction(SIGCHLD, NULL, &children) == 0 && children.sa_handler == SIG_IGN;
  set_handler(SIGCHLD, SIG_DFL);
  if (setsid() < 0 || ioctl(plan->slave, TIOCSCTTY, 0) != 0)
    fail(plan, PERFHUD_PTY_SPAWN, errno);

  failed_errno = 0;
  pid_t started = vfork();
  if (started == 0) {
    run_command(plan);
    failed_errno = errno;
    _exit(127);
  }
  if (started < 0) fail(plan, PERFHUD_PTY_SPAWN, errno);
  if (failed_errno != 0) {
    while (waitpid(started, NULL, 0) < 0 && errno == EINTR) {
    }
    fail(plan, failed_step, failed_errno);
  }

  /* Above all the master: as long as a copy of it is open, the death of perfhud hangs nothing up. */
  dup2(plan->slave, TERMINAL);
  dup2(plan->reports, REPORTS);
  closefrom(REPORTS + 1);
  command = started;
  set_handler(SIGCONT, pass_continue);
  /* Stops from the terminal, the signals that perfhud is meant by, SIGPIPE: all stay blocked. The
     hang-up ends the holder, and the end of the session's leader hangs up the foreground. */
  sigset_t blocked;
  sigfillset(&blocked);
  sigdelset(&blocked, SIGHUP);
  sigdelset(&blocked, SIGCONT);
  sigprocmask(SIG_SETMASK, &blocked, NULL);
  report(REPORTS, PERFHUD_PTY_STARTED, started, 0);

  siginfo_t info;
  struct rusage usage;
  watch(&info, &usage);

  /* The end of the session's leader hangs up the foreground group, in which a non-interactive shell
     has its background jobs: they live on when the holder itself is in the foreground. */
  set_handler(SIGHUP, SIG_IGN);
  set_handler(SIGCONT, SIG_IGN);
  tcsetpgrp(TERMINAL, getpgrp());
  struct perfhud_pty_report end = {
      .kind = info.si_code == CLD_EXITED ? PERFHUD_PTY_EXITED : PERFHUD_PTY_KILLED,
      .value = info.si_status,
      .detail = info.si_code == CLD_DUMPED,
      .has_usage = 1,
      .usage = usage_of(&usage)};
  send_report(REPORTS, &end);

  /* That hang-up also throws away what perfhud has not read yet, if a job has the terminal open. */
  struct pollfd reader = {.fd = REPORTS};
  while (poll(&reader, 1, -1) < 0 && errno == EINTR) {
  }
  waitid(P_PID, (id_t)command, &info, WEXITED);
  _exit(0);
}

/* ------------------------------------------------------------------------------- in perfhud */

static int open_slave(int master) {
  /* By the master itself, wherever devpts is mounted. */
  int flags = O_RDWR | O_NOCTTY | O_CLOEXEC;
  int slave = ioctl(master, TIOCGPTPEER, flags);
  if (slave >= 0) return slave;
  char name[64];
  if ((errno = ptsname_r(master, name, sizeof name)) != 0) return -1;
  return open(name, flags);
}

static int open_pty(struct plan *plan, const struct termios *modes, const struct winsize *size) {
  plan->master = above_standard(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (plan->master < 0 || grantpt(plan->master) != 0 || unlockpt(plan->master) != 0) return -1;
  plan->slave = above_standard(open_slave(plan->master));
  if (plan->slave < 0) return -1;
  if (modes != NULL && tcsetattr(plan->slave, TCSANOW, modes) != 0) return -1;
  return ioctl(plan->slave, TIOCSWINSZ, size);
}

static void close_if_open(int descriptor) {
  if (descriptor >= 0) close(descriptor);
}

/* The first record, or a failure if the holder was killed before it. */
static struct perfhud_pty_report first_report(int descriptor) {
  struct perfhud_pty_report record = {
      .kind = PERFHUD_PTY_FAILED, .value = ECHILD, .detail = PERFHUD_PTY_SPAWN};
  struct perfhud_pty_report found;
  ssize_t count;
  do count = read(descriptor, &found, sizeof found);
  while (count < 0 && errno == EINTR);
  return count == (ssize_t)sizeof found ? found : record;
}

int perfhud_pty_start(char *const *argv, char *const *envp, const int *standard,
                      const struct termios *modes, const struct winsize *size,
                      const sigset_t *mask, struct perfhud_pty *pty) {
  struct plan plan = {.argv = argv,
                      .envp = envp,
                      .standard = standard,
                      .mask = mask,
                      .master = -1,
                      .slave = -1,
                      .reports = -1};
  int pipe_ends[2] = {-1, -1};
  struct perfhud_pty_report first = {.kind = PERFHUD_PTY_FAILED, .detail = PERFHUD_PTY_OPEN};
  pid_t holder = -1;
  if (open_pty(&plan, modes, size) == 0 && pipe2(pipe_ends, O_CLOEXEC) == 0) {
    pipe_ends[0] = above_standard(pipe_ends[0]);
    pipe_ends[1] = plan.reports = above_standard(pipe_ends[1]);
    /* No handler of perfhud may run in the copy. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    holder = _Fork();
    if (holder == 0) hold(&plan);
    first.value = errno;
    first.detail = PERFHUD_PTY_SPAWN;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  } else {
    first.value = errno;
  }
  close_if_open(plan.slave);
  close_if_open(pipe_ends[1]);
  if (holder > 0) first = first_report(pipe_ends[0]);
  if (first.kind == PERFHUD_PTY_STARTED) {
    fcntl(pipe_ends[0], F_SETFL, O_NONBLOCK);
    pty->master = plan.master;
    pty->reports = pipe_ends[0];
    pty->holder = holder;
    pty->command = first.value;
    pty->step = 0;
    return 0;
  }
  close_if_open(plan.master);
  close_if_open(pipe_ends[0]);
  while (holder > 0 && waitpid(holder, NULL, 0) < 0 && errno == EINTR) {
  }
  pty->step = first.detail;
  errno = first.value;
  return -1;
}

/* ------------------------------------------------------------------------------- without a pty */

pid_t perfhud_direct_start(char *const *argv, char *const *envp, const sigset_t *mask,
                           int *exit_notice, int *step) {
  *step = PERFHUD_PTY_SPAWN;
  /* Where the notice will be, so that a full table is found out before anything has been started. */
  int place = (int)syscall(SYS_pidfd_open, getpid(), 0);
  if (place < 0) return -1;
  volatile int failure = 0;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t started = vfork();
  if (started == 0) {
    /* A copy of perfhud's handlers must not run on perfhud's memory. */
    forget_handlers();
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvpe(argv[0], argv, envp);
    failure = errno;
    _exit(127);
  }
  int error = started < 0 ? errno : failure;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(place);
  if (started > 0 && error == 0) {
    *exit_notice = (int)syscall(SYS_pidfd_open, started, 0);
    if (*exit_notice >= 0) return started;
    error = errno;
    kill(started, SIGKILL);
  } else if (started > 0) {
    *step = PERFHUD_PTY_EXEC;
  }
  while (started > 0 && waitpid(started, NULL, 0) < 0 && errno == EINTR) {
  }
  errno = error;
  return -1;
}

int perfhud_wait_usage(pid_t child, int *status, struct perfhud_usage *usage) {
  struct rusage found;
  pid_t ended;
  do ended = wait4(child, status, 0, &found);
  while (ended < 0 && errno == EINTR);
  if (ended < 0) return -1;
  *usage = usage_of(&found);
  return 0;
}
