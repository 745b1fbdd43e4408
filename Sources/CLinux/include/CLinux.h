#ifndef PERFHUD_CLINUX_H
#define PERFHUD_CLINUX_H
/* Linux calls that Swift's Glibc module leaves out, because they stand in headers that it does not
   include, need _GNU_SOURCE, or are variadic. Each function is one system call and nothing else,
   except crash.c and startup.c, which say so. */
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

#endif
