/* How a new engine follows one that died (--restart-hud).

   The supervisor has never left the constructor in which it was split off (split.c), before Swift's runtime began. So
   it can fork again, and the fork returns from there into the runtime: an engine like the first one, except for what it
   inherits. The command, its pty, the holder and the event socket stay as they were; only the process that draws is
   new.

   The terminal cannot report its state. Therefore the engine adds the state of its screen model to each checkpoint:
   pen, cursor, margins, modes, character sets and saved values, but no cells. The supervisor records what the terminal
   is sent after that: the bytes that erased the HUD, which contain what is beneath it, and the program's. The new
   engine starts with that state, follows these bytes, and knows nothing else of the screen until it is drawn again. */
#define _GNU_SOURCE
#include "milliseconds.h"
#include "supervisor.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  RESTART_PERIOD = 60 * 1000,
  /* The time for the runtime to start and take over the screen, on a busy machine. */
  TAKE_OVER_PATIENCE = 20 * 1000,
  HOLDER_PATIENCE = 1000,
};

/* ------------------------------------------------------------------------------- the supervisor's side */

int supervisor_may_restart(const struct supervisor *self) {
  if (!self->can_restart || !self->journal->may_restart) return 0;
  int64_t oldest = self->restarts[0];
  for (int i = 1; i < PERFHUD_MOST_RESTARTS; i++)
    if (self->restarts[i] < oldest) oldest = self->restarts[i];
  return oldest == 0 || milliseconds_now() - oldest > RESTART_PERIOD;
}

static void note_restart(struct supervisor *self) {
  int oldest = 0;
  for (int i = 1; i < PERFHUD_MOST_RESTARTS; i++)
    if (self->restarts[i] < self->restarts[oldest]) oldest = i;
  self->restarts[oldest] = milliseconds_now();
}

int supervisor_keep_state(const struct supervisor *self) {
  struct journal *journal = self->journal;
  /* An engine that had not taken over has not read or written anything. */
  if (journal->engines_before > 0 && !journal->has_taken_over) return journal->has_last_state;
  const struct checkpoint *last = &journal->checkpoints[atomic_load(&journal->current) & 1];
  journal->has_last_state = last->has_state != 0;
  journal->passed_count = 0;
  if (last->has_state) memcpy(journal->last_state, last->state, sizeof journal->last_state);
  return journal->has_last_state;
}

/* Clears what the last engine has read and written. */
static void clear(struct journal *journal, const struct relay *relay) {
  journal->call.kind = NO_CALL;
  memset((void *)journal->totals, 0, sizeof journal->totals);
  memset(journal->checkpoints, 0, sizeof journal->checkpoints);
  atomic_store(&journal->current, 0);
  journal->checkpoints[0].flags = PERFHUD_AT_GROUND | (relay->is_alternate ? PERFHUD_ALTERNATE : 0);
  journal->sequence = 1;
  journal->erase_sequence = 0;
  journal->erase_count = 0;
  memset(&journal->report, 0, sizeof journal->report);
  journal->is_job_stopped = 0;
  journal->has_end = 0;
  journal->has_given_up = 0;
  journal->has_taken_over = 0;
  journal->engines_before++;
}

static int master = -1, reports = -1, events = -1;

/* Makes this process the new engine, and closes what only the supervisor uses. */
static void become_engine(struct supervisor *self, int socket) {
  prctl(PR_SET_PDEATHSIG, SIGHUP);
  if (getppid() != self->journal->supervisor) _exit(1);
  supervisor_replace(&self->socket, -1);
  supervisor_replace(&self->signals, -1);
  supervisor_replace(&self->output, -1);
  supervisor_replace(&self->input, -1);
  master = self->master;
  reports = self->reports;
  events = self->events;
  self->is_engine = 1;
  perfhud_become_engine(self->journal, socket);
}

int supervisor_restart(struct supervisor *self, struct relay *relay) {
  int ends[2];
  if (relay->holder <= 0 || relay->command <= 0) {
    errno = ESRCH;
    return -1;
  }
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  clear(self->journal, relay);
  note_restart(self);
  self->holder = relay->holder;
  /* The new engine locks the terminal. If another process has taken it by then, the engine notices. */
  supervisor_replace(&relay->lock, -1);
  pid_t engine = _Fork();
  int error = errno;
  if (engine == 0) {
    close(ends[1]);
    become_engine(self, ends[0]);
    return 0;
  }
  close(ends[0]);
  if (engine < 0) {
    close(ends[1]);
    errno = error;
    return -1;
  }
  self->engine = engine;
  supervisor_replace(&self->socket, ends[1]);
  self->last_result = -1;
  self->last_life = atomic_load(&self->journal->life);
  self->unanswered = self->is_hung_up = 0;
  self->take_over_due = milliseconds_now() + TAKE_OVER_PATIENCE;
  ptrace(PTRACE_SEIZE, engine, NULL, PTRACE_O_TRACEEXIT);
  return 0;
}

void supervisor_close_events(struct supervisor *self) {
  if (self->events < 0) return;
  unlink(self->journal->events_path);
  supervisor_replace(&self->events, -1);
}

void supervisor_await_holder(const struct supervisor *self) {
  if (self->holder <= 0) return;
  /* The holder ends as soon as nobody has its reports open. */
  int process = perfhud_process_open(self->holder);
  struct pollfd ended = {.fd = process, .events = POLLIN};
  if (self->reports >= 0) close(self->reports);
  if (process >= 0) poll(&ended, 1, HOLDER_PATIENCE);
}

/* ------------------------------------------------------------------------------- the engine's side */

void perfhud_allow_restart(void) {
  struct journal *journal = perfhud_journal();
  if (journal != NULL) journal->may_restart = 1;
}

int perfhud_may_restart(void) {
  const struct journal *journal = perfhud_journal();
  return journal != NULL && journal->may_restart;
}

int perfhud_engines_before(void) {
  const struct journal *journal = perfhud_journal();
  return journal != NULL ? journal->engines_before : 0;
}

int perfhud_is_taking_over(void) {
  const struct journal *journal = perfhud_journal();
  return journal != NULL && journal->engines_before > 0 && !journal->has_taken_over;
}

void perfhud_took_over(void) {
  struct journal *journal = perfhud_journal();
  if (journal == NULL || journal->engines_before == 0) return;
  journal->has_taken_over = 1;
  perfhud_tell_supervisor(TOOK_OVER);
}

void perfhud_adopt_pty(struct perfhud_pty *pty) {
  *pty = (struct perfhud_pty){.master = master,
                              .reports = reports,
                              .holder = tcgetsid(master),
                              .command = perfhud_journal()->command};
  master = reports = -1;
}

const void *perfhud_checkpointed_state(void) {
  const struct journal *journal = perfhud_journal();
  return journal != NULL && journal->engines_before > 0 && journal->has_last_state ? journal->last_state : NULL;
}

const uint8_t *perfhud_output_since(size_t *count) {
  const struct journal *journal = perfhud_journal();
  if (perfhud_checkpointed_state() == NULL) return NULL;
  *count = journal->passed_count;
  return journal->passed;
}

int perfhud_first_modes(int is_input, struct termios *modes) {
  const struct journal *journal = perfhud_journal();
  if (journal == NULL || journal->engines_before == 0) return -1;
  /* If input and output are the same terminal, its modes are stored only once. */
  int place = is_input && journal->has_modes[1];
  if (!journal->has_modes[place]) return -1;
  *modes = journal->modes[place];
  return 0;
}

void perfhud_hand_over_events(int socket, const char *path) {
  struct journal *journal = perfhud_journal();
  if (!perfhud_may_restart() || strlen(path) >= sizeof journal->events_path) return;
  strcpy(journal->events_path, path);
  perfhud_hand_over(THE_EVENTS, socket, socket);
}

int perfhud_events_before(const char **path) {
  int found = events;
  events = -1;
  *path = found >= 0 ? perfhud_journal()->events_path : NULL;
  return found;
}
