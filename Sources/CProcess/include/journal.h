#ifndef PERFHUD_JOURNAL_H
#define PERFHUD_JOURNAL_H
/* journal.c: what the supervisor needs to go on where the engine died.

   The engine reads the program's output into memory that it shares with the supervisor, and its output queue
   lies there too. A checkpoint says: the queue is whole up to here, and these bytes of the program are in it;
   those have still to come. So after a death at any moment no byte of the program is lost or doubled: the
   supervisor writes the rest of the queue, then what the queue did not have yet, then all that comes later. */
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

#define PERFHUD_JOURNAL_BUFFER (1u << 20)
/* Address space. Only pages that were written take memory. */
#define PERFHUD_JOURNAL_QUEUE (16u << 20)
#define PERFHUD_JOURNAL_ERASE (64u << 10)
/* The end of the program's output that the queue does not have yet is copied up to this length. */
#define PERFHUD_JOURNAL_TAIL 256

/* Why the engine gives up, with its end. */
#define PERFHUD_JOURNAL_REASON 256
/* The most bytes of the screen model's state at a checkpoint. */
#define PERFHUD_JOURNAL_STATE 1024

/* At a checkpoint: the terminal is not within a sequence or character, so that other bytes may come. */
#define PERFHUD_AT_GROUND 1
/* A synchronized update of the HUD's own is open. */
#define PERFHUD_UPDATE_OPEN 2
/* The program is on the alternate screen. */
#define PERFHUD_ALTERNATE 4

/* Whether this process is an engine with a supervisor. */
int perfhud_is_supervised(void);
/* The process that the user's shell waits for: the supervisor, else the caller. */
pid_t perfhud_front_process(void);
/* Readable when the supervisor has something to say; -1 without one. */
int perfhud_supervisor_socket(void);
/* The next signal that the supervisor was sent and passes on; 0 when there is no more. */
int perfhud_next_passed_signal(void);
/* Shows that the engine is alive. */
void perfhud_show_life(void);

#define PERFHUD_ARE_YOU_ALIVE 255

/* The memory for the program's output and for the queue, or NULL without a supervisor. Each may be used once. */
uint8_t *_Nullable perfhud_journal_buffer(void);
uint8_t *_Nullable perfhud_journal_queue(void);
/* Where the holder's reports are to be read into, so that the last one outlives this process; or NULL. */
void *_Nullable perfhud_journal_report(void);

/* read(2) into the buffer and write(2) from the queue, counted so that the supervisor knows the number of bytes
   even if this process is killed within the call. Without a supervisor, or for other memory: the plain calls. */
ssize_t perfhud_journal_read(int descriptor, void *_Nonnull to, size_t count);
ssize_t perfhud_journal_write(int descriptor, const void *_Nonnull from, size_t count);

/* Makes a checkpoint, unless nothing has changed since the last one.

   `written` is what the terminal had taken when place 0 of the queue was; `queue_end` the number of bytes in the
   queue; `tail` the `count` bytes in the buffer that have been read and are not in the queue; `next` is where in
   the buffer later bytes will be. */
void perfhud_checkpoint(uint64_t written, uint64_t queue_end, const uint8_t *_Nonnull tail, size_t count,
                        const uint8_t *_Nonnull next, uint32_t flags);
/* Whether bytes that erase the HUD are wanted for the last checkpoint, and the bytes: at most
   PERFHUD_JOURNAL_ERASE, or they are ignored. */
int perfhud_wants_erase(void);
void perfhud_set_erase(const uint8_t *_Nullable bytes, size_t count);

/* The terminal's modes before they were changed: what the supervisor restores. */
void perfhud_set_restore_modes(int is_input, const struct termios *_Nonnull modes);
/* Hands the supervisor copies of descriptors: those of the terminal; those of the pty, before a process is started
   there. */
void perfhud_hand_over_terminal(int output, int input);
void perfhud_hand_over_pty(int master, int reports);
void perfhud_set_command(pid_t command);
/* The job stops with the command, as was reported, or both go on. A supervisor that takes over stops it no more. */
void perfhud_set_job_stopped(int is_stopped);
/* Has the supervisor close its copy of the reports, on which the holder waits at its end. */
void perfhud_release_holder(void);
/* Ends the engine, so that the supervisor says why, and the program keeps running without a HUD. Returns only without a
   supervisor. */
void perfhud_give_up(const char *_Nonnull reason);
/* How the supervisor is to end: with a status, or by a signal. Nothing is to be rescued from now on. */
void perfhud_set_end(int status, int signal);

/* restart.c: with --restart-hud a new engine follows one that died, and takes over the command that runs.

   perfhud_allow_restart is called before perfhud_supervise; without an early split it has no effect. After it,
   perfhud_checkpoint_state returns where the state of the screen model at the next checkpoint is to be put, at most
   PERFHUD_JOURNAL_STATE bytes; else NULL. */
void perfhud_allow_restart(void);
int perfhud_may_restart(void);
void *_Nullable perfhud_checkpoint_state(void);
/* How many engines there were before this one. */
int perfhud_engines_before(void);
/* Whether an engine before this one died, and this one has not taken over yet. It must start no command, and says
   nothing. */
int perfhud_is_taking_over(void);
void perfhud_took_over(void);
/* What the terminal has: the state of the screen model, and what of the program's output it was sent since. NULL if
   nothing is known. */
const void *_Nullable perfhud_last_state(void);
const uint8_t *_Nullable perfhud_output_since(size_t *_Nonnull count);
/* The terminal's modes before they were changed by the first engine: 0, or -1 where they are not known. */
int perfhud_first_modes(int is_input, struct termios *_Nonnull modes);
/* Hands the supervisor a copy of the socket for events, so that it outlives this engine. */
void perfhud_hand_over_events(int socket, const char *_Nonnull path);
/* The socket that was handed over, and its path; -1 if there is none. The descriptor is the caller's. */
int perfhud_events_before(const char *_Nullable *_Nonnull path);

/* split.c: makes this process an engine with a supervisor, unless it has become one before the runtime began: then
   confirms that there will be a HUD over a command. The engine returns; else the process that called becomes the
   supervisor and does not return. Returns 0, or -1 and errno if nothing was split. There must be one thread. */
int perfhud_supervise(void);
/* split.c: ends this process if it was split off before the runtime began and has confirmed nothing: the process that
   was started begins anew, and runs without a supervisor. Only while nothing has been changed or said. */
void perfhud_give_back(void);
/* split.c: whether an engine before this process has given back. What was to be said at the start, it has said. */
int perfhud_was_given_back(void);
/* split.c: whether the perfhud that PERFHUD names still runs. */
int perfhud_has_outer(void);
#endif
