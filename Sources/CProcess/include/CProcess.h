#ifndef PERFHUD_CPROCESS_H
#define PERFHUD_CPROCESS_H
/* What only the perfhud program needs: the crash guard, the arguments when /proc is missing, and the processes that it
   starts. Two of the files have constructors (startup.c, launch.c), so no library product may link this target. */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <termios.h>

#include "journal.h"

/* crash.c: when SEGV, BUS, ILL, FPE, ABRT, TRAP or SYS arrives, writes `restore` to `descriptor`, which may be
   non-blocking, sets `modes` on it, and dies by the same signal. Waits up to two seconds for a terminal that takes no
   bytes. Copies both. Call it again to replace them, or with `length` 0 and no modes to switch the guard off. Returns
   0, or -1 and errno. */
int perfhud_crash_guard(int descriptor, const struct termios *_Nullable modes,
                        const uint8_t *_Nullable restore, size_t length);

/* startup.c: the arguments of `main`, without /proc. Call it early: it removes what startup.c has added to the
   environment. Returns their number. */
int perfhud_arguments(char *_Nonnull const *_Nullable *_Nonnull list);
/* startup.c: whether descriptor 0, 1 or 2 was closed at the start. Its number stays taken by a descriptor that can be
   neither read nor written. */
int perfhud_is_closed(int descriptor);

/* words.c: an option of perfhud, by its name without the hyphens. */
struct perfhud_option {
  const char *_Nonnull name;
  char letter; /* the short form; 0: none */
  char takes_value;
  char is_without_hud; /* no HUD over a command with this option, or it opens something that may be opened only once */
};
/* words.c: all options, and the names of all subcommands. Return their number. */
int perfhud_options(const struct perfhud_option *_Nullable *_Nonnull list);
int perfhud_subcommands(const char *_Nonnull const *_Nullable *_Nonnull list);

#define PERFHUD_NO_COMMAND 0
#define PERFHUD_COMMAND 1
#define PERFHUD_SUBCOMMAND 2
/* How the words of a command line are divided, by their indices. */
struct perfhud_words {
  int own_end; /* the index after perfhud's own words, which begin at 1 */
  int number;  /* the one of them that is a PID; 0: none */
  int command; /* the first word of the command or the name of the subcommand; argc: none */
  int kind;
  int is_without_hud, is_nested; /* whether options say so */
};
void perfhud_read_words(int argc, char *_Nonnull const *_Nonnull argv, struct perfhud_words *_Nonnull words);

/* limits.c: whether this many threads or processes (at most 4) can be started in addition to those that exist. 0, or -1
   and errno. */
int perfhud_can_start(int tasks);
/* split.c: whether all processes and threads can be started that a command with a HUD, or a measured command, needs:
   the engine, the holder, the command, the sampler's thread. 0, or -1 and errno. */
int perfhud_can_start_command(void);
/* limits.c: replaces this process with `argv`, found through PATH, with `mask` as the signal mask: execvp(3). Returns
   only on failure: -1 and errno. */
int perfhud_become(char *_Nonnull const *_Nonnull argv, const sigset_t *_Nonnull mask);

/* terminal_lock.c: locks the terminal of a descriptor, so that only this process draws on it. Returns a close-on-exec
   descriptor that has the lock; close it to release the lock. On failure -1 and errno: EADDRINUSE if another process
   has the lock; any other value if this cannot be determined. */
int perfhud_lock_terminal(int descriptor);

/* spawn.c: the processes below the overlay. The command runs on a new pty, as a job of a holder
   that leads the session there: a session leader itself cannot be stopped by Ctrl-Z. */

/* The holder's reports about the command, each one write. */
#define PERFHUD_PTY_STOPPED 1   /* value: the signal */
#define PERFHUD_PTY_CONTINUED 2 /* value: 0 */
#define PERFHUD_PTY_EXITED 3    /* value: the status */
#define PERFHUD_PTY_KILLED 4    /* value: the signal; detail: whether a core was dumped */
/* Read by perfhud_pty_start alone. */
#define PERFHUD_PTY_STARTED 5 /* process: the command */
#define PERFHUD_PTY_FAILED 6  /* value: errno; detail: the step */
/* With EXITED and KILLED: getrusage(2) of the command and of all descendants that were waited for. */
struct perfhud_usage {
  uint64_t user_nanoseconds;
  uint64_t system_nanoseconds;
  /* Of the largest single process. Only an upper bound if it is no more than the launcher had: exec includes the memory
     that the process had before, which is the launcher's. */
  uint64_t max_resident_bytes;
  int32_t max_resident_is_bound;
  uint64_t minor_faults;
  uint64_t major_faults;
  uint64_t read_bytes; /* from and to storage */
  uint64_t written_bytes;
};
struct perfhud_pty_report {
  int32_t kind;
  int32_t value;
  int32_t detail;
  int32_t has_usage;
  int32_t process;
  uint64_t floor_bytes; /* the command's peak RSS as the kernel counts it from the start */
  struct perfhud_usage usage;
};

/* The step at which perfhud_pty_start failed. */
#define PERFHUD_PTY_OPEN 1  /* the pty */
#define PERFHUD_PTY_SPAWN 2 /* the two processes */
#define PERFHUD_PTY_EXEC 3  /* the program itself: execvpe(3) */
struct perfhud_pty {
  int master;    /* close-on-exec, non-blocking */
  int reports;   /* the holder's records; close-on-exec, non-blocking */
  pid_t holder;  /* a child of the caller, which reaps it */
  pid_t command; /* a child of the holder, and the leader of its process group */
  int step;      /* of a failure */
};

/* Starts `argv`, found through PATH, with the environment `envp`, in the foreground of a new pty
   that has `modes` (the kernel's own if there are none) and `size`.

   `standard` specifies descriptors 0, 1 and 2 of the command: -1 is the pty, any other descriptor is passed on. From 3
   on the command inherits all that are not close-on-exec. `mask` becomes its signal mask; ignored signals stay ignored.

   Send the holder SIGCONT to continue the command. After its end is reported, the command remains a zombie, and its
   output can be read, until `reports` is closed; then both are gone at once.

   Returns 0 after the program has been executed; or -1, errno and `step`, and no process remains. */
int perfhud_pty_start(char *_Nonnull const *_Nonnull argv, char *_Nonnull const *_Nonnull envp,
                      const int *_Nonnull standard, const struct termios *_Nullable modes,
                      const struct winsize *_Nonnull size, const sigset_t *_Nonnull mask,
                      struct perfhud_pty *_Nonnull pty);

/* restart.c: the command that a previous engine has started. The holder is not a child of the caller. */
void perfhud_adopt_pty(struct perfhud_pty *_Nonnull pty);

/* A command that runs without a pty, as a child of the caller. */
struct perfhud_direct {
  pid_t command;
  int exit_notice; /* a pidfd of the command; -1 if not available: then SIGCHLD reports its end */
  uint64_t floor_bytes;
  int step; /* of a failure */
};

/* Starts `argv`, found through PATH, with the environment `envp` in the caller's own session, process group and working
   directory. Descriptors that are not close-on-exec are inherited; `mask` becomes its signal mask; ignored signals stay
   ignored. If the caller ignored SIGCHLD, it no longer does.

   Returns 0 after the program has been executed; the caller reaps it. Or returns -1, errno and `step`, and no process
   remains. */
int perfhud_direct_start(char *_Nonnull const *_Nonnull argv, char *_Nonnull const *_Nonnull envp,
                         const sigset_t *_Nonnull mask, struct perfhud_direct *_Nonnull direct);
/* waitid(2) with WNOWAIT: whether a process is a child of the caller, running or not yet reaped. */
int perfhud_is_child(pid_t process);
/* waitid(2) with WNOWAIT: whether a child has ended. */
int perfhud_has_ended(pid_t child);
/* wait4(2) for the end of a child: its status and usage. 0, or -1 and errno. */
int perfhud_wait_usage(pid_t child, uint64_t floor_bytes, int *_Nonnull status,
                       struct perfhud_usage *_Nonnull usage);

/* Runs `command` in /bin/sh, detached: in a new session, with /dev/null as 0, 1 and 2 and no other descriptors, no
   signal blocked or ignored. `variables` are `count` texts NAME=VALUE, which replace those of this process. Returns the
   process, which the caller must reap, or -1 and errno. */
pid_t perfhud_run_detached(const char *_Nonnull command,
                           const char *_Nullable const *_Nonnull variables, int count);

/* memory.c: releases the memory of code that only the start needed. If some of it is needed again, the kernel maps it
   again from its cache. */
void perfhud_release_startup_code(void);

/* build.c: the commit and its day, "1a2b3c4d5e6f, 2026-11-23"; empty if unknown to the build. */
const char *_Nonnull perfhud_build(void);

/* renameat2(2) with RENAME_NOREPLACE: 0, or -1 and errno. */
int perfhud_rename_to_free(const char *_Nonnull from, const char *_Nonnull to);

/* pidfd_open(2): a descriptor for a process, -1 and errno on failure. */
int perfhud_process_open(pid_t pid);
/* pidfd_send_signal(2): 0, or -1 and errno. Signal 0 checks whether the process is alive. */
int perfhud_process_signal(int process, int number);

#endif
