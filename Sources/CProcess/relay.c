/* What the supervisor does after the engine's death: passes bytes between the pty and the terminal, nothing more.

   It handles job control, the window's size and signals as the HUD does. It reports the HUD's death once: right after a
   complete line of the program on the main screen, where the message does not break a picture, or else on standard
   error at the end.

   If another engine will follow, it passes bytes only until that engine can begin. */
#define _GNU_SOURCE
#include "milliseconds.h"
#include "supervisor.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  PIECE = 64 << 10,
  /* At most this much output can wait in the kernel when the command has ended; later output comes from others. */
  DRAIN_LIMIT = 64 << 10,
  /* After this time, an incomplete character will not be completed. */
  CHARACTER_PATIENCE = 100,
  /* How often a background job checks whether it is in the foreground, since no shell reports that. */
  BACKGROUND_PERIOD = 200,
  /* A program that gets two sizes in quick succession may see only the second, which it already has. */
  REDRAW_PAUSE = 150,
  /* The program may miss a signal that comes while it draws: it has drawn once it has written and then been quiet. */
  REDRAW_QUIET = 50,
  REDRAW_PATIENCE = 1000,
  STOP_PATIENCE = 500,
  END_PATIENCE = 5000,
};

/* ------------------------------------------------------------------------------- output */

void relay_init(struct relay *relay, struct supervisor *supervisor) {
  memset(relay, 0, sizeof *relay);
  relay->supervisor = supervisor;
  relay->lock = -1;
}

static int is_gone(ssize_t count) {
  return count < 0 && errno != EAGAIN && errno != EINTR;
}

static int has_output(const struct relay *relay) { return relay->output_done < relay->output_count; }

/* The terminal may still exist. */
static _Noreturn void hang_up(const struct relay *relay) {
  if (!relay->is_background) supervisor_restore_modes(relay->supervisor);
  supervisor_end(0, SIGHUP);
}

static void write_output(struct relay *relay) {
  ssize_t count = write(relay->supervisor->output, relay->output + relay->output_done,
                        relay->output_count - relay->output_done);
  if (is_gone(count)) hang_up(relay);
  if (count > 0) relay->output_done += (size_t)count;
  if (!has_output(relay)) relay->output_done = relay->output_count = 0;
}

static void flush_output(struct relay *relay, int64_t patience) {
  int64_t deadline = milliseconds_now() + patience;
  while (has_output(relay)) {
    int64_t left = deadline - milliseconds_now();
    if (left <= 0) return;
    struct pollfd ready = {.fd = relay->supervisor->output, .events = POLLOUT};
    if (poll(&ready, 1, (int)left) > 0) write_output(relay);
  }
}

/* There is no memory to keep bytes in: wait until the terminal has taken them. */
static void write_now(struct relay *relay, const uint8_t *bytes, size_t count) {
  flush_output(relay, INT32_MAX);
  while (count > 0) {
    ssize_t written = write(relay->supervisor->output, bytes, count);
    if (is_gone(written)) hang_up(relay);
    if (written > 0) {
      bytes += written;
      count -= (size_t)written;
      continue;
    }
    struct pollfd ready = {.fd = relay->supervisor->output, .events = POLLOUT};
    poll(&ready, 1, -1);
  }
}

void relay_add(struct relay *relay, const uint8_t *bytes, size_t count) {
  if (count == 0) return;
  size_t wanted = relay->output_count + count;
  if (wanted > relay->output_room) {
    size_t room = wanted + PIECE;
    uint8_t *more = realloc(relay->output, room);
    if (more == NULL) return write_now(relay, bytes, count);
    relay->output = more;
    relay->output_room = room;
  }
  memcpy(relay->output + relay->output_count, bytes, count);
  relay->output_count = wanted;
}

static void say(struct relay *relay) {
  relay_add(relay, (const uint8_t *)relay->words, strlen(relay->words));
  relay_add(relay, (const uint8_t *)"\r\n", 2);
  relay->words[0] = 0;
}

void relay_keep(struct relay *relay, const uint8_t *bytes, size_t count) {
  struct journal *journal = relay->supervisor->journal;
  if (!relay->is_kept || count == 0) return;
  if (count > sizeof journal->passed - journal->passed_count) {
    relay->is_kept = 0;
    return;
  }
  memcpy(journal->passed + journal->passed_count, bytes, count);
  journal->passed_count += (uint32_t)count;
}

void relay_pass(struct relay *relay, const uint8_t *bytes, size_t count) {
  size_t start = 0, kept = relay->awaits_ground ? count : 0;
  for (size_t i = 0; i < count; i++) {
    int is_free = relay_follow(relay, bytes[i]);
    if (relay->awaits_ground && relay->state == AT_GROUND) {
      relay->awaits_ground = 0;
      kept = i + 1;
    }
    if (!is_free || relay->words[0] == 0) continue;
    relay_add(relay, bytes + start, i + 1 - start);
    start = i + 1;
    say(relay);
  }
  relay_add(relay, bytes + start, count - start);
  relay_keep(relay, bytes + kept, count - kept);
}

/* Returns the number of bytes; 0 if there are none now or will be none any more. */
static size_t read_program(struct relay *relay) {
  static uint8_t bytes[PIECE];
  ssize_t count = read(relay->supervisor->master, bytes, sizeof bytes);
  if (count <= 0) return 0;
  relay->read_at = milliseconds_now();
  relay_pass(relay, bytes, (size_t)count);
  return (size_t)count;
}

/* Passes on what the command wrote before it ended or was stopped. */
static void drain(struct relay *relay, int64_t patience) {
  size_t sum = 0, count;
  while (sum < DRAIN_LIMIT && (count = read_program(relay)) > 0) {
    sum += count;
    flush_output(relay, patience);
  }
  flush_output(relay, patience);
}

/* ------------------------------------------------------------------------------- terminal */

static int is_foreground(const struct relay *relay) {
  pid_t group = tcgetpgrp(relay->supervisor->input);
  return group < 0 || group == getpgrp();
}

static void make_raw(const struct relay *relay) {
  const struct supervisor *self = relay->supervisor;
  for (int i = 0; i < 2; i++) {
    if (!self->journal->has_modes[i]) continue;
    struct termios modes = self->journal->modes[i];
    cfmakeraw(&modes);
    tcsetattr(i == 0 ? self->output : self->input, TCSANOW, &modes);
  }
}

int64_t supervisor_ask_for_redraw(const struct supervisor *self) {
  struct winsize size;
  if (ioctl(self->output, TIOCGWINSZ, &size) != 0 || size.ws_row < 2) return 0;
  size.ws_row--;
  ioctl(self->master, TIOCSWINSZ, &size);
  return milliseconds_now() + REDRAW_PAUSE;
}

void supervisor_set_size(const struct supervisor *self) {
  struct winsize size;
  if (ioctl(self->output, TIOCGWINSZ, &size) == 0) ioctl(self->master, TIOCSWINSZ, &size);
}

static void enter_terminal(struct relay *relay) {
  relay->is_background = !is_foreground(relay);
  if (relay->is_background) return;
  /* The engine's lock was released by its death. */
  if (relay->lock < 0) relay->lock = perfhud_lock_terminal(relay->supervisor->output);
  make_raw(relay);
}

static void continue_command(const struct relay *relay) {
  if (relay->holder > 0) kill(relay->holder, SIGCONT);
}

/* The command was stopped, so stop the job too. */
static void stop_job(struct relay *relay) {
  drain(relay, STOP_PATIENCE);
  if (!relay->is_background) supervisor_restore_modes(relay->supervisor);
  if (relay->lock >= 0) close(relay->lock);
  relay->lock = -1;
  kill(0, SIGTSTP);
  supervisor_stop(SIGTSTP);
  enter_terminal(relay);
  supervisor_set_size(relay->supervisor);
  continue_command(relay);
}

/* ------------------------------------------------------------------------------- program */

static void read_input(struct relay *relay) {
  struct supervisor *self = relay->supervisor;
  ssize_t count = read(self->input, relay->input + relay->input_count, sizeof relay->input - relay->input_count);
  if (count == 0 || is_gone(count)) hang_up(relay);
  if (count > 0) relay->input_count += (size_t)count;
}

static void write_input(struct relay *relay) {
  ssize_t count = write(relay->supervisor->master, relay->input, relay->input_count);
  /* Nobody has the program's terminal open any more. */
  if (is_gone(count)) relay->input_count = 0;
  if (count <= 0) return;
  relay->input_count -= (size_t)count;
  memmove(relay->input, relay->input + count, relay->input_count);
}

static void serve_report(struct relay *relay, const struct perfhud_pty_report *report) {
  switch (report->kind) {
  case PERFHUD_PTY_STARTED: relay->command = report->process; break;
  case PERFHUD_PTY_FAILED: relay->end = (struct perfhud_pty_report){.kind = PERFHUD_PTY_EXITED, .value = 125}; break;
  case PERFHUD_PTY_STOPPED: stop_job(relay); break;
  case PERFHUD_PTY_EXITED:
  case PERFHUD_PTY_KILLED: relay->end = *report; break;
  }
}

static void read_reports(struct relay *relay) {
  struct perfhud_pty_report report;
  ssize_t count = read(relay->supervisor->reports, &report, sizeof report);
  if (count == sizeof report)
    serve_report(relay, &report);
  else if (count == 0 || is_gone(count))
    relay->end = (struct perfhud_pty_report){.kind = PERFHUD_PTY_EXITED, .value = 125};
}

static void serve_signals(struct relay *relay) {
  struct signalfd_siginfo info;
  while (read(relay->supervisor->signals, &info, sizeof info) == sizeof info) {
    int number = (int)info.ssi_signo;
    switch (number) {
    case SIGCHLD:
      while (waitpid(-1, NULL, WNOHANG | __WALL) > 0) {
      }
      break;
    case SIGWINCH: supervisor_set_size(relay->supervisor); break;
    case SIGCONT:
      enter_terminal(relay);
      supervisor_set_size(relay->supervisor);
      break;
    case SIGHUP: hang_up(relay);
    case SIGTSTP: ioctl(relay->supervisor->master, TIOCSIG, number); break;
    case SIGINT:
    case SIGTERM:
    case SIGQUIT:
    case SIGUSR2:
    case SIGALRM:
    case SIGXCPU:
      if (relay->command > 0) kill(relay->command, number);
      break;
    default: break;
    }
  }
}

/* ------------------------------------------------------------------------------- the loop */

static int wait_time(const struct relay *relay) {
  int64_t redraw_at = relay->supervisor->redraw_at;
  if (redraw_at > 0) {
    int64_t left = redraw_at - milliseconds_now();
    return left > 0 ? (int)left : 0;
  }
  if (relay->is_kept && relay->utf8_left > 0) return CHARACTER_PATIENCE;
  return relay->is_background ? BACKGROUND_PERIOD : -1;
}

/* Restores the program's true size, unless the program may not have drawn for the other one yet. */
static void end_redraw(struct relay *relay) {
  int64_t now = milliseconds_now();
  int has_drawn = relay->read_at >= relay->asked_at && now - relay->read_at >= REDRAW_QUIET;
  relay->supervisor->redraw_at = now + REDRAW_QUIET;
  if (!has_drawn && now < relay->asked_at + REDRAW_PATIENCE) return;
  relay->supervisor->redraw_at = 0;
  supervisor_set_size(relay->supervisor);
}

static void turn(struct relay *relay) {
  struct supervisor *self = relay->supervisor;
  int reads_keys = !relay->is_background && relay->input_count < sizeof relay->input;
  struct pollfd ready[] = {
      {.fd = self->signals, .events = POLLIN},
      {.fd = self->reports, .events = POLLIN},
      {.fd = reads_keys ? self->input : -1, .events = POLLIN},
      {.fd = has_output(relay) ? self->output : -1, .events = POLLOUT},
      {.fd = has_output(relay) ? -1 : self->master, .events = POLLIN},
      {.fd = relay->input_count > 0 ? self->master : -1, .events = POLLOUT},
  };
  int count = poll(ready, sizeof ready / sizeof ready[0], wait_time(relay));
  if (self->redraw_at > 0 && milliseconds_now() >= self->redraw_at) end_redraw(relay);
  if (relay->is_background && is_foreground(relay)) enter_terminal(relay);
  if (count <= 0) return;
  if (ready[3].revents != 0) write_output(relay);
  if (ready[4].revents & POLLIN) read_program(relay);
  if (ready[2].revents != 0) read_input(relay);
  if (ready[5].revents != 0) write_input(relay);
  if (ready[0].revents != 0) serve_signals(relay);
  if (ready[1].revents != 0) read_reports(relay);
  /* Everyone who had the program's terminal open has gone; its end is about to be reported. */
  if ((ready[4].revents & POLLHUP) && !(ready[4].revents & POLLIN)) poll(&ready[1], 1, BACKGROUND_PERIOD);
}

static void begin(struct relay *relay) {
  struct supervisor *self = relay->supervisor;
  if (relay->has_begun) return;
  relay->has_begun = 1;
  enter_terminal(relay);
  /* The engine may have read the report, and died before it could act on it. */
  relay->command = self->journal->command;
  relay->holder = tcgetsid(self->master); /* it leads the session there */
  if (!self->journal->is_job_stopped) return serve_report(relay, &self->journal->report);
  /* The engine died while the job was stopped; the job has since been continued. */
  supervisor_set_size(self);
  continue_command(relay);
}

static int is_settled(const struct relay *relay) {
  if (relay->is_background || relay->state != AT_GROUND || has_output(relay) || relay->input_count > 0) return 0;
  return relay->utf8_left == 0 || milliseconds_now() - relay->read_at >= CHARACTER_PATIENCE;
}

int relay_settle(struct relay *relay) {
  begin(relay);
  while (relay->end.kind == 0 && relay->is_kept && !is_settled(relay)) turn(relay);
  /* If the command has ended, there is nothing for an engine to do. */
  return relay->end.kind == 0 && relay->is_kept;
}

void relay_run(struct relay *relay) {
  struct supervisor *self = relay->supervisor;
  relay->is_kept = 0;
  begin(relay);
  if (relay->lock < 0) enter_terminal(relay);
  supervisor_close_events(self);
  self->redraw_at = supervisor_ask_for_redraw(self);
  relay->asked_at = milliseconds_now();
  while (relay->end.kind == 0) turn(relay);
  drain(relay, END_PATIENCE);
  if (!relay->is_background) supervisor_restore_modes(self);
  if (relay->words[0] != 0) dprintf(STDERR_FILENO, "%s\n", relay->words);
  /* The holder waits for this, and then reaps the command. */
  if (self->reports >= 0) close(self->reports);
  if (relay->holder > 0) waitpid(relay->holder, NULL, 0);
  if (relay->end.kind == PERFHUD_PTY_KILLED) supervisor_end(0, relay->end.value);
  int status = relay->end.kind == PERFHUD_PTY_EXITED ? relay->end.value : 0;
  supervisor_end(status != 0 ? status : self->journal->unjudged_status, 0);
}
