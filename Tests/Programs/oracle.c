/* Stands between a test and the terminal that it runs in.
 *
 *     oracle FROM TO [SIZES]
 *
 * What is written to the FIFO FROM goes to the terminal, in one write(2) for each read(2), so that a
 * piece of up to PIPE_BUF bytes arrives as one; what the terminal answers goes to the FIFO TO. The
 * terminal is raw. The file SIZES has the size of the terminal, `ROWS COLUMNS`, each time that changes: a
 * program writes for a size only once it has been told of it. Ends with FROM. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
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

static int openSizes(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGWINCH);
  if (sigprocmask(SIG_BLOCK, &set, NULL) < 0) fail("sigprocmask");
  int signals = signalfd(-1, &set, SFD_CLOEXEC);
  if (signals < 0) fail("signalfd");
  return signals;
}

static void tellSize(int signals, const char *path) {
  struct signalfd_siginfo info;
  if (read(signals, &info, sizeof info) < 0 && errno != EINTR) fail("signalfd");
  struct winsize size;
  if (ioctl(0, TIOCGWINSZ, &size) < 0) fail("TIOCGWINSZ");
  FILE *file = fopen(path, "we");
  if (!file) fail(path);
  fprintf(file, "%d %d\n", size.ws_row, size.ws_col);
  if (fclose(file) != 0) fail(path);
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
  int signals = argc > 3 ? openSizes() : -1;
  writeAll(to, "\n", 1);
  struct pollfd ends[3] = {{from, POLLIN, 0}, {0, POLLIN, 0}, {signals, POLLIN, 0}};
  for (;;) {
    if (poll(ends, 3, -1) < 0) {
      if (errno == EINTR) continue;
      fail("poll");
    }
    if (ends[2].revents) tellSize(signals, argv[3]);
    if (ends[1].revents && !pass(0, to)) return 0;
    if (ends[0].revents && !pass(from, 1)) return 0;
  }
}
