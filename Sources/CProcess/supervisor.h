/* Between supervisor.c, which waits for the engine's end, and relay.c, which goes on after it. */
#ifndef PERFHUD_SUPERVISOR_H
#define PERFHUD_SUPERVISOR_H
#include "journal_memory.h"
#include "launch.h"

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
  uint32_t parameter; /* of the CSI sequence */
  int is_private;
  int is_alternate, is_line_start;
  int is_background;
  int lock; /* of the terminal; -1: none */
  pid_t holder, command; /* not above 0: unknown */
  int64_t redraw_at;
  struct winsize size;
  struct perfhud_pty_report end; /* kind 0: the command runs */
};

void relay_init(struct relay *relay, struct supervisor *supervisor);
/* Adds bytes for the terminal as they are; or as output of the program. */
void relay_add(struct relay *relay, const uint8_t *bytes, size_t count);
void relay_pass(struct relay *relay, const uint8_t *bytes, size_t count);
/* Until the command ends; then ends as the command did. */
_Noreturn void relay_run(struct relay *relay);

void supervisor_restore_modes(const struct supervisor *self);
/* Stops this process by a signal that is blocked, until it is continued. */
void supervisor_stop(int number);
/* Ends this process with a status, or by a signal (above 0). */
_Noreturn void supervisor_end(int status, int number);
/* The descriptor of the signals that a supervisor serves at first; -1 and errno if there is none. */
int supervisor_signals(void);
/* Returns when the engine has given back: then nothing is left of it, and what was changed is as before. All signals
   are blocked, and SIGCHLD is not ignored. */
void perfhud_supervise_engine(struct supervisor *self, int is_confirmed);
/* Splits this process if its arguments look like a HUD over a command. */
void perfhud_split_early(int argc, char **argv);
#endif
