/* Runs a command whose system calls fail as it is told:

     faults [-p NAME]... [-k FIRST] [-e EACH] [-t TIMES] [-m MOST] [-f FILE] [-o REPORT] CALL ERROR -- COMMAND ...

   Of the calls of CALL by threads of the NAMEs (`perfhud` and all that begins with it, if none is given), in the
   order in which they come, the FIRST one fails with ERROR, and each EACH-th one after it, at most TIMES. With FILE
   only those count whose first argument is a descriptor of it. EIO spares pipes, which never fail so. The ERROR
   `short` carries out a read or write of one byte; `none` fails nothing.

   After MOST calls of any kind by perfhud something spins: all is killed and the status is 97. After 20 s something
   hangs: the same, with 96. The report has a line
   for each call that failed (thread, number of the call, what its descriptor is), and last the number of calls.
   With `none` it has a line for each kind of call instead.

   The kernel asks this process about each call (seccomp_unotify(2)). So it works for a static program, and beside
   a process that traces the other. It ends as the command has, after all processes below the filter. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

#define CALL(name) {#name, SYS_##name}
static const struct { const char *name; int number; } calls[] = {
    CALL(read), CALL(pread64), CALL(readv), CALL(write), CALL(pwrite64), CALL(writev), CALL(openat), CALL(close),
    CALL(ioctl), CALL(ppoll), CALL(recvmsg), CALL(recvfrom), CALL(sendmsg), CALL(sendto), CALL(socket),
    CALL(socketpair), CALL(bind), CALL(connect), CALL(eventfd2), CALL(signalfd4), CALL(memfd_create),
    CALL(pidfd_open), CALL(fcntl), CALL(ftruncate), CALL(mmap), CALL(clone), CALL(clone3), CALL(fstat),
    CALL(newfstatat), CALL(getdents64), CALL(lseek), CALL(wait4), CALL(waitid), CALL(kill), CALL(prctl),
    CALL(ptrace), CALL(execve), CALL(dup3), CALL(setsid), CALL(mprotect), CALL(rt_sigprocmask), CALL(pipe2),
    CALL(flock), CALL(unlinkat), CALL(readlinkat), CALL(futex), CALL(munmap), CALL(statx),
    CALL(brk), CALL(mremap), CALL(madvise), CALL(clock_nanosleep), CALL(nanosleep), CALL(timerfd_create),
    CALL(timerfd_settime), CALL(inotify_init1), CALL(inotify_add_watch), CALL(getsockopt), CALL(setsockopt),
    CALL(getsockname), CALL(prlimit64), CALL(sched_getaffinity), CALL(sched_setscheduler), CALL(getrusage),
    CALL(rt_sigaction), CALL(tgkill), CALL(setpgid), CALL(getpgid), CALL(getsid), CALL(fchmod), CALL(mkdirat), CALL(renameat2),
    CALL(fsync), CALL(fdatasync), CALL(uname), CALL(getcwd), CALL(fchdir), CALL(setpriority), CALL(getpriority),
    CALL(fstatfs), CALL(statfs), CALL(capget), CALL(fchown), CALL(linkat), CALL(unshare), CALL(gettid), CALL(getpid),
#ifdef __x86_64__
    CALL(poll), CALL(fork), CALL(vfork), CALL(dup2), CALL(open), CALL(stat), CALL(readlink), CALL(unlink), CALL(mkdir),
    CALL(access), CALL(rename), CALL(chmod), CALL(rmdir), CALL(getdents), CALL(pipe), CALL(pause), CALL(alarm),
#endif
};

static const struct { const char *name; int number; } errors[] = {
    {"EINTR", EINTR},   {"EAGAIN", EAGAIN}, {"ENOSPC", ENOSPC}, {"EMFILE", EMFILE}, {"EPIPE", EPIPE},
    {"EIO", EIO},       {"ENOMEM", ENOMEM}, {"EINVAL", EINVAL}, {"ENOENT", ENOENT}, {"ESRCH", ESRCH},
    {"EPERM", EPERM},   {"ENOTTY", ENOTTY}, {"EACCES", EACCES}, {"ENFILE", ENFILE}, {"ENOBUFS", ENOBUFS},
    {"ENOSYS", ENOSYS}, {"short", -1},      {"none", 0},
};

static long first = 1, each, times = 1 << 30, most = 1 << 30, done, matching, total;
static int wanted = -1, error, listener;
static const char *names[8], *file;
static int name_count;
static FILE *report;
static long counts[512];

static _Noreturn void fail(const char *what) {
  fprintf(stderr, "faults: %s: %s\n", what, strerror(errno));
  _exit(98);
}

/* ------------------------------------------------------------------------------- who it is */

static void read_name(int thread, char *name, size_t room) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/comm", thread);
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t count = descriptor < 0 ? 0 : read(descriptor, name, room - 1);
  if (descriptor >= 0) close(descriptor);
  if (count > 0 && name[count - 1] == '\n') count--;
  name[count > 0 ? count : 0] = 0;
}

static int is_wanted(const char *name) {
  if (name_count == 0) return strncmp(name, "perfhud", 7) == 0;
  for (int i = 0; i < name_count; i++)
    if (strcmp(names[i], name) == 0) return 1;
  return 0;
}

static int process_of(int thread) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%d/status", thread);
  FILE *file = fopen(path, "re");
  int process = thread;
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "Tgid: %d", &process) == 1) break;
  if (file != NULL) fclose(file);
  return process;
}

/* ------------------------------------------------------------------------------- what becomes of a call */

/* Has to be asked after everything that was learned through the number of the thread. */
static int is_alive(uint64_t id) { return ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0; }

/* A byte that was read for a process that was killed before it had it: the next reader of the file gets it, as it would
   from the kernel, which does not read for a process that is gone. A supervisor kills an engine that a busy machine keeps
   waiting too long for its answers. */
static struct {
  int is_kept;
  unsigned char byte;
  struct stat file;
  int terminal;
} kept;

/* The number of the terminal that a master belongs to, since all masters are one file; -1 for others. */
static int terminal_of(int descriptor) {
  int number;
  return ioctl(descriptor, TIOCGPTN, &number) == 0 ? number : -1;
}

static void keep(int descriptor, unsigned char byte) {
  if (fstat(descriptor, &kept.file) != 0) return;
  kept.byte = byte;
  kept.terminal = terminal_of(descriptor);
  kept.is_kept = 1;
}

static int is_kept_of(int descriptor) {
  struct stat file;
  return kept.is_kept && fstat(descriptor, &file) == 0 && file.st_dev == kept.file.st_dev &&
         file.st_ino == kept.file.st_ino && terminal_of(descriptor) == kept.terminal;
}

static long long read_byte(int descriptor, const struct seccomp_data *data, unsigned char *byte) {
  if (data->nr == SYS_pread64) return pread(descriptor, byte, 1, (off_t)data->args[3]);
  if (!is_kept_of(descriptor)) return read(descriptor, byte, 1);
  kept.is_kept = 0;
  *byte = kept.byte;
  return 1;
}

/* Carries out a read or write of one byte; whether it was. One that would wait is left to the kernel.

   `source` becomes the descriptor that a byte was taken from, and `taken` the byte. */
static int call_short(const struct seccomp_notif *asked, long long *result, int *source, unsigned char *taken) {
  const struct seccomp_data *data = &asked->data;
  int is_read = data->nr == SYS_read || data->nr == SYS_pread64;
  int is_write = data->nr == SYS_write;
  if ((!is_read && !is_write) || data->args[2] < 2) return 0;
  int process = (int)syscall(SYS_pidfd_open, process_of((int)asked->pid), 0);
  int descriptor = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, (int)data->args[0], 0);
  if (process >= 0) close(process);
  if (descriptor < 0) return 0;
  char path[64];
  unsigned char byte;
  struct pollfd ready = {.fd = descriptor, .events = is_read ? POLLIN : POLLOUT};
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  char target[128];
  ssize_t length = readlink(path, target, sizeof target - 1);
  target[length > 0 ? length : 0] = 0;
  /* What comes in records has no part of one. */
  int is_stream = strncmp(target, "anon_inode:", 11) != 0 && strncmp(target, "socket:", 7) != 0;
  /* Reports are shorter than PIPE_BUF, and so whole. */
  if (strncmp(target, "pipe:", 5) == 0 && data->args[2] < 512) is_stream = 0;
  int was_done = 0;
  struct iovec own = {&byte, 1}, other = {(void *)(uintptr_t)data->args[1], 1};
  int has_kept = data->nr == SYS_read && is_kept_of(descriptor);
  if (is_stream && (has_kept || poll(&ready, 1, 0) > 0)) {
    if (is_write) {
      was_done = process_vm_readv((pid_t)asked->pid, &own, 1, &other, 1, 0) == 1 && is_alive(asked->id);
      if (was_done) *result = write(descriptor, &byte, 1);
    } else {
      *result = read_byte(descriptor, data, &byte);
      was_done = 1;
      if (*result == 1 && data->nr == SYS_read) {
        *source = dup(descriptor);
        *taken = byte;
      }
      if (*result == 1 && process_vm_writev((pid_t)asked->pid, &own, 1, &other, 1, 0) != 1) *result = -EFAULT;
    }
    if (was_done && *result < 0) *result = -errno;
  }
  close(descriptor);
  return was_done;
}

/* What the descriptor of a call is; empty if it has none. */
static void find_target(const struct seccomp_notif *asked, char *target, size_t room) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)asked->pid, (int)asked->data.args[0]);
  ssize_t length = readlink(path, target, room - 1);
  target[length > 0 ? length : 0] = 0;
}

static int is_wanted_file(const struct seccomp_notif *asked) {
  char target[256];
  if (file == NULL && error != EIO) return 1;
  find_target(asked, target, sizeof target);
  /* A pipe never fails with EIO. */
  if (error == EIO && strncmp(target, "pipe:", 5) == 0) return 0;
  return file == NULL || strcmp(target, file) == 0;
}

/* Where the data segment of a process ends, to the page. */
static unsigned long long end_of_data(int thread) {
  char path[64], line[512];
  unsigned long long end = 0, start = 0;
  snprintf(path, sizeof path, "/proc/%d/maps", thread);
  FILE *file = fopen(path, "re");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (strstr(line, "[heap]") != NULL && sscanf(line, "%*x-%llx", &end) == 1) break;
  if (file != NULL) fclose(file);
  if (end != 0) return end;
  /* Without one there is only its start, the 47th field of `stat`. */
  snprintf(path, sizeof path, "/proc/%d/stat", thread);
  file = fopen(path, "re");
  size_t length = file == NULL ? 0 : fread(line, 1, sizeof line - 1, file);
  if (file != NULL) fclose(file);
  line[length] = 0;
  char *field = strrchr(line, ')');
  for (int number = 2; field != NULL && number < 47; number++) {
    field = strchr(field, ' ');
    if (field != NULL) field++;
  }
  if (field != NULL) start = strtoull(field, NULL, 10);
  return start;
}

static void tell(const struct seccomp_notif *asked, const char *name) {
  char target[256];
  find_target(asked, target, sizeof target);
  if (report != NULL) fprintf(report, "%s %ld %s\n", name, matching, target);
}

static void answer(const struct seccomp_notif *asked) {
  struct seccomp_notif_resp response = {.id = asked->id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
  char name[32];
  int source = -1;
  unsigned char taken = 0;
  read_name((int)asked->pid, name, sizeof name);
  if (strncmp(name, "perfhud", 7) == 0) {
    total++;
    if (asked->data.nr >= 0 && asked->data.nr < 512) counts[asked->data.nr]++;
  }
  if (asked->data.nr == wanted && error != 0 && is_wanted(name) && is_wanted_file(asked)) {
    matching++;
    int is_due = matching == first || (each > 0 && matching > first && (matching - first) % each == 0);
    if (is_due && done < times) {
      if (error > 0) {
        tell(asked, name);
        done++;
        response.flags = 0;
        /* brk(2) itself returns no error: the kernel tells the end as it was. */
        if (wanted == SYS_brk) response.val = (long long)end_of_data((int)asked->pid);
        else response.error = -error;
      } else if (call_short(asked, &response.val, &source, &taken)) {
        tell(asked, name);
        done++;
        response.flags = 0;
        if (response.val < 0) {
          response.error = (int)response.val;
          response.val = 0;
        }
      }
    }
  }
  /* It may have been killed meanwhile. */
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response) != 0) {
    if (errno != ENOENT) fail("answer");
    if (source >= 0) keep(source, taken);
  }
  if (source >= 0) close(source);
}

/* ------------------------------------------------------------------------------- the command */

static _Noreturn void become_command(char **command, volatile int *opened) {
  struct sock_filter program[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF)};
  struct sock_fprog filter = {.len = sizeof program / sizeof program[0], .filter = program};
  if (geteuid() != 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("no new privileges");
  unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
  long made = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
  if (made < 0) fail("seccomp");
  *opened = (int)made;
  execvp(command[0], command);
  fail(command[0]);
}

static int find(const char *name) {
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
    if (strcmp(calls[i].name, name) == 0) return calls[i].number;
  errno = EINVAL;
  fail(name);
}

static int find_error(const char *name) {
  for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
    if (strcmp(errors[i].name, name) == 0) return errors[i].number;
  errno = EINVAL;
  fail(name);
}

static void write_report(void) {
  if (report == NULL) return;
  if (error == 0)
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
      if (counts[calls[i].number] > 0) fprintf(report, "%s %ld\n", calls[i].name, counts[calls[i].number]);
  fprintf(report, "calls %ld\n", total);
  fclose(report);
}

static _Noreturn void end(int status) {
  write_report();
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  signal(WTERMSIG(status), SIG_DFL);
  sigset_t mask;
  sigemptyset(&mask);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  raise(WTERMSIG(status));
  _exit(128 + WTERMSIG(status));
}

/* Without answers they could not even end. */
static void kill_below(int process) {
  char path[64], children[4096];
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", process, process);
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t count = descriptor < 0 ? 0 : read(descriptor, children, sizeof children - 1);
  if (descriptor >= 0) close(descriptor);
  children[count > 0 ? count : 0] = 0;
  for (char *at = children; *at >= '0';) {
    int child = (int)strtol(at, &at, 10);
    kill_below(child);
    kill(child, SIGKILL);
    while (*at == ' ') at++;
  }
}

static volatile sig_atomic_t is_late;

static void note_lateness(int signal) { is_late = signal; }

static _Noreturn void give_up(int status, const char *words) {
  write_report();
  kill_below(getpid());
  fprintf(stderr, "faults: %s\n", words);
  _exit(status);
}

/* Answers until the last process below the filter has ended. */
static void serve(void) {
  struct seccomp_notif asked;
  for (;;) {
    struct pollfd ready = {.fd = listener, .events = POLLIN};
    int count = poll(&ready, 1, -1);
    if (is_late) give_up(96, "it hangs");
    if (count < 0) continue;
    if (!(ready.revents & POLLIN)) return;
    memset(&asked, 0, sizeof asked);
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) {
      if (errno == ENOENT || errno == EINTR) continue;
      fail("receive");
    }
    answer(&asked);
    if (total > most) give_up(97, "it spins");
  }
}

int main(int argc, char **argv) {
  int option;
  while ((option = getopt(argc, argv, "+p:k:e:t:m:f:o:")) >= 0) {
    switch (option) {
    case 'p':
      if (name_count < 8) names[name_count++] = optarg;
      break;
    case 'k': first = atol(optarg); break;
    case 'e': each = atol(optarg); break;
    case 't': times = atol(optarg); break;
    case 'm': most = atol(optarg); break;
    case 'f': file = optarg; break;
    case 'o':
      if ((report = fopen(optarg, "we")) == NULL) fail(optarg);
      break;
    default: return 98;
    }
  }
  if (argc - optind < 4) return 98;
  error = find_error(argv[optind + 1]);
  wanted = find(argv[optind]);
  char **command = argv + optind + 3;
  int *opened = mmap(NULL, sizeof *opened, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (opened == MAP_FAILED) fail("memory");
  *opened = -1;
  /* To find those whose parents have ended. */
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  /* The keys and the hang-up of the terminal are for the command. */
  signal(SIGHUP, SIG_IGN);
  int ignored[] = {SIGINT, SIGQUIT, SIGTSTP};
  for (int i = 0; i < 3; i++) signal(ignored[i], SIG_IGN);
  /* With the descriptors of this process, so that the listener is one of them: to hand it over would be a call. */
  pid_t child = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
  if (child < 0) fail("clone");
  if (child == 0) {
    signal(SIGHUP, SIG_DFL);
    for (int i = 0; i < 3; i++) signal(ignored[i], SIG_DFL);
    become_command(command, opened);
  }
  int status;
  while (*(volatile int *)opened < 0) {
    if (waitpid(child, &status, WNOHANG) == child) end(status);
    sched_yield();
  }
  listener = *opened;
  struct sigaction late = {.sa_handler = note_lateness};
  sigaction(SIGALRM, &late, NULL);
  alarm(20);
  serve();
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  end(status);
}
