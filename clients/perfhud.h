/* perfhud.h: reports what this program does to the perfhud that watches it. One header, C99 or C++, Linux.

   In one source file:            In all that use it:
     #define PERFHUD_IMPLEMENTATION
     #include "perfhud.h"           #include "perfhud.h"

     perfhud_phase("canvas", "🎨", "orange");   perfhud_action("pen.move");   perfhud_frame();

   Without a perfhud, a call reads the time and returns; it looks for one at most once a second. No call ever
   waits for the HUD. You may call from any thread; simultaneous calls wait for each other for at most 50 ms.
   While the HUD has no room, actions are added up, and the last phase, loading text and value of each name
   are kept and sent before the next event. Other events are lost; the HUD shows how many. docs/EVENTS.md is
   the specification.

   SPDX-License-Identifier: MIT */
#ifndef PERFHUD_H
#define PERFHUD_H
#ifdef __cplusplus
extern "C" {
#endif

/* Begins a phase: from now on the program shows or does something else. Also reports how much memory the
   process has now (/proc/self/statm, getrusage(2)), so that the HUD can tell how much each phase keeps.
   icon and color may be NULL; colors: red, orange, yellow, green, cyan, blue, purple, pink, gray. */
void perfhud_phase(const char *name, const char *icon, const char *color);
/* Something happened, once or `count` times; detail may be NULL. */
void perfhud_action(const char *name);
void perfhud_action_with(const char *name, unsigned count, const char *detail);
/* Reports a finished frame. Call it once per turn of the drawing loop. */
void perfhud_frame(void);
/* Shows a text for a moment. */
void perfhud_toast(const char *text);
/* Shows that the program is loading; progress is from 0 to 1, or below 0 if it is not known. */
void perfhud_loading(const char *text, double progress);
void perfhud_loading_done(void);
/* Reports a value of the program's own; unit may be NULL. */
void perfhud_value(const char *name, double number, const char *unit);
/* Sends the waiting events; waits for at most 20 ms for room. Returns 1 if none is left. */
int perfhud_flush(void);
/* Reports how many bytes the program has freed but the allocator still holds, as the value
   allocator.retained, and returns the number. Call it before the next phase begins; then the verdict on the
   phase leaves that memory out. Takes the allocator's locks, for some microseconds.
   Source: mallinfo2(3); 0 if the C library does not have it. */
unsigned long long perfhud_allocator_report(void);
/* Returns free pages of the heap to the kernel, with a report before and after: what a phase still keeps
   then is the program's own. Walks the whole heap, which may take milliseconds. Source: malloc_trim(3). */
unsigned long long perfhud_allocator_trim(void);

#ifdef __cplusplus
}
#endif
#endif /* PERFHUD_H */

#if defined(PERFHUD_IMPLEMENTATION) && !defined(PERFHUD_IMPLEMENTED)
#define PERFHUD_IMPLEMENTED

#include <errno.h>
#include <limits.h> /* defines which C library this is */
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { perfhud_line_limit = 1024, perfhud_datagram_limit = 4096, perfhud_kept_limit = 16 };

struct perfhud_kept {
  char kind;       /* a: action, p: phase, l: loading, v: value, t: toast */
  char name[68];   /* of an action or a value; cut if it is longer */
  unsigned count;  /* of an action */
  long long start; /* of the actions that were added up, in microseconds; 0: not within 0.25 s */
  char rest[800];  /* the line after the count */
};

static struct {
  pid_t holder;      /* of the lock; a forked child must not wait for a thread that only its parent has */
  unsigned long thread; /* of the lock; 0: none */
  unsigned missed;   /* events that did not get the lock */
  int descriptor; /* plus 1; 0: none */
  pid_t process;
  unsigned long long sequence;
  unsigned next_look; /* milliseconds, wrapping around: 32-bit processors read only 32 bits atomically */
  long long retry_at; /* microseconds */
  int kept_count;
  struct perfhud_kept kept[perfhud_kept_limit];
  pid_t memory_owner; /* the process that opened memory; /proc/self is resolved at open(2) */
  int memory;         /* /proc/self/statm */
  unsigned long long page; /* bytes */
  char datagram[perfhud_datagram_limit];
  size_t used;
} perfhud_state;

static long long perfhud_now(void) {
  struct timeval now;
  gettimeofday(&now, NULL);
  return (long long)now.tv_sec * 1000000 + now.tv_usec;
}

/* The next search for a HUD is a second after the last one. The wall clock may be set back. */
static int perfhud_is_early(long long now) {
  unsigned look = __atomic_load_n(&perfhud_state.next_look, __ATOMIC_RELAXED);
  return look - (unsigned)(now / 1000) - 1 < 1000;
}

static void perfhud_look_later(long long now) {
  __atomic_store_n(&perfhud_state.next_look, (unsigned)(now / 1000) + 1000, __ATOMIC_RELAXED);
}

/* Read without the lock. */
static void perfhud_set_descriptor(int descriptor) {
  __atomic_store_n(&perfhud_state.descriptor, descriptor, __ATOMIC_RELAXED);
}

/* Waits for other threads for at most 50 ms, which is far longer than a running thread keeps the lock. A
   signal handler that has interrupted the thread with the lock continues at once, without it. */
static int perfhud_lock(void) {
  pid_t own = getpid();
  unsigned long own_thread = (unsigned long)pthread_self();
  long long until = 0;
  for (int tries = 0;; tries++) {
    pid_t holder = 0;
    if (__atomic_compare_exchange_n(&perfhud_state.holder, &holder, own, 0, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED))
      break;
    if (holder != own &&
        __atomic_compare_exchange_n(&perfhud_state.holder, &holder, own, 0, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED))
      break; /* the parent holds it; its thread does not exist in this forked child */
    if (__atomic_load_n(&perfhud_state.thread, __ATOMIC_RELAXED) == own_thread) return 0;
    if (tries < 100) {
      sched_yield();
    } else {
      struct timeval pause = {0, 50};
      long long now = perfhud_now();
      if (until == 0) until = now + 50000;
      /* The wall clock may be set back. */
      if (now >= until || until - now > 50000) return 0;
      select(0, NULL, NULL, NULL, &pause);
    }
  }
  __atomic_store_n(&perfhud_state.thread, own_thread, __ATOMIC_RELAXED);
  return 1;
}

static void perfhud_unlock(void) {
  __atomic_store_n(&perfhud_state.thread, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&perfhud_state.holder, 0, __ATOMIC_RELEASE);
}

static int perfhud_connect_to(const char *path) {
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  if (strlen(path) >= sizeof address.sun_path) return 0;
  strcpy(address.sun_path, path);
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return 0;
  if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
    close(descriptor);
    return 0;
  }
  perfhud_set_descriptor(descriptor + 1);
  perfhud_state.sequence = 0;
  perfhud_state.kept_count = 0;
  perfhud_state.retry_at = 0;
  return 1;
}

/* Uses a directory only if it is ours and nobody else may enter it. */
static int perfhud_connect_in(const char *directory) {
  struct stat status;
  char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
  if (stat(directory, &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
      (status.st_mode & 077) != 0)
    return 0;
  int length = snprintf(path, sizeof path, "%s/%ld.sock", directory, (long)getpid());
  return length > 0 && (size_t)length < sizeof path && perfhud_connect_to(path);
}

static void perfhud_note_fork(void) {
  pid_t own = getpid();
  if (own == perfhud_state.process) return;
  perfhud_state.process = own;
  perfhud_state.sequence = 0;
  perfhud_state.kept_count = 0;
}

/* Returns whether a HUD receives events. */
static int perfhud_is_heard(long long now) {
  if (perfhud_state.descriptor > 0) {
    perfhud_note_fork();
    return 1;
  }
  if (perfhud_is_early(now)) return 0;
  perfhud_look_later(now);
  perfhud_note_fork();
  const char *path = getenv("PERFHUD_SOCKET");
  if (path && *path && perfhud_connect_to(path)) return 1;
  char directory[200];
  const char *base = getenv("XDG_RUNTIME_DIR");
  if (base && *base == '/' && strlen(base) < 100) {
    snprintf(directory, sizeof directory, "%s/perfhud", base);
    if (perfhud_connect_in(directory)) return 1;
  }
  base = getenv("TMPDIR");
  if (!base || *base != '/' || strlen(base) >= 100) base = "/tmp";
  snprintf(directory, sizeof directory, "%s/perfhud-%ld", base, (long)geteuid());
  return perfhud_connect_in(directory);
}

/* Returns 1 if it was sent, 0 if there is no room, -1 if the HUD is gone. */
static int perfhud_transmit(const char *bytes, size_t length, long long now) {
  for (;;) {
    if (send(perfhud_state.descriptor - 1, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return 1;
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM) {
      perfhud_state.retry_at = now + 100;
      return 0;
    }
    close(perfhud_state.descriptor - 1);
    perfhud_set_descriptor(0);
    perfhud_state.kept_count = 0;
    perfhud_look_later(now);
    return -1;
  }
}

/* Writes a field, as " rss=", and a number; returns the end. Far faster than snprintf(3). */
static char *perfhud_put_number(char *to, const char *field, unsigned long long number) {
  char digits[20];
  int count = 0;
  while (*field) *to++ = *field++;
  do digits[count++] = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  while (count > 0) *to++ = digits[--count];
  *to = 0;
  return to;
}

/* Writes a line and its number, and how long ago a burst of actions was; returns its length. */
static size_t perfhud_write_line(char *to, const struct perfhud_kept *event, long long now) {
  size_t length = strlen(event->rest);
  char *end = to + length;
  perfhud_state.sequence++;
  memcpy(to, event->rest, length);
  if (event->kind == 'a' && event->count != 1) end = perfhud_put_number(end, " n=", event->count);
  if (event->kind == 'a' && event->start > 0 && now - event->start >= 20000)
    end = perfhud_put_number(end, " ago=", (unsigned long long)(now - event->start) / 1000);
  end = perfhud_put_number(end, " seq=", perfhud_state.sequence);
  return (size_t)(end - to);
}

/* Sends the waiting events, several lines per datagram; returns 1 if none is left. */
static int perfhud_send_kept(long long now) {
  int first = 0;
  while (first < perfhud_state.kept_count) {
    unsigned long long before = perfhud_state.sequence;
    int next = first;
    size_t used = 0;
    while (next < perfhud_state.kept_count && used + perfhud_line_limit < perfhud_datagram_limit) {
      if (used > 0) perfhud_state.datagram[used++] = '\n';
      used += perfhud_write_line(perfhud_state.datagram + used, &perfhud_state.kept[next++], now);
    }
    int outcome = perfhud_transmit(perfhud_state.datagram, used, now);
    if (outcome < 0) return 0;
    if (outcome == 0) {
      perfhud_state.sequence = before;
      perfhud_state.kept_count -= first;
      memmove(perfhud_state.kept, perfhud_state.kept + first,
              (size_t)perfhud_state.kept_count * sizeof perfhud_state.kept[0]);
      return 0;
    }
    first = next;
  }
  perfhud_state.kept_count = 0;
  return 1;
}

static void perfhud_keep(const struct perfhud_kept *event, long long now) {
  for (int index = 0; event->kind != 't' && index < perfhud_state.kept_count; index++) {
    struct perfhud_kept *other = &perfhud_state.kept[index];
    if (other->kind != event->kind || strcmp(other->name, event->name) != 0) continue;
    if (event->kind == 'a') {
      unsigned sum = other->count + event->count;
      long long start = now - other->start > 250000 ? 0 : other->start;
      *other = *event;
      other->count = sum < event->count ? ~0u : sum;
      other->start = start;
    } else {
      *other = *event;
      perfhud_state.sequence++; /* the previous one is lost: skip its number */
    }
    return;
  }
  if (event->kind == 'f' || perfhud_state.kept_count == perfhud_kept_limit)
    perfhud_state.sequence++;
  else {
    perfhud_state.kept[perfhud_state.kept_count] = *event;
    perfhud_state.kept[perfhud_state.kept_count++].start = now;
  }
}

static void perfhud_emit(const struct perfhud_kept *event, long long now) {
  char line[perfhud_line_limit];
  if (now < perfhud_state.retry_at && perfhud_state.retry_at - now <= 100) {
    perfhud_keep(event, now);
    return;
  }
  if (!perfhud_send_kept(now)) {
    if (perfhud_state.descriptor > 0) perfhud_keep(event, now);
    return;
  }
  if (perfhud_transmit(line, perfhud_write_line(line, event, now), now) == 0) {
    perfhud_state.sequence--;
    perfhud_keep(event, now);
  }
}

/* Appends a text of up to `limit` bytes, whole characters, percent-encoded. */
static void perfhud_add_text(struct perfhud_kept *event, const char *field, const char *text,
                             size_t limit) {
  size_t used = strlen(event->rest), length = strlen(text);
  if (length > limit) {
    length = limit;
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) length--;
  }
  for (; *field && used + 1 < sizeof event->rest; field++) event->rest[used++] = *field;
  for (size_t index = 0; index < length && used + 4 < sizeof event->rest; index++) {
    unsigned char byte = (unsigned char)text[index];
    if (byte <= 0x20 || byte == 0x7F || byte == '%' || byte == '=')
      used += (size_t)snprintf(event->rest + used, 4, "%%%02X", byte);
    else
      event->rest[used++] = (char)byte;
  }
  event->rest[used] = 0;
}

/* A number in the C locale's form, whatever the locale of the program. */
static void perfhud_add_number(struct perfhud_kept *event, const char *field, double number) {
  size_t used = strlen(event->rest);
  snprintf(event->rest + used, sizeof event->rest - used, "%s%.15g", field, number);
  for (char *byte = event->rest + used + strlen(field); *byte; byte++)
    if (*byte == ',') *byte = '.';
}

static void perfhud_begin(struct perfhud_kept *event, char kind, const char *word) {
  event->kind = kind;
  event->name[0] = 0;
  event->count = 1;
  event->start = 0;
  strcpy(event->rest, word);
}

/* Takes the lock if a HUD may receive events. */
static long long perfhud_enter(void) {
  long long now = perfhud_now();
  /* Without a HUD, return before the lock, which costs a system call. */
  if (__atomic_load_n(&perfhud_state.descriptor, __ATOMIC_RELAXED) == 0 && perfhud_is_early(now))
    return -1;
  if (!perfhud_lock()) {
    __atomic_fetch_add(&perfhud_state.missed, 1, __ATOMIC_RELAXED);
    return -1;
  }
  if (perfhud_is_heard(now)) {
    /* Skip the numbers of the missing events. */
    perfhud_state.sequence += __atomic_exchange_n(&perfhud_state.missed, 0, __ATOMIC_RELAXED);
    return now;
  }
  perfhud_unlock();
  return -1;
}

/* Reads a decimal number and the space after it; returns NULL if there is none. */
static const char *perfhud_read_number(const char *from, unsigned long long *number) {
  if (*from < '0' || *from > '9') return NULL;
  for (*number = 0; *from >= '0' && *from <= '9'; from++)
    *number = *number * 10 + (unsigned long long)(*from - '0');
  return *from == ' ' ? from + 1 : NULL;
}

/* Reads /proc/self/statm from its start; returns its length, or -1. */
static ssize_t perfhud_read_memory(char *text, size_t size) {
  pid_t own = perfhud_state.process;
  if (perfhud_state.memory_owner != own) {
    if (perfhud_state.memory_owner != 0 && perfhud_state.memory >= 0) close(perfhud_state.memory);
    /* Not O_CLOEXEC, which C99 alone does not have. */
    perfhud_state.memory = open("/proc/self/statm", O_RDONLY);
    if (perfhud_state.memory >= 0) fcntl(perfhud_state.memory, F_SETFD, FD_CLOEXEC);
    perfhud_state.memory_owner = own;
    perfhud_state.page = (unsigned long long)sysconf(_SC_PAGESIZE);
  }
#if defined(_GNU_SOURCE) || defined(_DEFAULT_SOURCE) || \
    (defined(_POSIX_C_SOURCE) && _POSIX_C_SOURCE >= 200809L)
  return pread(perfhud_state.memory, text, size, 0);
#else
  if (lseek(perfhud_state.memory, 0, SEEK_SET) != 0) return -1;
  return read(perfhud_state.memory, text, size);
#endif
}

/* Appends the memory of the process; nothing if it cannot be read. */
static void perfhud_add_memory(struct perfhud_kept *event) {
  char text[128];
  const char *from = text;
  unsigned long long size, resident, shared, page;
  struct rusage usage;
  ssize_t length = perfhud_read_memory(text, sizeof text - 1);
  if (length <= 0) return;
  text[length] = 0;
  from = perfhud_read_number(from, &size);
  if (from) from = perfhud_read_number(from, &resident);
  if (from) from = perfhud_read_number(from, &shared);
  if (!from || resident < shared || getrusage(RUSAGE_SELF, &usage) != 0) return;
  page = perfhud_state.page;
  char *to = event->rest + strlen(event->rest);
  if (sizeof event->rest - (size_t)(to - event->rest) < 96) return;
  to = perfhud_put_number(to, " rss=", resident * page);
  to = perfhud_put_number(to, " mem=", (resident - shared) * page);
  perfhud_put_number(to, " faulted=", (unsigned long long)usage.ru_minflt * page);
}

void perfhud_phase(const char *name, const char *icon, const char *color) {
  struct perfhud_kept event;
  if (!name || !*name) return;
  long long now = perfhud_enter();
  if (now < 0) return;
  perfhud_begin(&event, 'p', "phase");
  perfhud_add_text(&event, " ", name, 64);
  if (icon && *icon) perfhud_add_text(&event, " icon=", icon, 24);
  if (color && *color) perfhud_add_text(&event, " color=", color, 16);
  perfhud_add_memory(&event);
  perfhud_emit(&event, now);
  perfhud_unlock();
}

void perfhud_action_with(const char *name, unsigned count, const char *detail) {
  struct perfhud_kept event;
  if (!name || !*name || count == 0) return;
  long long now = perfhud_enter();
  if (now < 0) return;
  perfhud_begin(&event, 'a', "action");
  snprintf(event.name, sizeof event.name, "%.64s", name);
  event.count = count;
  perfhud_add_text(&event, " ", name, 64);
  if (detail && *detail) perfhud_add_text(&event, " detail=", detail, 128);
  perfhud_emit(&event, now);
  perfhud_unlock();
}

void perfhud_action(const char *name) { perfhud_action_with(name, 1, NULL); }

void perfhud_frame(void) {
  struct perfhud_kept event;
  long long now = perfhud_enter();
  if (now < 0) return;
  perfhud_begin(&event, 'f', "frame");
  perfhud_emit(&event, now);
  perfhud_unlock();
}

void perfhud_toast(const char *text) {
  struct perfhud_kept event;
  if (!text || !*text) return;
  long long now = perfhud_enter();
  if (now < 0) return;
  perfhud_begin(&event, 't', "toast");
  /* One character more than the HUD keeps, so that it shows that the text was cut. */
  perfhud_add_text(&event, " ", text, 68);
  perfhud_emit(&event, now);
  perfhud_unlock();
}

void perfhud_loading(const char *text, double progress) {
  struct perfhud_kept event;
  if (!text || !*text) return;
  long long now = perfhud_enter();
  if (now < 0) return;
  perfhud_begin(&event, 'l', "loading");
  perfhud_add_text(&event, " ", text, 68);
  if (progress >= 0) perfhud_add_number(&event, " progress=", progress > 1 ? 1 : progress);
  perfhud_emit(&event, now);
  perfhud_unlock();
}

void perfhud_loading_done(void) {
  struct perfhud_kept event;
  long long now = perfhud_enter();
  if (now < 0) return;
  perfhud_begin(&event, 'l', "loading-done");
  perfhud_emit(&event, now);
  perfhud_unlock();
}

void perfhud_value(const char *name, double number, const char *unit) {
  struct perfhud_kept event;
  /* The difference is 0 unless the number is not finite. */
  if (!name || !*name || number - number != 0) return;
  long long now = perfhud_enter();
  if (now < 0) return;
  perfhud_begin(&event, 'v', "value");
  snprintf(event.name, sizeof event.name, "%.64s", name);
  perfhud_add_text(&event, " ", name, 64);
  perfhud_add_number(&event, " ", number);
  if (unit && *unit) perfhud_add_text(&event, " unit=", unit, 16);
  perfhud_emit(&event, now);
  perfhud_unlock();
}

/* The bytes that were free after the last trim: mallinfo2 still counts them, but they are not in memory. */
static size_t perfhud_given_back;

static size_t perfhud_allocator_free(void) {
  size_t free_bytes = 0;
#ifdef __GLIBC__ /* on its own line: other compilers cannot parse the next one */
#if __GLIBC_PREREQ(2, 33)
  free_bytes = mallinfo2().fordblks;
#endif
#endif
  return free_bytes;
}

unsigned long long perfhud_allocator_report(void) {
  size_t free_bytes = perfhud_allocator_free(), given_back, kept;
  given_back = __atomic_load_n(&perfhud_given_back, __ATOMIC_RELAXED);
  /* The allocator may have reused some of them. */
  if (given_back > free_bytes) {
    given_back = free_bytes;
    __atomic_store_n(&perfhud_given_back, given_back, __ATOMIC_RELAXED);
  }
  kept = free_bytes - given_back;
  perfhud_value("allocator.retained", (double)kept, "B");
  return kept;
}

unsigned long long perfhud_allocator_trim(void) {
  perfhud_allocator_report();
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  __atomic_store_n(&perfhud_given_back, perfhud_allocator_free(), __ATOMIC_RELAXED);
  return perfhud_allocator_report();
}

/* Tries once; stores the descriptor of the HUD, or -1. */
static int perfhud_try_flush(int *descriptor) {
  int is_empty = 1;
  if (!perfhud_lock()) return 0;
  if (perfhud_state.descriptor > 0) {
    perfhud_note_fork();
    is_empty = perfhud_send_kept(perfhud_now()) || perfhud_state.descriptor == 0;
  }
  *descriptor = perfhud_state.descriptor - 1;
  perfhud_unlock();
  return is_empty;
}

int perfhud_flush(void) {
  struct pollfd entry;
  entry.fd = -1;
  entry.events = POLLOUT;
  entry.revents = 0;
  if (perfhud_try_flush(&entry.fd)) return 1;
  return poll(&entry, 1, 20) > 0 && perfhud_try_flush(&entry.fd);
}

#ifdef __cplusplus
}
#endif
#endif /* PERFHUD_IMPLEMENTATION */
