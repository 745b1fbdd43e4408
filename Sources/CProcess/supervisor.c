/* The process that the user's shell waits for: it outlives the HUD.

     shell ──► supervisor ──► engine (the HUD) ──► holder ──► command

   As long as the engine lives, the supervisor sleeps: it passes on signals, and while something waits for the engine,
   checks from time to time whether it is alive. When the engine dies or does not answer, the supervisor writes what the
   engine had read but not written yet (journal.h), restores what the HUD had changed, and passes bytes between terminal
   and pty (relay.c) until the command ends.

   It begins before Swift's runtime does (split.c), so it has only a few hundred KiB. Until the engine confirms that
   there will be a HUD over a command, it only waits: if the engine ends, so does it.

   It traces the engine (ptrace(2)) for one purpose: if a process is killed within read(2) or write(2), its registers
   still have the result when it exits (PTRACE_EVENT_EXIT). If tracing is forbidden, such a call counts as not made. */
#define _GNU_SOURCE
#include "milliseconds.h"
#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  /* How often the engine is checked, in milliseconds; and how often while it has not answered. */
  LIFE_PERIOD = 1000,
  ANSWER_PERIOD = 500,
  /* After this many unanswered questions while something waits (2 s), the engine counts as hung. */
  QUESTIONS = 4,
};

/* The signals handled before the engine confirms: its end, and stops of the whole job. */
static const int early_signals[] = {SIGCHLD, SIGTSTP, SIGTTIN, SIGTTOU};

/* ------------------------------------------------------------------------------- the engine's end */

/* Keeps standard error for messages, and standard input and output only if they are terminals: pipes must close. */
static void close_inherited(struct supervisor *self) {
  int *places[2] = {&self->socket, &self->signals};
  int moved[2];
  /* Move them out of the way first, and then to 3 and 4. */
  for (int i = 0; i < 2; i++) moved[i] = fcntl(*places[i], F_DUPFD_CLOEXEC, 16);
  for (int i = 0; i < 2; i++)
    if (moved[i] < 0 || dup3(moved[i], 3 + i, O_CLOEXEC) < 0) return;
  for (int i = 0; i < 2; i++) *places[i] = 3 + i;
  closefrom(5);
  for (int i = 0; i < 2; i++)
    if (!isatty(i)) close(i);
  /* A new file takes the lowest free number, so leave none of these free. */
  for (int i = 0; i < 3; i++)
    if (fcntl(i, F_GETFD) < 0) open("/dev/null", O_RDWR | O_CLOEXEC);
}

/* There will be a HUD over a command: from now on the end of the engine must not end the command. */
static void confirm(struct supervisor *self) {
  if (self->is_confirmed) return;
  self->is_confirmed = 1;
  /* This includes signals of faults: a fault of this process still ends it; those sent by others are passed on. */
  sigset_t all;
  sigfillset(&all);
  signalfd(self->signals, &all, 0);
  close_inherited(self);
  if (ptrace(PTRACE_SEIZE, self->engine, NULL, PTRACE_O_TRACEEXIT) != 0)
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

void supervisor_replace(int *place, int descriptor) {
  if (*place >= 0) close(*place);
  *place = descriptor;
}

/* Receives the descriptors of the terminal or of the pty. Returns whether there may be more. */
static int receive_descriptors(struct supervisor *self) {
  if (self->socket < 0) return 0;
  int descriptors[2];
  char control[CMSG_SPACE(sizeof descriptors)], byte;
  struct iovec data = {.iov_base = &byte, .iov_len = 1};
  struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  ssize_t count = recvmsg(self->socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (count == 0) {
    /* The engine is about to end. */
    close(self->socket);
    self->socket = -1;
  }
  if (count > 0 && byte == RELEASE_HOLDER) supervisor_replace(&self->reports, -1);
  if (count > 0 && byte == CONFIRM) confirm(self);
  if (count > 0 && byte == TOOK_OVER) self->redraw_at = supervisor_ask_for_redraw(self);
  struct cmsghdr *header = count > 0 ? CMSG_FIRSTHDR(&message) : NULL;
  if (header == NULL || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof descriptors))
    return count > 0;
  memcpy(descriptors, CMSG_DATA(header), sizeof descriptors);
  if (byte == THE_EVENTS) {
    supervisor_replace(&self->events, descriptors[0]);
    close(descriptors[1]);
    return 1;
  }
  supervisor_replace(byte == THE_PTY ? &self->master : &self->output, descriptors[0]);
  supervisor_replace(byte == THE_PTY ? &self->reports : &self->input, descriptors[1]);
  return 1;
}

#ifdef __x86_64__
/* Reads the result of the call in which the engine was killed. */
static void read_last_call(struct supervisor *self) {
  const struct journal *journal = self->journal;
  struct user_regs_struct registers;
  if (ptrace(PTRACE_GETREGS, self->engine, NULL, &registers) != 0) return;
  if (registers.rip < journal->call_returned || registers.rip >= journal->call_stored) return;
  self->last_result = (int64_t)registers.rax;
}
#else
static void read_last_call(struct supervisor *self) { (void)self; }
#endif

/* The number of bytes read (or written) in all. */
static uint64_t total(const struct supervisor *self, uint32_t kind) {
  const struct journal *journal = self->journal;
  if (journal->call.kind != kind) return journal->totals[kind];
  int64_t result = journal->call.is_done ? journal->call.result : self->last_result;
  return journal->call.base + (result > 0 ? (uint64_t)result : 0);
}

/* Does what the engine had not yet done for the program's output. */
static void rescue_output(struct supervisor *self, struct relay *relay) {
  struct journal *journal = self->journal;
  const struct checkpoint *last = &journal->checkpoints[atomic_load(&journal->current) & 1];
  uint64_t written = total(self, A_WRITE), read = total(self, A_READ);
  uint64_t queued = last->written + last->queue_end;
  if (written >= last->written && written < queued && last->queue_end <= sizeof journal->queue)
    relay_add(relay, journal->queue + (written - last->written), queued - written);
  relay->is_alternate = (last->flags & PERFHUD_ALTERNATE) != 0;
  relay->state = last->flags & PERFHUD_AT_GROUND ? AT_GROUND : IN_STRING;
  relay->awaits_ground = relay->state != AT_GROUND;
  if (last->flags & PERFHUD_AT_GROUND) {
    if (journal->erase_sequence == journal->sequence && journal->erase_count <= sizeof journal->erase) {
      relay_add(relay, journal->erase, journal->erase_count);
      relay_keep(relay, journal->erase, journal->erase_count);
    }
    if (last->flags & PERFHUD_UPDATE_OPEN) relay_add(relay, (const uint8_t *)"\033[?2026l", 8);
  }
  const uint8_t *tail = last->place == IN_TAIL    ? last->tail
                        : last->place == IN_SPILL ? journal->spill
                                                  : journal->buffer + last->start;
  relay_pass(relay, tail, last->count);
  uint64_t later = read - last->read;
  if (read > last->read && last->next + later <= sizeof journal->buffer)
    relay_pass(relay, journal->buffer + last->next, later);
}

/* Takes over from the engine. Returns if another engine has followed, and in that engine itself. */
static void take_over(struct supervisor *self, const char *reason, int may_restart) {
  struct relay relay;
  relay_init(&relay, self);
  relay.is_kept = may_restart && supervisor_may_restart(self) && supervisor_keep_state(self);
  char words[sizeof relay.words];
  snprintf(words, sizeof words, "perfhud: the HUD ended (%s); your program keeps running without it%s", reason,
           self->journal->has_budgets ? ", and no budget is judged" : "");
  int is_followed = relay.is_kept;
  if (!is_followed) memcpy(relay.words, words, sizeof words);
  rescue_output(self, &relay);
  if (is_followed) {
    if (relay_settle(&relay) && supervisor_restart(self, &relay) == 0) {
      free(relay.output);
      return;
    }
    memcpy(relay.words, words, sizeof words);
  }
  relay_run(&relay);
}

_Noreturn void supervisor_end(int status, int number) {
  if (number > 0) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    struct sigaction standard;
    memset(&standard, 0, sizeof standard);
    sigaction(number, &standard, NULL);
    raise(number);
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, number);
    sigprocmask(SIG_UNBLOCK, &mask, NULL);
    status = 128 + number;
  }
  _exit(status);
}

void supervisor_restore_modes(const struct supervisor *self) {
  const struct journal *journal = self->journal;
  for (int i = 0; i < 2; i++) {
    if (!journal->has_modes[i]) continue;
    int terminal = i == 0 ? self->output : self->input;
    for (int standard = 0; terminal < 0 && standard < 3; standard++)
      if (isatty(standard)) terminal = standard;
    /* SIGTTOU is blocked, so this works in the background too. */
    while (terminal >= 0 && tcsetattr(terminal, TCSANOW, &journal->modes[i]) != 0 && errno == EINTR) {
    }
  }
}

/* The engine has ended. Returns if it has given back, or if another one has followed. */
static void end_with_engine(struct supervisor *self, int status) {
  const struct journal *journal = self->journal;
  /* If a new engine ends before it has taken over the command, the command goes on. */
  int is_over = journal->engines_before == 0 || journal->has_taken_over;
  if (is_over && journal->has_given_back) {
    self->has_given_back = 1;
    return;
  }
  if (is_over && (journal->has_end || (WIFEXITED(status) && !journal->has_given_up))) {
    supervisor_await_holder(self);
    if (journal->has_end) supervisor_end(journal->end_status, journal->end_signal);
    supervisor_end(WEXITSTATUS(status), 0);
  }
  char reason[PERFHUD_JOURNAL_REASON];
  if (journal->has_given_up)
    snprintf(reason, sizeof reason, "%.*s", (int)sizeof journal->reason - 1, journal->reason);
  else if (WIFEXITED(status))
    snprintf(reason, sizeof reason, "status %d", WEXITSTATUS(status));
  else
    snprintf(reason, sizeof reason, self->is_hung_up ? "no sign of life" : "signal %d", WTERMSIG(status));
  while (receive_descriptors(self)) {
  }
  if (self->master >= 0 && self->output >= 0) return take_over(self, reason, WIFSIGNALED(status));
  if (!self->is_confirmed) supervisor_end(0, WTERMSIG(status));
  supervisor_restore_modes(self);
  dprintf(STDERR_FILENO, "perfhud: the HUD ended (%s) before it could start the program: start it again\n", reason);
  if (WIFEXITED(status)) supervisor_end(125, 0);
  supervisor_end(0, WTERMSIG(status));
}

/* A child has changed its state: the engine has ended, or has stopped for its tracer. */
static void serve_children(struct supervisor *self) {
  int status;
  pid_t child;
  while ((child = waitpid(-1, &status, WNOHANG | __WALL)) > 0 || (child < 0 && errno == EINTR)) {
    if (child != self->engine) continue;
    if (!WIFSTOPPED(status)) {
      end_with_engine(self, status);
      if (self->is_engine) return;
      continue;
    }
    int event = status >> 16, number = WSTOPSIG(status);
    if (event == PTRACE_EVENT_EXIT) {
      read_last_call(self);
      /* When the engine exits, the holder becomes a child of this process. */
      prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
      ptrace(PTRACE_CONT, child, NULL, 0);
    } else if (event == PTRACE_EVENT_STOP && number != SIGTRAP) {
      ptrace(PTRACE_LISTEN, child, NULL, 0);
    } else {
      ptrace(PTRACE_CONT, child, NULL, event == 0 ? number : 0);
    }
  }
}

/* ------------------------------------------------------------------------------- beside the engine */

void supervisor_stop(int number) {
  struct sigaction standard, before;
  memset(&standard, 0, sizeof standard);
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, number);
  sigaction(number, &standard, &before);
  raise(number);
  sigprocmask(SIG_UNBLOCK, &mask, NULL); /* the process stops here, and continues here */
  sigprocmask(SIG_BLOCK, &mask, NULL);
  sigaction(number, &before, NULL);
}

/* Not with the signal itself: if the whole group was sent the same signal, it is already pending in the engine, and the
   two would merge into one. */
static void tell_engine(struct supervisor *self, int number) {
  uint8_t byte = (uint8_t)number;
  if (self->socket >= 0)
    send(self->socket, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
  else if (number != PERFHUD_ARE_YOU_ALIVE)
    kill(self->engine, number); /* the engine has become the command, because no pty was available */
}

static void serve_signals(struct supervisor *self) {
  struct signalfd_siginfo info;
  while (read(self->signals, &info, sizeof info) == sizeof info) {
    int number = (int)info.ssi_signo;
    int is_from_kernel = info.ssi_code == SI_KERNEL;
    switch (number) {
    case SIGCHLD:
      serve_children(self);
      if (self->is_engine) return;
      break;
    /* The engine is stopping the whole job. */
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
      if (is_from_kernel || (pid_t)info.ssi_pid == self->engine)
        supervisor_stop(number);
      else
        tell_engine(self, number);
      break;
    case SIGCONT:
    case SIGWINCH:
    case SIGPIPE: break;
    /* The kernel sends signals to the whole group. A signal from a process is meant for this process alone. */
    default:
      if (!is_from_kernel && (pid_t)info.ssi_pid != self->engine) tell_engine(self, number);
    }
  }
}

/* Whether the engine has read output of the program that has not reached the terminal. */
static int has_unwritten_output(const struct supervisor *self) {
  const struct journal *journal = self->journal;
  const struct checkpoint *last = &journal->checkpoints[atomic_load(&journal->current) & 1];
  return total(self, A_READ) > last->read || total(self, A_WRITE) < last->written + last->queue_end;
}

/* Whether the program's output, its end, or a key is waiting for the engine. */
static int has_work(const struct supervisor *self) {
  if (self->master < 0) return 0;
  if (has_unwritten_output(self)) return 1;
  struct pollfd work[] = {{.fd = self->master, .events = POLLIN},
                          {.fd = self->reports, .events = POLLIN},
                          {.fd = self->input, .events = POLLIN}};
  if (poll(work, sizeof work / sizeof work[0], 0) <= 0) return 0;
  return ((work[0].revents | work[1].revents | work[2].revents) & POLLIN) != 0;
}

/* If something waits for the engine, asks it whether it is alive, and kills it if it does not answer. */
static void look_after(struct supervisor *self) {
  const struct journal *journal = self->journal;
  if (journal->has_released) supervisor_replace(&self->reports, -1);
  if (journal->engines_before > 0 && !journal->has_taken_over) {
    if (milliseconds_now() < self->take_over_due) return;
    self->is_hung_up = 1;
    kill(self->engine, SIGKILL);
    return;
  }
  unsigned life = atomic_load_explicit(&journal->life, memory_order_relaxed);
  int is_waiting = has_work(self);
  if (!is_waiting || life != self->last_life) {
    self->unanswered = 0;
  } else if (self->unanswered == QUESTIONS) {
    self->is_hung_up = 1;
    kill(self->engine, SIGKILL);
  } else {
    self->unanswered++;
    tell_engine(self, PERFHUD_ARE_YOU_ALIVE);
  }
  self->last_life = life;
}

int supervisor_signals(void) {
  /* Other signals wait until the engine confirms: a signal sent to this process is for whichever process continues. */
  sigset_t first;
  sigemptyset(&first);
  for (size_t i = 0; i < sizeof early_signals / sizeof early_signals[0]; i++) sigaddset(&first, early_signals[i]);
  return signalfd(-1, &first, SFD_CLOEXEC | SFD_NONBLOCK);
}

void perfhud_supervise_engine(struct supervisor *self, int is_confirmed) {
  self->master = self->reports = self->output = self->input = self->events = -1;
  self->last_result = -1;
  if (is_confirmed) confirm(self);
  /* The engine may already have ended. */
  serve_children(self);
  int64_t next_look = milliseconds_now() + LIFE_PERIOD;
  while (!self->has_given_back && !self->is_engine) {
    struct pollfd ready[2] = {{.fd = self->signals, .events = POLLIN}, {.fd = self->socket, .events = POLLIN}};
    int64_t due = self->redraw_at > 0 && self->redraw_at < next_look ? self->redraw_at : next_look;
    int64_t left = due - milliseconds_now();
    int count = poll(ready, 2, left > 0 ? (int)left : 0);
    if (count < 0) continue;
    /* This comes first: the engine may have started the command, and then ended. */
    if (ready[1].revents != 0) receive_descriptors(self);
    if (ready[0].revents != 0) serve_signals(self);
    if (self->is_engine) return;
    if (self->redraw_at > 0 && milliseconds_now() >= self->redraw_at) {
      self->redraw_at = 0;
      supervisor_set_size(self);
    }
    if (milliseconds_now() < next_look) continue;
    look_after(self);
    next_look = milliseconds_now() + (self->unanswered > 0 ? ANSWER_PERIOD : LIFE_PERIOD);
  }
  supervisor_replace(&self->socket, -1);
}
