/* Stands between a test and the terminal that it runs in.
 *
 *     oracle FROM TO
 *
 * What is written to the FIFO FROM goes to the terminal, in one write(2) for each read(2), so that a
 * piece of up to PIPE_BUF bytes arrives as one; what the terminal answers goes to the FIFO TO. The
 * terminal is raw. Ends with FROM. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void writeAll(int descriptor, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t written = write(descriptor, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write");
    bytes += written;
    count -= (size_t)written;
  }
}

/* Returns whether there was anything: 0 at the end. */
static int pass(int from, int to) {
  static char bytes[65536];
  ssize_t count = read(from, bytes, sizeof bytes);
  if (count < 0) return errno == EINTR;
  writeAll(to, bytes, (size_t)count);
  return count > 0;
}

int main(int argc, char **argv) {
  if (argc < 3) return 64;
  int from = open(argv[1], O_RDONLY | O_CLOEXEC);
  int to = open(argv[2], O_WRONLY | O_CLOEXEC);
  if (from < 0 || to < 0) fail("open");
  struct termios raw;
  if (tcgetattr(0, &raw) < 0) fail("tcgetattr");
  cfmakeraw(&raw);
  if (tcsetattr(0, TCSANOW, &raw) < 0) fail("tcsetattr");
  writeAll(to, "\n", 1);
  struct pollfd ends[2] = {{from, POLLIN, 0}, {0, POLLIN, 0}};
  for (;;) {
    if (poll(ends, 2, -1) < 0 && errno != EINTR) fail("poll");
    if (ends[1].revents && !pass(0, to)) return 0;
    if (ends[0].revents && !pass(from, 1)) return 0;
  }
}
