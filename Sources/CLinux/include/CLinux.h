#ifndef PERFHUD_CLINUX_H
#define PERFHUD_CLINUX_H
/* Linux calls that Swift's Glibc module lacks: it does not include their headers, they need _GNU_SOURCE, or they are
   variadic. Each function is one system call, except those of orphans.c and memory.c.

   The library products link this target, so it has no constructor and no signal handler, and starts no process.
   Anything that only the program needs is in CProcess. `scripts/check-products.sh` checks this. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/types.h>
#include <time.h>

/* pidfd_open(2): a descriptor that becomes readable when the process ends. -1 and errno on failure. */
int perfhud_pidfd_open(pid_t pid);
/* ppoll(2) with a relative timeout in nanoseconds; a negative timeout waits forever. */
int perfhud_ppoll(struct pollfd *_Nonnull descriptors, unsigned count, int64_t timeout_nanoseconds);
/* pthread_setname_np(3) for the calling thread; at most 15 bytes. */
int perfhud_thread_set_name(const char *_Nonnull name);
/* memfd_create(2), close-on-exec. */
int perfhud_memfd_create(const char *_Nonnull name);
/* getdents64(2). */
long perfhud_getdents64(int descriptor, void *_Nonnull buffer, size_t size);
/* prlimit(2), soft limit of RLIMIT_AS of `pid`; UINT64_MAX for none. 0, or -1 and errno. */
int perfhud_address_space_limit(pid_t pid, uint64_t *_Nonnull limit);

/* The memory of this process, as read by itself. Must be zeroed at first; the file stays open. */
struct perfhud_own_memory {
  int32_t descriptor;       /* of /proc/self/statm, close-on-exec */
  pid_t owner;              /* the process that opened it; 0: none yet */
  uint64_t resident_bytes;  /* field 2 of statm */
  uint64_t anonymous_bytes; /* field 2 - field 3 of statm */
  uint64_t faulted_bytes;   /* ru_minflt of getrusage(2), times the size of a page */
};
/* Reads it again. `own` is the PID of this process. Two system calls, no allocation. Returns 0, or -1 on failure. */
int perfhud_read_own_memory(struct perfhud_own_memory *_Nonnull memory, pid_t own);

/* A received datagram: its sender and the time of sending, as reported by the kernel. */
struct perfhud_datagram {
  uint32_t length;
  int32_t was_cut;             /* it did not fit in its room and was cut */
  int32_t has_sender;          /* pid and uid are known */
  int32_t pid;                 /* in this PID namespace; 0 if the sender is not in it */
  uint32_t uid;
  int32_t has_time;
  uint64_t wall_nanoseconds;   /* CLOCK_REALTIME when it was sent */
};
#define PERFHUD_DATAGRAMS 16
/* recvmmsg(2), never waiting: up to `count` (at most PERFHUD_DATAGRAMS) datagrams, each into `room` bytes of `buffer`.
   Returns their number, or -1 and errno. */
int perfhud_receive(int descriptor, uint8_t *_Nonnull buffer, size_t room,
                    struct perfhud_datagram *_Nonnull list, unsigned count);
/* unix(7): a datagram socket, close-on-exec and non-blocking. For one that receives, the kernel adds the
   sender's credentials and the time of sending, and its file has mode 0600. The descriptor, or -1 and
   errno. */
int perfhud_datagram_socket(int receives);
/* bind(2) or connect(2) to a path; ENAMETOOLONG beyond 107 bytes. 0, or -1 and errno. */
int perfhud_bind_path(int descriptor, const char *_Nonnull path);
int perfhud_connect_path(int descriptor, const char *_Nonnull path);
/* send(2) that neither waits nor raises SIGPIPE. The bytes, or -1 and errno. */
long perfhud_send(int descriptor, const uint8_t *_Nonnull bytes, size_t length);
/* The permissions with which a thread creates and opens files. */
#define PERFHUD_GROUP_LIMIT 1024
typedef struct {
  uid_t user;
  gid_t group;
  int count; /* below 1: the groups have not been changed */
  gid_t groups[PERFHUD_GROUP_LIMIT];
} perfhud_file_rights;
/* setfsuid(2), setfsgid(2) and setgroups(2) for the calling thread: it then creates and opens files as that user,
   without supplementary groups. Does nothing if the user is the current one. The second function restores the
   permissions. */
void perfhud_take_file_rights(uid_t user, gid_t group, perfhud_file_rights *_Nonnull before);
void perfhud_restore_file_rights(const perfhud_file_rights *_Nonnull before);
/* inotify(7): a descriptor, close-on-exec and non-blocking, that becomes readable when the file at the
   path is written to, moved or removed; -1 and errno. */
int perfhud_watch_open(void);
int perfhud_watch_add(int descriptor, const char *_Nonnull path);
void perfhud_watch_remove(int descriptor, int watch);
/* mallinfo2(3): the bytes that the allocator has taken from the kernel, and how many of them are free. */
void perfhud_allocator(uint64_t *_Nonnull taken_bytes, uint64_t *_Nonnull free_bytes);
/* malloc_trim(3). Returns whether memory was released. */
int perfhud_release_memory(void);

/* ioctl_tty(2), TIOCGDEV: the device number of the terminal itself. It is the same for two descriptors of one terminal,
   even if one of them is /dev/tty. 0, or -1 and errno. */
int perfhud_terminal_device(int descriptor, uint32_t *_Nonnull device);

/* orphans.c: prctl(2), PR_SET_CHILD_SUBREAPER. 0, or -1 and errno. */
int perfhud_become_subreaper(void);
/* getrusage(2) of an ended child: CPU time, the part of it in the kernel, and the greatest resident memory of a single
   process. */
struct perfhud_child_usage {
  uint64_t nanoseconds;
  uint64_t system_nanoseconds;
  uint64_t max_resident_bytes;
};
/* waitid(2) with WNOWAIT: whether this process has children. */
int perfhud_has_children(void);
/* waitid(2) with WNOWAIT and WNOHANG: finds a child that has ended, other than `except`. Reports its status as wait4(2)
   does, its session, and what it and the descendants that it waited for have used. Returns its PID, which stays valid
   until perfhud_reap_child, or 0 if there is none. */
pid_t perfhud_find_ended_child(pid_t except, int *_Nonnull status, pid_t *_Nonnull session,
                               struct perfhud_child_usage *_Nonnull used);
/* waitpid(2) with WNOHANG: reaps a child that has ended. */
void perfhud_reap_child(pid_t child);

#endif
