/* A start where /proc is not mounted, or is that of another pid namespace: `/proc/self` leads nowhere.
   Swift's runtime looks there for its own path and aborts, and for the arguments and finds none. So
   this runs before it (the priority orders constructors): it keeps the arguments and answers the
   question for the path. */
#include "CProcess.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int count;
static char **arguments;
static int answered;

__attribute__((constructor(101))) static void keep_arguments(int argc, char **argv) {
  count = argc;
  arguments = argv;
  if (access("/proc/self/exe", F_OK) == 0) return;
  answered = setenv("SWIFT_BACKTRACE", "enable=no,swift-backtrace=/", 0) == 0;
}

int perfhud_arguments(char *_Nonnull const *_Nullable *_Nonnull list) {
  /* No other program should find it. */
  if (answered) unsetenv("SWIFT_BACKTRACE");
  answered = 0;
  *list = arguments;
  return count;
}
