/* The last resort: restores the terminal when the program crashes.
   Only async-signal-safe calls (signal-safety(7)): write, poll, clock_gettime, tcsetattr, sigaction, raise. */
#include "CProcess.h"

#include "milliseconds.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGILL,  SIGFPE,
                                    SIGABRT, SIGTRAP, SIGSYS};
/* How long a crashed process waits for a terminal that takes no bytes (Ctrl-S). */
enum { PATIENCE_MILLISECONDS = 2000 };

/* The handler may run between any two stores: the bytes and modes count only once `restore_length` and `has_modes` have
   been stored. */
static volatile sig_atomic_t guarded_descriptor = -1;
static atomic_int has_modes;
static struct termios guarded_modes;
static uint8_t restore_bytes[1024];
static atomic_size_t restore_length;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LONG_LOCK_FREE == 2, "usable in a signal handler");
/* After a stack overflow the handler cannot run on the overflowed stack. */
static uint8_t crash_stack[16384];

/* Waits until the descriptor takes bytes again. Returns whether it may. */
static int wait_for_room(int descriptor, int64_t deadline) {
  struct pollfd entry = {.fd = descriptor, .events = POLLOUT};
  int64_t left = deadline - milliseconds_now();
  return left > 0 && (poll(&entry, 1, (int)left) > 0 || errno == EINTR);
}

static void on_crash(int signal) {
  int error = errno;
  int descriptor = guarded_descriptor;
  size_t length = atomic_load(&restore_length);
  size_t done = 0;
  int64_t deadline = length > 0 ? milliseconds_now() + PATIENCE_MILLISECONDS : 0;
  while (done < length) {
    ssize_t wrote = write(descriptor, restore_bytes + done, length - done);
    if (wrote > 0)
      done += (size_t)wrote;
    else if (wrote == 0 || (errno != EINTR && (errno != EAGAIN || !wait_for_room(descriptor, deadline))))
      break;
  }
  if (atomic_load(&has_modes)) tcsetattr(descriptor, TCSANOW, &guarded_modes);
  errno = error;
  /* SA_RESETHAND has restored the default action: the signal ends the process with its own status and core dump. */
  raise(signal);
}

int perfhud_crash_guard(int descriptor, const struct termios *modes, const uint8_t *restore,
                        size_t length) {
  if (length > sizeof restore_bytes) {
    errno = E2BIG;
    return -1;
  }
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = length == 0 && modes == NULL ? SIG_DFL : on_crash;
  action.sa_flags = (int)(SA_RESETHAND | SA_NODEFER | SA_ONSTACK);
  sigemptyset(&action.sa_mask);
  /* In a background job tcsetattr would stop the process instead of restoring the modes. */
  sigaddset(&action.sa_mask, SIGTTOU);
  stack_t stack = {.ss_sp = crash_stack, .ss_size = sizeof crash_stack};
  if (action.sa_handler == on_crash && sigaltstack(&stack, NULL) != 0) return -1;
  /* A crash in between restores nothing instead of half of it. */
  atomic_store(&restore_length, 0);
  atomic_store(&has_modes, 0);
  guarded_descriptor = descriptor;
  if (length > 0) memcpy(restore_bytes, restore, length);
  if (modes != NULL) guarded_modes = *modes;
  atomic_store(&has_modes, modes != NULL);
  atomic_store(&restore_length, length);
  for (size_t i = 0; i < sizeof crash_signals / sizeof crash_signals[0]; i++)
    if (sigaction(crash_signals[i], &action, NULL) != 0) return -1;
  return 0;
}
