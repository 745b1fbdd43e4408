/* The outer terminal of overlay.py: reads all that comes as fast as it can, and measures.

   terminal [--without-updates] [--expect TEXT] bulk SOCKET COMMAND [ARGUMENT ...]
   terminal [--without-updates] [--expect TEXT] keys SOCKET NUMBER SEED COMMAND [ARGUMENT ...]
   terminal [--without-updates] start COMMAND [ARGUMENT ...]

   bulk   Somewhere in COMMAND is writer.c with the same SOCKET. From the signal to begin until the
          mark has arrived.
   keys   The same with echo.c: types so many keys with pauses of 1 to 5 ms, and takes the time from
          each write to the moment when the key arrives as a printed character.
   start  From before the fork to the first `~` that is printed, and to the end of COMMAND.

   Measuring begins when the program is ready, TEXT has been shown, and nothing has come for a
   while. All processes below this one, except the program itself, are the intermediary: also those
   that detach themselves, since this process is their subreaper. Their CPU time is read from their
   process clocks, in nanoseconds, while they live.

   The terminal is 120x40 and answers DA1, DA2, XTVERSION, DSR and DECRQM as xterm does; it has
   synchronized updates (2026) unless the option says otherwise. The cursor is always reported at
   the top left, where it is when it is asked for at the start.

   The result is one line of JSON. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COLUMNS = 120, ROWS = 40, PROCESSES = 32 };

static const int64_t MS = 1000000;
static const int64_t SECOND = 1000000000;
static const int64_t QUIET = 60 * 1000000;      /* silence before measuring begins */
static const int64_t AFTERMATH = 20 * 1000000;  /* silence after the end of it */

static int master = -1, control = -1, root = -1;
static pid_t child, program;
static int hasUpdates = 1;
static uint64_t received, questions;
static int64_t lastOutput;
static char socketPath[108];

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * SECOND + time.tv_nsec;
}

/* ---- the processes below this one ------------------------------------------------------------ */

struct family {
  int count;
  pid_t pids[PROCESSES];
};

/* The name and the parent of a process; 0 if it has gone. */
static int describe(pid_t pid, char name[32], pid_t *parent) {
  char path[32], line[512];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t count = file < 0 ? -1 : read(file, line, sizeof line - 1);
  if (file >= 0) close(file);
  if (count <= 0) return 0;
  line[count] = 0;
  char *open = strchr(line, '('), *close = strrchr(line, ')');
  char state;
  int number;
  if (!open || !close || sscanf(close + 1, " %c %d", &state, &number) != 2) return 0;
  snprintf(name, 32, "%.*s", (int)(close - open - 1), open + 1);
  *parent = number;
  return state != 'Z';
}

/* All living descendants except the program and what it may have started. */
static struct family intermediary(void) {
  struct family found = {0};
  pid_t pids[4096], parents[4096];
  int total = 0;
  char name[32];
  DIR *folder = opendir("/proc");
  for (struct dirent *entry; folder && total < 4096 && (entry = readdir(folder));) {
    pid_t pid = (pid_t)atoi(entry->d_name);
    if (pid > 0 && pid != program && describe(pid, name, &parents[total])) pids[total++] = pid;
  }
  if (folder) closedir(folder);
  for (int hasNew = 1; hasNew;) {
    hasNew = 0;
    for (int i = 0; i < total; i++) {
      int isChild = parents[i] == getpid();
      for (int j = 0; j < found.count; j++) isChild |= parents[i] == found.pids[j];
      if (!isChild || found.count == PROCESSES) continue;
      found.pids[found.count++] = pids[i];
      pids[i] = parents[i] = -1;
      hasNew = 1;
    }
  }
  return found;
}

/* The CPU time of these processes; -1 if one has gone, and took its account with it. */
static int64_t busy(const struct family *family) {
  int64_t sum = 0;
  for (int i = 0; i < family->count; i++) {
    struct timespec time;
    clockid_t clock;
    if (clock_getcpuclockid(family->pids[i], &clock) != 0 || clock_gettime(clock, &time) != 0)
      return -1;
    sum += (int64_t)time.tv_sec * SECOND + time.tv_nsec;
  }
  return sum;
}

static void names(const struct family *family, char *text, size_t size) {
  text[0] = 0;
  for (int i = 0; i < family->count; i++) {
    char name[32];
    pid_t parent;
    if (!describe(family->pids[i], name, &parent)) continue;
    for (char *next = name; *next; next++)
      if (*next == '"' || *next == '\\' || *next < ' ') *next = '?';
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%s", length ? " " : "", name);
  }
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Waits for all children, also those that were taken over. Returns whether none is left. */
static int reap(int64_t patience) {
  char rest[1 << 16];
  for (int64_t deadline = now() + patience;;) {
    pid_t pid = waitpid(-1, NULL, WNOHANG);
    if (pid < 0 && errno == ECHILD) return 1;
    if (pid > 0) continue;
    if (now() > deadline) return 0;
    /* What ends may still want to write. */
    struct pollfd entry = {.fd = master, .events = POLLIN};
    if (poll(&entry, 1, 2) > 0 && read(master, rest, sizeof rest) <= 0) {
      /* Nobody has the terminal open any more: only the processes are waited for. */
      struct timespec pause = {.tv_nsec = MS};
      nanosleep(&pause, NULL);
    }
  }
}

static void clean(void) {
  if (control >= 0) close(control);
  control = -1;
  if (socketPath[0]) unlink(socketPath);
  for (int number = SIGTERM;; number = SIGKILL) {
    program = 0;
    struct family left = intermediary();
    for (int i = 0; i < left.count; i++) kill(left.pids[i], number);
    if (reap(2 * SECOND) || number == SIGKILL) return;
  }
}

static void fail(const char *reason) {
  clean();
  fprintf(stderr, "%s\n", reason);
  exit(1);
}

static void leave(int number) {
  clean();
  _exit(128 + number);
}

/* ---- what comes ------------------------------------------------------------------------------ */

static enum { GROUND, ESCAPE, CSI, STRING, STRING_ESCAPE } state;
static char parameters[64];
static size_t parameterCount;
/* A character that is waited for, and when it came; a text that is, and how much of it came. */
static char awaited;
static int64_t arrival;
static const char *expected;
static size_t expectedCount;

static void answer(const char *text) {
  questions++;
  if (write(master, text, strlen(text)) < 0 && errno != EAGAIN) return;
}

static void sequence(char final) {
  parameters[parameterCount] = 0;
  const char *text = parameters;
  if (final == 'n' && !strcmp(text, "6")) answer("\033[1;1R");
  if (final == 'n' && !strcmp(text, "5")) answer("\033[0n");
  if (final == 'c' && (!*text || !strcmp(text, "0"))) answer("\033[?62;22c");
  if (final == 'c' && (!strcmp(text, ">") || !strcmp(text, ">0"))) answer("\033[>41;372;0c");
  if (final == 'q' && (!strcmp(text, ">") || !strcmp(text, ">0")))
    answer("\033P>|XTerm(372)\033\\");
  if (final == 'p' && !strcmp(text, "?2026$"))
    answer(hasUpdates ? "\033[?2026;2$y" : "\033[?2026;0$y");
  if (final == 'p' && !strcmp(text, "?69$")) answer("\033[?69;2$y");
}

static void printed(const char *bytes, size_t count) {
  if (awaited && memchr(bytes, awaited, count)) {
    arrival = now();
    awaited = 0;
  }
  for (size_t i = 0; expected && i < count; i++) {
    expectedCount = bytes[i] == expected[expectedCount] ? expectedCount + 1
                                                        : bytes[i] == expected[0];
    if (!expected[expectedCount]) expected = NULL;
  }
}

static void take(const char *bytes, size_t count) {
  for (size_t i = 0; i < count;) {
    if (state == GROUND) {
      const char *escape = memchr(bytes + i, 033, count - i);
      size_t end = escape ? (size_t)(escape - bytes) : count;
      printed(bytes + i, end - i);
      i = end + 1;
      if (escape) state = ESCAPE;
      continue;
    }
    char byte = bytes[i++];
    switch (state) {
    case STRING_ESCAPE:
      if (byte == '\\') {
        state = GROUND;
        break;
      }
      /* fall through */
    case ESCAPE:
      parameterCount = 0;
      if (byte == '[')
        state = CSI;
      else if (strchr("]P_^X", byte) && byte)
        state = STRING;
      else if (byte != 033 && (byte < ' ' || byte > '/'))
        state = GROUND;
      break;
    case CSI:
      if (byte >= '@' && byte != 0177) {
        sequence(byte);
        state = GROUND;
      } else if (byte == 033) {
        state = ESCAPE;
      } else if (byte >= ' ' && parameterCount < sizeof parameters - 1) {
        parameters[parameterCount++] = byte;
      }
      break;
    case STRING:
      if (byte == 033) state = STRING_ESCAPE;
      if (byte == 07) state = GROUND;
      break;
    case GROUND: break;
    }
  }
}

/* Waits for output until the deadline and takes what is there, up to the awaited character.
   Returns 0 when nobody has the terminal open any more. */
static int pump(int64_t deadline) {
  static char bytes[1 << 16];
  int64_t left = deadline - now();
  struct timespec limit = {.tv_sec = left > 0 ? left / SECOND : 0,
                           .tv_nsec = left > 0 ? left % SECOND : 0};
  struct pollfd entry = {.fd = master, .events = POLLIN};
  if (ppoll(&entry, 1, &limit, NULL) <= 0) return 1;
  int wasAwaited = awaited;
  for (;;) {
    ssize_t count = read(master, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return 1;
    if (count <= 0) return 0;
    received += (uint64_t)count;
    take(bytes, (size_t)count);
    if (wasAwaited && !awaited) {
      lastOutput = arrival;
      return 1;
    }
    if (!wasAwaited) {
      lastOutput = now();
      return 1;
    }
  }
}

/* Takes output until none has come for so long. */
static void settle(int64_t silence, int64_t limit) {
  int64_t deadline = now() + limit;
  lastOutput = now();
  while (now() < deadline && (expected || now() < lastOutput + silence)) {
    int64_t next = lastOutput + silence;
    if (!pump(expected || next > deadline ? deadline : next)) fail("it ended by itself");
  }
  if (expected) fail("it did not show what was expected of it");
}

/* ---- the command ----------------------------------------------------------------------------- */

static void start(char **command) {
  struct winsize size = {.ws_col = COLUMNS, .ws_row = ROWS};
  child = forkpty(&master, NULL, NULL, &size);
  if (child < 0) fail("no pty or no process left");
  if (child == 0) {
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    execvp(command[0], command);
    perror(command[0]);
    _exit(127);
  }
  fcntl(master, F_SETFD, FD_CLOEXEC);
  fcntl(master, F_SETFL, O_NONBLOCK);
}

static void await_program(void) {
  int64_t deadline = now() + 20 * SECOND;
  struct ucred peer;
  socklen_t size = sizeof peer;
  char word;
  for (int isReady = 0; !isReady;) {
    struct pollfd entries[] = {{.fd = master, .events = POLLIN},
                               {.fd = control < 0 ? root : control, .events = POLLIN}};
    if (now() > deadline) fail("its program did not start");
    if (poll(entries, 2, 100) < 0) continue;
    if (entries[0].revents && !pump(now())) fail("it ended before its program was ready");
    if (entries[1].revents && control < 0)
      control = accept4(root, NULL, NULL, SOCK_CLOEXEC);
    else if (entries[1].revents)
      isReady = read(control, &word, 1) == 1;
  }
  if (getsockopt(control, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) fail("no peer");
  program = peer.pid;
}

static void listen_at(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) fail("the path of the socket is too long");
  strcpy(address.sun_path, path);
  root = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(root, (struct sockaddr *)&address, sizeof address) != 0 || listen(root, 1) != 0)
    fail("no socket for the program");
  strcpy(socketPath, path);
}

/* ---- what is measured ------------------------------------------------------------------------ */

static struct family watched;
static int64_t busyAtStart;
static uint64_t receivedAtStart;
static char who[256];

static void begin(void) {
  await_program();
  settle(QUIET, 10 * SECOND);
  watched = intermediary();
  names(&watched, who, sizeof who);
  receivedAtStart = received;
  busyAtStart = busy(&watched);
}

static void finish(void) {
  int64_t cost = busy(&watched);
  if (cost < 0 || busyAtStart < 0) fail("one of its processes ended while it was measured");
  printf("\"cpu_ns\": %" PRId64 ", \"bytes\": %" PRIu64 ", \"questions\": %" PRIu64
         ", \"processes\": \"%s\"}\n",
         cost - busyAtStart, received - receivedAtStart, questions, who);
  close(control);
  control = -1;
  if (!reap(10 * SECOND)) fail("it did not end after its program");
}

static void bulk(void) {
  begin();
  awaited = '~';
  int64_t from = now();
  if (write(control, "g", 1) != 1) fail("its program has gone");
  while (awaited) {
    if (!pump(from + 120 * SECOND)) fail("it ended in the middle");
    if (now() > from + 120 * SECOND) fail("the end did not arrive within 120 s");
  }
  settle(AFTERMATH, 200 * MS);
  printf("{\"wall_ns\": %" PRId64 ", ", arrival - from);
  finish();
}

static void keys(int number, uint64_t seed) {
  begin();
  printf("{\"times_ns\": [");
  seed = seed * 2654435769u + 88172645463325252u;
  for (int i = 0; i < number; i++) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    int64_t next = now() + MS + (int64_t)(seed % (uint64_t)(4 * MS));
    while (now() < next)
      if (!pump(next)) fail("it ended between two keys");
    /* Neither is written by any of the programs; two of them, so that each changes the screen. */
    char key = i % 2 ? '~' : '`';
    awaited = key;
    int64_t from = now();
    if (write(master, &key, 1) != 1) fail("it took no key");
    while (awaited) {
      if (!pump(from + 2 * SECOND)) fail("it ended after a key");
      if (now() > from + 2 * SECOND) fail("a key did not come back within 2 s");
    }
    printf("%s%" PRId64, i ? ", " : "", arrival - from);
  }
  settle(AFTERMATH, 200 * MS);
  printf("], ");
  finish();
}

static void first(char **command) {
  awaited = '~';
  int64_t from = now(), end = 0;
  start(command);
  int pid = (int)syscall(SYS_pidfd_open, child, 0);
  if (pid < 0) fail("no descriptor for the process");
  while (!end) {
    struct pollfd entries[] = {{.fd = pid, .events = POLLIN}, {.fd = master, .events = POLLIN}};
    if (poll(entries, 2, 10000) <= 0) fail("it did not end within 10 s");
    /* Output first: it was written before the end. When everyone has closed the terminal, its end
       of file must not keep this loop busy. */
    if (entries[1].revents && !pump(now())) poll(entries, 1, 10000);
    if (entries[0].revents) end = now();
  }
  printf("{\"end_ns\": %" PRId64 ", \"first_ns\": %" PRId64 "}\n", end - from,
         awaited ? -1 : arrival - from);
  if (!reap(10 * SECOND)) fail("it left processes behind");
}

int main(int argc, char **argv) {
  int next = 1;
  for (; next < argc && argv[next][0] == '-'; next++) {
    if (strcmp(argv[next], "--without-updates") == 0) hasUpdates = 0;
    if (strcmp(argv[next], "--expect") == 0 && next + 1 < argc) expected = argv[++next];
  }
  const char *mode = next < argc ? argv[next++] : "";
  int wanted = 99;
  if (!strcmp(mode, "bulk")) wanted = 2;
  if (!strcmp(mode, "keys")) wanted = 4;
  if (!strcmp(mode, "start")) wanted = 1;
  if (argc - next < wanted) {
    fprintf(stderr, "usage: terminal [options] bulk|keys|start ... COMMAND [ARGUMENT ...]\n");
    return 64;
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  signal(SIGINT, leave);
  signal(SIGTERM, leave);
  signal(SIGPIPE, SIG_IGN);
  if (wanted == 1) {
    first(argv + next);
    return 0;
  }
  listen_at(argv[next]);
  start(argv + next + wanted - 1);
  if (wanted == 2)
    bulk();
  else
    keys(atoi(argv[next + 1]), strtoull(argv[next + 2], NULL, 10));
  unlink(socketPath);
  return 0;
}
