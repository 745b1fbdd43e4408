/* What must be done before the Swift runtime begins (the priority orders constructors):

   - Starts where /proc is not mounted, or belongs to another PID namespace, so `/proc/self` does not exist. The runtime
     looks there for its own path, and aborts, and for the arguments, and finds none. So this keeps the arguments and
     provides the path.
   - Starts with descriptor 0, 1 or 2 closed: the first opened file would take its number.
   - Starts under limits that are too low for the runtime: see limits.c.
   - The split into supervisor and engine: see split.c. */
#define _GNU_SOURCE
#include "CProcess.h"

#include "launch.h"
#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int count;
static char **arguments;
static int answered;

/* Reserves the numbers of closed standard descriptors. An O_PATH descriptor is as good as closed: reading or writing it
   fails with EBADF, polling it with POLLNVAL. It is close-on-exec, so for a command the number is closed. */
static void reserve_standard_descriptors(void) {
  for (int descriptor = 0; descriptor <= 2; descriptor++)
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF && open("/", O_PATH | O_CLOEXEC) < 0) return;
}

int perfhud_is_closed(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  return flags < 0 || (flags & O_PATH) != 0;
}

__attribute__((constructor(101))) static void begin(int argc, char **argv) {
  /* The launcher does without this: launch.c. */
  if (argc > 0 && strcmp(argv[0], LAUNCHER_NAME) == 0) return;
  count = argc;
  arguments = argv;
  reserve_standard_descriptors();
  perfhud_check_limits(argc, argv);
  perfhud_split_early(argc, argv);
  /* Only if needed: a static program's runtime finds its arguments next to the environment on the stack, which
     setenv(3) moves. */
  if (access("/proc/self/exe", F_OK) == 0) return;
  answered = setenv("SWIFT_BACKTRACE", "enable=no,swift-backtrace=/", 0) == 0;
}

int perfhud_arguments(char *_Nonnull const *_Nullable *_Nonnull list) {
  /* No other program should see it. */
  if (answered) unsetenv("SWIFT_BACKTRACE");
  answered = 0;
  *list = arguments;
  return count;
}
