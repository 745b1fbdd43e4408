/* The last way out: puts the terminal back when the program crashes.
   Only async-signal-safe calls (signal-safety(7)): write, tcsetattr, sigaction, raise. */
#include "CProcess.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGILL,  SIGFPE,
                                    SIGABRT, SIGTRAP, SIGSYS};
static int guarded_descriptor = -1;
static int has_modes;
static struct termios guarded_modes;
static uint8_t restore_bytes[1024];
static size_t restore_length;
/* A stack overflow leaves no room on the stack that overflowed. */
static uint8_t crash_stack[16384];

static void on_crash(int signal) {
  int error = errno;
  size_t done = 0;
  while (done < restore_length) {
    ssize_t wrote = write(guarded_descriptor, restore_bytes + done, restore_length - done);
    if (wrote <= 0) break;
    done += (size_t)wrote;
  }
  if (has_modes) tcsetattr(guarded_descriptor, TCSANOW, &guarded_modes);
  errno = error;
  /* SA_RESETHAND has put the default action back: the signal kills, with its own status and core. */
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
  restore_length = 0; /* a crash in between restores nothing rather than half of it */
  has_modes = 0;
  guarded_descriptor = descriptor;
  if (length > 0) memcpy(restore_bytes, restore, length);
  if (modes != NULL) guarded_modes = *modes;
  has_modes = modes != NULL;
  restore_length = length;
  for (size_t i = 0; i < sizeof crash_signals / sizeof crash_signals[0]; i++)
    if (sigaction(crash_signals[i], &action, NULL) != 0) return -1;
  return 0;
}
