/* Between supervisor.c, which waits for the engine's end, relay.c, which goes on after it, and restart.c, which starts
   the next one. */
#ifndef PERFHUD_SUPERVISOR_H
#define PERFHUD_SUPERVISOR_H
#include "journal_memory.h"
#include "launch.h"

/* More engines than this are not started within a minute. */
#define PERFHUD_MOST_RESTARTS 3

struct supervisor {
  struct journal *journal;
  pid_t engine;
  int socket, signals;
  /* Copies of the engine's; -1 before the command was started. */
  int master, reports, output, input;
  int64_t last_result; /* of the call that the engine was killed in; below 0: none */
  unsigned last_life;
  int unanswered, is_hung_up;
  int is_confirmed; /* there will be a HUD over a command */
  int has_given_back;
  /* See restart.c. */
  int can_restart; /* this process is small enough to be forked again */
  int is_engine;   /* this process is a new engine */
  int events;      /* the socket for events; -1: none */
  pid_t holder;    /* of the command that a new engine has taken over; 0: none */
  int64_t restarts[PERFHUD_MOST_RESTARTS]; /* when; 0: not yet */
  int64_t take_over_due;                   /* by then the new engine has to have taken over */
  int64_t redraw_at;                       /* then the program gets its true size; 0: it has it */
};

/* Where the program's output is within a sequence. */
enum { AT_GROUND, AFTER_ESCAPE, IN_CSI, IN_STRING, IN_STRING_ESCAPE };

/* Bytes between terminal and pty, without a HUD. */
struct relay {
  struct supervisor *supervisor;
  uint8_t *output; /* for the terminal */
  size_t output_count, output_room, output_done;
  uint8_t input[4096]; /* for the program */
  size_t input_count;
  char words[PERFHUD_JOURNAL_REASON + 80]; /* what has still to be said; empty once it was */
  int state, utf8_left;
  int is_kept;       /* what is passed goes to the journal too, for the next engine */
  int awaits_ground; /* what comes before the end of the sequence is not kept */
  int64_t read_at;   /* when the program has written last */
  int64_t asked_at;  /* when it was asked to draw its screen anew; 0: not yet */
  uint32_t parameter; /* of the CSI sequence */
  int is_private;
  int is_alternate, is_line_start;
  int is_background;
  int lock; /* of the terminal; -1: none */
  pid_t holder, command; /* not above 0: unknown */
  int has_begun;
  struct perfhud_pty_report end; /* kind 0: the command runs */
};

void relay_init(struct relay *relay, struct supervisor *supervisor);
/* Adds bytes for the terminal as they are; or as output of the program. */
void relay_add(struct relay *relay, const uint8_t *bytes, size_t count);
void relay_pass(struct relay *relay, const uint8_t *bytes, size_t count);
/* Follows a byte of the program; whether a line has just ended where something may be said. */
int relay_follow(struct relay *relay, uint8_t byte);
/* Keeps bytes for the next engine. */
void relay_keep(struct relay *relay, const uint8_t *bytes, size_t count);
/* Until the command ends; then ends as the command did. */
_Noreturn void relay_run(struct relay *relay);
/* Until another engine can begin: nothing waits, and the program's output is not within a sequence or character.
   Returns 0 if that cannot be, because too much would have to be kept. */
int relay_settle(struct relay *relay);

/* Has the program draw its screen anew: by a size that differs until supervisor_set_size. Returns when that is due; 0
   if there is no size. */
int64_t supervisor_ask_for_redraw(const struct supervisor *self);
void supervisor_set_size(const struct supervisor *self);
void supervisor_replace(int *place, int descriptor);
/* restart.c: whether a new engine may follow the one that has just died. */
int supervisor_may_restart(const struct supervisor *self);
/* Notes the state at the last checkpoint for the next engine, unless one that died before it could take over has left
   one. Returns 0 if there is none. */
int supervisor_keep_state(const struct supervisor *self);
/* Starts a new engine: then `is_engine` is set in it. Returns -1 and errno if it cannot be started. */
int supervisor_restart(struct supervisor *self, struct relay *relay);
/* Nobody receives events any more. */
void supervisor_close_events(struct supervisor *self);
void supervisor_await_holder(const struct supervisor *self);

void supervisor_restore_modes(const struct supervisor *self);
/* Stops this process by a signal that is blocked, until it is continued. */
void supervisor_stop(int number);
/* Ends this process with a status, or by a signal (above 0). */
_Noreturn void supervisor_end(int status, int number);
/* The descriptor of the signals that a supervisor serves at first; -1 and errno if there is none. */
int supervisor_signals(void);
/* Returns when the engine has given back: then nothing is left of it, and what was changed is as before. Or in a new
   engine, which then has `is_engine`. All signals are blocked, and SIGCHLD is not ignored. */
void perfhud_supervise_engine(struct supervisor *self, int is_confirmed);
/* Splits this process if its arguments look like a HUD over a command. */
void perfhud_split_early(int argc, char **argv);
#endif
