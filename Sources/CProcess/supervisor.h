/* The interface between supervisor.c, which waits for the engine's end, relay.c, which passes bytes after it, and
   restart.c, which starts the next engine. */
#ifndef PERFHUD_SUPERVISOR_H
#define PERFHUD_SUPERVISOR_H
#include "journal_memory.h"
#include "launch.h"

/* No more engines than this are started within a minute. */
#define PERFHUD_MOST_RESTARTS 3

struct supervisor {
  struct journal *journal;
  pid_t engine;
  int socket, signals;
  /* Copies of the engine's descriptors; -1 before the command was started. */
  int master, reports, output, input;
  int64_t last_result; /* of the call in which the engine was killed; below 0: unknown */
  unsigned last_life;
  int unanswered, is_hung_up;
  int is_confirmed; /* there will be a HUD over a command */
  int has_given_back;
  /* See restart.c. */
  int can_restart; /* this process is small enough to be forked again */
  int is_engine;   /* this process is a new engine */
  int events;      /* the socket for events; -1: none */
  pid_t holder;    /* of the command that a new engine has taken over; 0: none */
  int64_t restarts[PERFHUD_MOST_RESTARTS]; /* times of the last restarts; 0: none yet */
  int64_t take_over_due;                   /* the deadline for the new engine to take over */
  int64_t redraw_at;                       /* when to restore the program's true size; 0: it has it */
};

/* The state of the program's output: whether it is within a sequence. */
enum { AT_GROUND, AFTER_ESCAPE, IN_CSI, IN_STRING, IN_STRING_ESCAPE };

/* Passes bytes between terminal and pty without a HUD. */
struct relay {
  struct supervisor *supervisor;
  uint8_t *output; /* bytes for the terminal */
  size_t output_count, output_room, output_done;
  uint8_t input[4096]; /* bytes for the program */
  size_t input_count;
  char words[PERFHUD_JOURNAL_REASON + 120]; /* the message to print; empty once printed */
  int state, utf8_left;
  int is_kept;       /* passed bytes are also recorded in the journal for the next engine */
  int awaits_ground; /* bytes before the end of the current sequence are not recorded */
  int64_t read_at;   /* when the program last wrote */
  int64_t asked_at;  /* when the program was asked to redraw; 0: not yet */
  uint32_t parameter; /* the current parameter of the CSI sequence */
  int is_private;
  int is_alternate, is_line_start;
  int is_background;
  int lock; /* of the terminal; -1: none */
  pid_t holder, command; /* 0 or below: unknown */
  int has_begun;
  struct perfhud_pty_report end; /* kind 0: the command is running */
};

void relay_init(struct relay *relay, struct supervisor *supervisor);
/* Adds bytes for the terminal, unchanged (relay_add) or as output of the program (relay_pass). */
void relay_add(struct relay *relay, const uint8_t *bytes, size_t count);
void relay_pass(struct relay *relay, const uint8_t *bytes, size_t count);
/* Follows a byte of the program. Returns whether a line has just ended at a place where a message may be printed. */
int relay_follow(struct relay *relay, uint8_t byte);
/* Records bytes for the next engine. */
void relay_keep(struct relay *relay, const uint8_t *bytes, size_t count);
/* Runs until the command ends, then ends as the command did. */
_Noreturn void relay_run(struct relay *relay);
/* Runs until another engine can begin: nothing waits, and the program's output is not within a sequence or character.
   Returns 0 if that is not possible, because too much would have to be recorded. */
int relay_settle(struct relay *relay);

/* Makes the program redraw its screen by setting a different size until supervisor_set_size. Returns when to call that;
   0 if there is no size. */
int64_t supervisor_ask_for_redraw(const struct supervisor *self);
void supervisor_set_size(const struct supervisor *self);
void supervisor_replace(int *place, int descriptor);
/* restart.c: whether a new engine may follow the one that has just died. */
int supervisor_may_restart(const struct supervisor *self);
/* Keeps the state at the last checkpoint for the next engine. If the last engine died before it could take over, keeps
   the previous one. Returns 0 if there is none. */
int supervisor_keep_state(const struct supervisor *self);
/* Starts a new engine, in which `is_engine` is set. Returns -1 and errno if it cannot be started. */
int supervisor_restart(struct supervisor *self, struct relay *relay);
/* Closes and removes the event socket: nobody receives events any more. */
void supervisor_close_events(struct supervisor *self);
void supervisor_await_holder(const struct supervisor *self);

void supervisor_restore_modes(const struct supervisor *self);
/* Stops this process by a signal that is blocked, until it is continued. */
void supervisor_stop(int number);
/* Ends this process with a status, or by a signal (above 0). */
_Noreturn void supervisor_end(int status, int number);
/* The descriptor for the signals that a supervisor handles at first; -1 and errno on failure. */
int supervisor_signals(void);
/* Returns when the engine has given back: then nothing of it remains, and all changes are undone. Also returns in a new
   engine, where `is_engine` is set. Call it with all signals blocked and SIGCHLD not ignored. */
void perfhud_supervise_engine(struct supervisor *self, int is_confirmed);
/* Splits this process if its arguments look as if there will be a HUD over a command. */
void perfhud_split_early(int argc, char **argv);
#endif
