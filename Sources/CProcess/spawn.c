/* perfhud → holder → command, on a pty with job control; at the end, a command without a pty.

   If a program leads its own session, no process could continue it, so the kernel discards its Ctrl-Z. Therefore the
   holder leads the session and does nothing else, and the command is its job, in a process group of its own, as under a
   shell. launch.c describes what a holder does, and why it is a separate program. */
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Moves a descriptor above 0, 1 and 2: perfhud may have been started without one of these. */
static int above_standard(int descriptor) {
  if (descriptor < 0 || descriptor > 2) return descriptor;
  int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  int error = errno;
  close(descriptor);
  errno = error;
  return moved;
}

static void close_if_open(int descriptor) {
  if (descriptor >= 0) close(descriptor);
}

static void reap(pid_t child) {
  while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
  }
}

/* An engine that follows another one already has a running command. */
static void refuse_second_command(void) {
  if (perfhud_is_taking_over()) perfhud_end_engine("it would have started your program again");
}

/* ------------------------------------------------------------------------------- the launcher */

/* This program's entry point; null if the code is in a library loaded by another program. */
extern const char program_start[] __asm__("_start") __attribute__((weak));

/* execve(2) of perfhud's own program. Returns only on failure. */
static void execute_anew(char *const *argv, char *const *envp) {
  /* The kernel has executed a dynamic linker that was given this program to load. */
  if (getauxval(AT_ENTRY) != (unsigned long)program_start) return;
  execve("/proc/self/exe", argv, envp);
  /* /proc is not mounted, or belongs to another PID namespace. */
  const char *path = (const char *)getauxval(AT_EXECFN);
  if (path != NULL) execve(path, argv, envp);
}

/* Runs in the child of vfork, which has its own descriptor table. */
static void execute_launcher(const struct plan *plan, unsigned marked, char *const *argv) {
  /* If one of these could not be passed on, that would be noticed too late. */
  if (fcntl(plan->reports, F_SETFD, 0) != 0) return;
  if (plan->slave >= 0 && fcntl(plan->slave, F_SETFD, 0) != 0) return;
  for (int i = 0; i < 3; i++)
    if ((marked >> i & 1) && fcntl(plan->standard[i], F_SETFD, 0) != 0) return;
  execute_anew(argv, plan->envp);
}

/* Returns the process, or -1 if the program cannot be executed again. Call it with all signals blocked. */
static pid_t start_launcher(const struct plan *plan) {
  unsigned marked = 0;
  for (int i = 0; i < 3; i++)
    if (plan->standard[i] > 2 && (fcntl(plan->standard[i], F_GETFD) & FD_CLOEXEC)) marked |= 1u << i;
  unsigned long long bits = 0;
  for (int signal = 1; signal <= KERNEL_SIGNALS; signal++)
    if (sigismember(plan->mask, signal) == 1) bits |= 1ull << (signal - 1);
  char text[LAUNCHER_PLAN_ROOM];
  snprintf(text, sizeof text, LAUNCHER_PLAN "%d %d %d %d %d %u %d %llu", plan->reports, plan->slave,
           plan->standard[0], plan->standard[1], plan->standard[2], marked, plan->ignores_children, bits);
  size_t count = 0;
  while (plan->argv[count] != NULL) count++;
  char **argv = calloc(count + 3, sizeof *argv);
  if (argv == NULL) return -1;
  argv[0] = LAUNCHER_NAME;
  argv[1] = text;
  memcpy(argv + 2, plan->argv, count * sizeof *argv);
  volatile int has_failed = 0;
  pid_t started = vfork();
  if (started == 0) {
    /* perfhud's handlers must not run here on perfhud's memory: all signals are blocked, and exec resets handlers. */
    execute_launcher(plan, marked, argv);
    has_failed = 1;
    _exit(127);
  }
  free(argv);
  if (!has_failed) return started;
  reap(started);
  return -1;
}

/* The next record; if there is none, an unknown failure. */
static struct perfhud_pty_report next_report(int descriptor) {
  struct perfhud_pty_report none = {
      .kind = PERFHUD_PTY_FAILED, .value = ECHILD, .detail = PERFHUD_PTY_SPAWN};
  struct perfhud_pty_report found;
  ssize_t count;
  do count = read(descriptor, &found, sizeof found);
  while (count < 0 && (errno == EINTR || errno == EAGAIN));
  return count == (ssize_t)sizeof found ? found : none;
}

/* A process that carries out a plan, and its first report about the command. */
struct launched {
  pid_t process; /* -1: none */
  int reports;
  struct perfhud_pty_report first;
};

/* Launches as a separate program, or as a fork of perfhud. */
static struct launched launch(struct plan *plan, int is_fork) {
  struct launched launched = {.process = -1, .reports = -1};
  launched.first =
      (struct perfhud_pty_report){.kind = PERFHUD_PTY_FAILED, .detail = PERFHUD_PTY_SPAWN};
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) {
    launched.first.value = errno;
    return launched;
  }
  launched.reports = above_standard(ends[0]);
  plan->reports = above_standard(ends[1]);
  /* The supervisor must be able to take over from the command's first moment. */
  if (plan->slave >= 0) perfhud_hand_over_pty(plan->master, launched.reports);
  /* No handler of perfhud may run in the copy. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  launched.process = is_fork ? _Fork() : start_launcher(plan);
  if (is_fork && launched.process == 0) perfhud_hold(plan);
  launched.first.value = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close_if_open(plan->reports);
  if (launched.process > 0) launched.first = next_report(launched.reports);
  return launched;
}

/* Ignores anything that it still does. */
static void forget(struct launched *launched) {
  close_if_open(launched->reports);
  if (launched->process > 0) kill(launched->process, SIGKILL);
  reap(launched->process);
  launched->process = launched->reports = -1;
}

/* Launches as a separate program. Returns false if that has not understood the plan; then nothing has been started. */
static int launch_program(struct plan *plan, struct launched *launched) {
  *launched = launch(plan, 0);
  if (launched->process > 0 && launched->first.kind == PERFHUD_PTY_READY) {
    launched->first = next_report(launched->reports);
    return 1;
  }
  /* The executed program was not perfhud but a dynamic linker or an emulator. */
  forget(launched);
  return 0;
}

/* ------------------------------------------------------------------------------- on a pty */

static int open_slave(int master) {
  /* Opened through the master itself, wherever devpts is mounted. */
  int flags = O_RDWR | O_NOCTTY | O_CLOEXEC;
  int slave = ioctl(master, TIOCGPTPEER, flags);
  if (slave >= 0) return slave;
  char name[64];
  if ((errno = ptsname_r(master, name, sizeof name)) != 0) return -1;
  return open(name, flags);
}

static int open_pty(int *master, struct plan *plan, const struct termios *modes,
                    const struct winsize *size) {
  *master = above_standard(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (*master < 0 || grantpt(*master) != 0 || unlockpt(*master) != 0) return -1;
  plan->master = *master;
  plan->slave = above_standard(open_slave(*master));
  if (plan->slave < 0) return -1;
  if (modes != NULL && tcsetattr(plan->slave, TCSANOW, modes) != 0) return -1;
  return ioctl(plan->slave, TIOCSWINSZ, size);
}

int perfhud_pty_start(char *const *argv, char *const *envp, const int *standard,
                      const struct termios *modes, const struct winsize *size,
                      const sigset_t *mask, struct perfhud_pty *pty) {
  struct plan plan = {.argv = argv, .envp = envp, .standard = standard, .mask = mask, .slave = -1};
  int master = -1;
  refuse_second_command();
  struct launched launched = {.process = -1, .reports = -1};
  if (open_pty(&master, &plan, modes, size) != 0) {
    launched.first.value = errno;
    launched.first.detail = PERFHUD_PTY_OPEN;
  } else if (!launch_program(&plan, &launched)) {
    launched = launch(&plan, 1);
  }
  close_if_open(plan.slave);
  if (launched.first.kind == PERFHUD_PTY_STARTED) {
    fcntl(launched.reports, F_SETFL, O_NONBLOCK);
    pty->master = master;
    pty->reports = launched.reports;
    pty->holder = launched.process;
    pty->command = launched.first.process;
    perfhud_set_command(pty->command);
    pty->step = 0;
    return 0;
  }
  close_if_open(master);
  forget(&launched);
  pty->step = launched.first.detail;
  errno = launched.first.value;
  return -1;
}

/* ------------------------------------------------------------------------------- without a pty */

/* Starts the command as a child of this process; the launcher ends once the command has been executed. */
static struct start start_beside(struct plan *plan) {
  struct launched launched;
  if (launch_program(plan, &launched)) {
    struct perfhud_pty_report first = launched.first;
    forget(&launched);
    if (first.kind == PERFHUD_PTY_STARTED)
      return (struct start){.command = first.process, .floor_bytes = first.floor_bytes};
    reap(first.process);
    return (struct start){.command = -1, .step = first.detail, .error = first.value};
  }
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  struct start start = perfhud_start_command(plan, 0);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return start;
}

int perfhud_direct_start(char *const *argv, char *const *envp, const sigset_t *mask,
                         struct perfhud_direct *direct) {
  static const int standard[3] = {-1, -1, -1};
  refuse_second_command();
  struct plan plan = {.argv = argv, .envp = envp, .standard = standard, .mask = mask, .slave = -1};
  /* If SIGCHLD were ignored, there would be no status to wait for here. The command still ignores it. */
  struct sigaction children;
  plan.ignores_children =
      sigaction(SIGCHLD, NULL, &children) == 0 && children.sa_handler == SIG_IGN;
  if (plan.ignores_children) signal(SIGCHLD, SIG_DFL);
  struct start start = start_beside(&plan);
  if (start.command < 0) {
    direct->step = start.step;
    errno = start.error;
    return -1;
  }
  direct->command = start.command;
  direct->floor_bytes = start.floor_bytes;
  /* Not every kernel has this call, and not every container allows it. */
  direct->exit_notice = (int)syscall(SYS_pidfd_open, start.command, 0);
  return 0;
}

int perfhud_is_child(pid_t process) {
  siginfo_t info;
  int result;
  do result = waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT);
  while (result != 0 && errno == EINTR);
  return result == 0;
}

int perfhud_has_ended(pid_t child) {
  siginfo_t info;
  do info.si_pid = 0;
  while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == EINTR);
  return info.si_pid == child;
}

int perfhud_wait_usage(pid_t child, uint64_t floor_bytes, int *status, struct perfhud_usage *usage) {
  struct rusage found;
  pid_t ended;
  do ended = wait4(child, status, 0, &found);
  while (ended < 0 && errno == EINTR);
  if (ended < 0) return -1;
  *usage = perfhud_usage_of(&found, floor_bytes);
  return 0;
}
