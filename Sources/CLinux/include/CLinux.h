#ifndef PERFHUD_CLINUX_H
#define PERFHUD_CLINUX_H
/* Linux calls that Swift's Glibc module leaves out, because they stand in headers that it does not
   include, need _GNU_SOURCE, or are variadic. Each function is one system call and nothing else,
   except crash.c, startup.c, spawn.c, launch.c, orphans.c and memory.c, which say so. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/types.h>
#include <termios.h>
#include <time.h>

/* pidfd_open(2): a descriptor that becomes readable when the process ends. -1 and errno on failure. */
int perfhud_pidfd_open(pid_t pid);
/* ppoll(2) with a relative timeout in nanoseconds; a negative timeout waits for ever. */
int perfhud_ppoll(struct pollfd *_Nonnull descriptors, unsigned count, int64_t timeout_nanoseconds);
/* pthread_setname_np(3) for the calling thread; at most 15 bytes. */
int perfhud_thread_set_name(const char *_Nonnull name);
/* memfd_create(2), close-on-exec. */
int perfhud_memfd_create(const char *_Nonnull name);
/* getdents64(2). */
long perfhud_getdents64(int descriptor, void *_Nonnull buffer, size_t size);
/* prlimit(2), soft limit of RLIMIT_AS of `pid`; UINT64_MAX for none. 0, or -1 and errno. */
int perfhud_address_space_limit(pid_t pid, uint64_t *_Nonnull limit);

/* What this process holds, read by the process itself. Zeroed at first; the file stays open. */
struct perfhud_own_memory {
  int32_t descriptor;       /* of /proc/self/statm, close-on-exec */
  pid_t owner;              /* the process that opened it; 0: none has */
  uint64_t resident_bytes;  /* field 2 of statm */
  uint64_t anonymous_bytes; /* field 2 - field 3 of statm */
  uint64_t faulted_bytes;   /* ru_minflt of getrusage(2), times the size of a page */
};
/* Reads it anew, two system calls and no allocation. 0, or -1 where it cannot be read. */
int perfhud_read_own_memory(struct perfhud_own_memory *_Nonnull memory);

/* A datagram that was received: who sent it, and when, by the kernel. */
struct perfhud_datagram {
  uint32_t length;
  int32_t was_cut;             /* it was longer than its room */
  int32_t has_sender;          /* pid and uid are known */
  int32_t pid;                 /* in this pid namespace; 0 if the sender is in none below */
  uint32_t uid;
  int32_t has_time;
  uint64_t wall_nanoseconds;   /* CLOCK_REALTIME when it was sent */
};
#define PERFHUD_DATAGRAMS 16
/* recvmmsg(2), never waiting: up to `count` (at most PERFHUD_DATAGRAMS) datagrams, each into `room`
   bytes of `buffer`. Returns how many, or -1 and errno. */
int perfhud_receive(int descriptor, uint8_t *_Nonnull buffer, size_t room,
                    struct perfhud_datagram *_Nonnull list, unsigned count);
/* unix(7): a datagram socket, close-on-exec and non-blocking. For one that receives, the kernel adds the
   sender's credentials and the time of sending, and its file has mode 0600. The descriptor, or -1 and
   errno. */
int perfhud_datagram_socket(int receives);
/* bind(2) or connect(2) to a path; ENAMETOOLONG beyond 107 bytes. 0, or -1 and errno. */
int perfhud_bind_path(int descriptor, const char *_Nonnull path);
int perfhud_connect_path(int descriptor, const char *_Nonnull path);
/* send(2) that neither waits nor raises SIGPIPE. The bytes, or -1 and errno. */
long perfhud_send(int descriptor, const uint8_t *_Nonnull bytes, size_t length);
/* setfsuid(2) for the calling thread: files are made and found as that user. Returns the user before. */
uid_t perfhud_set_file_user(uid_t user);
/* inotify(7): a descriptor, close-on-exec and non-blocking, that becomes readable when the file at the
   path is written to, moved or removed; -1 and errno. */
int perfhud_watch_open(void);
int perfhud_watch_add(int descriptor, const char *_Nonnull path);
void perfhud_watch_remove(int descriptor, int watch);
/* mallinfo2(3): bytes that the allocator has taken from the kernel, and those of them that are free. */
void perfhud_allocator(uint64_t *_Nonnull taken_bytes, uint64_t *_Nonnull free_bytes);
/* malloc_trim(3): whether memory was given back. */
int perfhud_give_back(void);

/* crash.c: when one of SEGV, BUS, ILL, FPE, ABRT or TRAP arrives, write `restore` to `descriptor`, set
   `modes` on it, and die by the same signal. Both are copied; call again to replace them, with
   `length` 0 to switch the guard off. Returns 0, or -1 and errno. */
int perfhud_crash_guard(int descriptor, const struct termios *_Nullable modes,
                        const uint8_t *_Nullable restore, size_t length);

/* ioctl_tty(2), TIOCGDEV: the number of the terminal itself, so that two descriptors of one terminal
   compare equal even when one of them is /dev/tty. 0, or -1 and errno. */
int perfhud_terminal_device(int descriptor, uint32_t *_Nonnull device);

/* startup.c: the arguments as `main` got them, without a way through /proc. Call it early: it takes
   back what startup.c has put into the environment. Returns their number. */
int perfhud_arguments(char *_Nonnull const *_Nullable *_Nonnull list);

/* spawn.c: the processes below the overlay. The command runs on a new pty, as a job of a holder
   that leads the session there: a session leader itself cannot be stopped by Ctrl-Z. */

/* What the holder says about the command, each record written at once. */
#define PERFHUD_PTY_STOPPED 1   /* value: the signal */
#define PERFHUD_PTY_CONTINUED 2 /* value: 0 */
#define PERFHUD_PTY_EXITED 3    /* value: the status */
#define PERFHUD_PTY_KILLED 4    /* value: the signal; detail: whether a core was dumped */
/* Read by perfhud_pty_start, which does not hand them on. */
#define PERFHUD_PTY_STARTED 5 /* process: the command */
#define PERFHUD_PTY_FAILED 6  /* value: errno; detail: the step */
/* With EXITED and KILLED: getrusage(2) of the command and of all descendants that were waited for. */
struct perfhud_usage {
  uint64_t user_nanoseconds;
  uint64_t system_nanoseconds;
  /* Of the largest single process. An upper bound if it is no more than the launcher had: exec counts
     the memory that the new process had before, which is that of the launcher. */
  uint64_t max_resident_bytes;
  int32_t max_resident_is_bound;
  uint64_t minor_faults;
  uint64_t major_faults;
};
struct perfhud_pty_report {
  int32_t kind;
  int32_t value;
  int32_t detail;
  int32_t has_usage;
  int32_t process;
  uint64_t floor_bytes; /* what the kernel counts as the command's peak RSS from the start */
  struct perfhud_usage usage;
};

/* What perfhud_pty_start was at when it failed. */
#define PERFHUD_PTY_OPEN 1  /* the pty */
#define PERFHUD_PTY_SPAWN 2 /* the two processes */
#define PERFHUD_PTY_EXEC 3  /* the program itself: execvpe(3) */
struct perfhud_pty {
  int master;    /* close-on-exec, non-blocking */
  int reports;   /* records of the holder; close-on-exec, non-blocking */
  pid_t holder;  /* a child of the caller, who reaps it */
  pid_t command; /* a child of the holder, and the leader of its process group */
  int step;      /* of a failure */
};

/* Starts `argv`, found through PATH, with the environment `envp`, in the foreground of a new pty
   that has `modes` (the kernel's own if there are none) and `size`.

   `standard` says what becomes of its descriptors 0, 1 and 2: -1 is the pty, any other descriptor
   is passed on. Beyond 2 it inherits what is not close-on-exec. `mask` becomes its signal mask;
   ignored signals stay ignored.

   A SIGCONT for the holder continues the command. After the report of the end the command remains
   a zombie, and what it wrote can be read, until `reports` is closed: then both are gone at once.

   Returns 0 after the program has been executed, or -1, errno and `step`; then nothing is left. */
int perfhud_pty_start(char *_Nonnull const *_Nonnull argv, char *_Nonnull const *_Nonnull envp,
                      const int *_Nonnull standard, const struct termios *_Nullable modes,
                      const struct winsize *_Nonnull size, const sigset_t *_Nonnull mask,
                      struct perfhud_pty *_Nonnull pty);

/* A command that runs without a pty, as a child of the caller. */
struct perfhud_direct {
  pid_t command;
  int exit_notice; /* a pidfd of it; -1 where there is none: then SIGCHLD says that it has ended */
  uint64_t floor_bytes;
  int step; /* of a failure */
};

/* Starts `argv`, found through PATH, with the environment `envp` in the caller's own session, process
   group and working directory. Descriptors that are not close-on-exec are inherited; `mask` becomes
   its signal mask; ignored signals stay ignored. If SIGCHLD was ignored, the caller ignores it no longer.

   Returns 0 after the program has been executed; the caller reaps it. Or -1, errno and `step`; then
   nothing is left. */
int perfhud_direct_start(char *_Nonnull const *_Nonnull argv, char *_Nonnull const *_Nonnull envp,
                         const sigset_t *_Nonnull mask, struct perfhud_direct *_Nonnull direct);
/* waitid(2), taking nothing: whether a child has ended. */
int perfhud_has_ended(pid_t child);
/* wait4(2) for the end of a child: its status and usage. 0, or -1 and errno. */
int perfhud_wait_usage(pid_t child, uint64_t floor_bytes, int *_Nonnull status,
                       struct perfhud_usage *_Nonnull usage);

/* orphans.c: prctl(2), PR_SET_CHILD_SUBREAPER. 0, or -1 and errno. */
int perfhud_become_subreaper(void);
/* waitid(2), taking nothing: whether this process has children. */
int perfhud_has_children(void);
/* wait4(2), never waiting, for a child that has ended, other than `except`: its status, its session and
   the CPU time that it and the descendants it had waited for have used. Its number, or 0 if there is
   none. */
pid_t perfhud_reap_orphan(pid_t except, int *_Nonnull status, pid_t *_Nonnull session,
                          uint64_t *_Nonnull used_nanoseconds);

/* Runs `command` in /bin/sh by itself: in a session of its own, with /dev/null on 0, 1 and 2 and
   nothing beyond, no signal blocked or ignored. `variables` are `count` texts NAME=VALUE, in the
   place of those of this process. Returns the process, which the caller has to reap, or -1 and
   errno. */
pid_t perfhud_run_detached(const char *_Nonnull command,
                           const char *_Nullable const *_Nonnull variables, int count);

#endif
