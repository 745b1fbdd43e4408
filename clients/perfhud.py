"""Reports what this program does to the perfhud that watches it. One file, Python 3.7 or newer, Linux.

    import perfhud
    perfhud.phase("canvas", icon="🎨", color="orange")
    perfhud.action("pen.move")

Without a perfhud, a call reads the time and returns; it looks for one at most once a second. No call but
flush waits for the HUD. You may call from any thread; simultaneous calls wait for each other for at most 5 ms.
While the HUD has no room, actions are added up, and the last phase, loading text and value of each name
are kept and sent before the next event. Other events are lost; the HUD shows how many. docs/EVENTS.md is
the specification.

SPDX-License-Identifier: MIT
"""
import atexit
import errno
import math
import os
import resource
import select
import socket
import stat
import sys
import threading
import time

__all__ = [
    "phase", "action", "frame", "toast", "loading", "loading_done", "value", "flush",
    "allocator_report", "allocator_trim", "COLORS",
]
COLORS = ("red", "orange", "yellow", "green", "cyan", "blue", "purple", "pink", "gray")

_LINE_LIMIT = 1024
_DATAGRAM_LIMIT = 4096
_KEPT_LIMIT = 16
_LOOK_PERIOD = 1.0
_PAUSE = 0.0001

_lock = threading.RLock()  # never taken twice; reentrant only because it knows its owner
_missed = 0  # events that found the lock taken
_socket = None
_sequence = 0
_next_look = 0.0
_retry_at = 0.0
_kept = {}  # key: [line, count, start of a burst of actions or 0]; in the order of their first event
_BURST = 0.25  # actions that were added up over a longer time have no time
_actions = {}  # name: its key and its line up to the fields
_ACTIONS_LIMIT = 256
_COUNT_LIMIT = 0xFFFFFFFF
_FLAGS = socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL
# The encoded form of each byte of a text.
_CODES = [b"%%%02X" % byte if byte <= 0x20 or byte in (0x7F, 0x25, 0x3D) else bytes((byte,))
          for byte in range(256)]


def phase(name, icon=None, color=None):
    """Begins a phase: from now on the program shows or does something else. COLORS lists the colors. Also
    reports how much memory the process has now (/proc/self/statm, getrusage(2)), so that the HUD can tell
    how much each phase keeps."""
    global _sequence
    # If no event is waiting, this function sends the event itself, and does here what _may_enter, _enter and
    # _leave do if nothing is unusual: each function call costs time.
    now = _monotonic()
    if _socket is None and now < _next_look:
        return
    line = _heads.get((name, icon, color)) or _phase_head(name, icon, color)
    if line is None:
        return
    lock = _lock
    mine = not lock._is_owned() or _may_enter()
    try:
        if (not mine or _missed or not lock.acquire(False)) and not _enter(mine):
            return
        if _socket is None and not _connect(now):
            return
        if now < _retry_at or _kept:
            return _emit(_PHASE, _with_memory(line), 1, now)
        try:
            # As _with_memory does.
            _, resident, shared, _ = _pread(_memory, 128, 0).split(b" ", 3)
            resident = int(resident) * _PAGE
            text = b"%b rss=%d mem=%d faulted=%d seq=%d" % (
                line, resident, resident - int(shared) * _PAGE, _getrusage(_SELF).ru_minflt * _PAGE,
                _sequence + 1)
        except (OSError, TypeError, ValueError):  # before the first read _memory is None
            line = _with_memory(line)
            text = b"%b seq=%d" % (line, _sequence + 1)
        _sequence += 1
        try:
            _socket.send(text, _FLAGS)
        except OSError as error:
            if not _is_over(error, now):
                _sequence -= 1
                _keep(_PHASE, text[:text.rindex(b" seq=")], 1, now)
    finally:
        if mine and _lock._is_owned():
            _lock.release()


_PHASE = ("phase",)
_heads = {}  # the encoded start of the line, by name, icon and color


def _phase_head(name, icon, color):
    encoded = _encode(name, 64)
    if not encoded:
        return None
    line = b"phase " + encoded
    if icon is not None and icon != "":
        line += b" icon=" + _encode(icon, 24)
    if color is not None and color != "":
        line += b" color=" + _encode(color, 16)
    if len(_heads) >= 64:
        _heads.clear()
    _heads[name, icon, color] = line
    return line


# Local names, because looking up an attribute of another module costs time.
_monotonic, _pread = time.monotonic, os.pread
_getrusage, _SELF = resource.getrusage, resource.RUSAGE_SELF
_PAGE = resource.getpagesize()
_memory = None  # the descriptor of /proc/self/statm; open(2) resolves "self"


def _with_memory(line):
    """Adds the resident, private anonymous and faulted-in bytes, if they can be read."""
    global _memory
    try:
        if _memory is None:
            _memory = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
        _, resident, shared, _ = _pread(_memory, 128, 0).split(b" ", 3)
        resident = int(resident) * _PAGE
        return b"%b rss=%d mem=%d faulted=%d" % (
            line, resident, resident - int(shared) * _PAGE, _getrusage(_SELF).ru_minflt * _PAGE)
    except (OSError, ValueError):
        return line


def action(name, count=1, detail=None):
    """Something happened, `count` times."""
    # Fast path: a name is encoded only once, and while the HUD has no room an action is only counted.
    now = _monotonic()
    if count < 1 or (_socket is None and now < _next_look):
        return
    mine = _may_enter()
    try:
        if not _enter(mine) or (_socket is None and not _connect(now)):
            return
        known = _actions.get(name) or _learn(name)
        if known is None:
            return
        key, line = known
        if detail is not None and detail != "":
            line += b" detail=" + _encode(detail, 128)
        elif now < _retry_at and key in _kept:
            kept = _kept[key]
            kept[1] = min(kept[1] + int(count), _COUNT_LIMIT)
            if now - kept[2] > _BURST:
                kept[2] = 0.0
            return
        _emit(key, line, min(int(count), _COUNT_LIMIT), now)
    finally:
        _leave(mine)


def frame(ms=None):
    """Reports a finished frame and, optionally, its duration. Call it once per turn of the drawing loop."""
    _send(None, "frame", ms=(ms, 0))


def toast(text):
    """Shows a text for a moment."""
    # One character more than the HUD keeps, so that it shows that the text was cut.
    _send(("toast", object()), "toast", text, 68)


def loading(text, progress=None):
    """Shows that the program is loading; progress is from 0 to 1."""
    if progress is not None:
        progress = min(1.0, max(0.0, progress))
    _send(("loading",), "loading", text, 68, progress=(progress, 0))


def loading_done():
    """Ends the loading message."""
    _send(("loading",), "loading-done")


def value(name, number, unit=None):
    """Reports a value of the program's own. A number that is not finite is not sent."""
    if math.isfinite(number):
        _send(("value", name), "value", name, 64, number=number, unit=(unit, 16))


def allocator_report():
    """Reports how many free bytes the allocators of the C library and of CPython hold, as the value
    allocator.retained, and returns the number. Call it before the next phase begins; then the verdict on
    the phase leaves that memory out. Takes about 0.3 ms with 70 MB of small objects.
    Source: mallinfo2(3) and _PyObject_DebugMallocStats; a missing one counts as 0."""
    global _given_back
    free = _allocator_free()
    # The allocator may have reused some of the bytes that were given back.
    _given_back = min(_given_back, free)
    retained = free - _given_back + _object_allocator_free()
    value("allocator.retained", retained, "B")
    return retained


def allocator_trim():
    """Returns free pages of the C library's heap to the kernel, with a report before and after. Walks the
    whole heap, which may take milliseconds. Source: malloc_trim(3)."""
    global _given_back
    allocator_report()
    if hasattr(_libc(), "malloc_trim"):
        _libc().malloc_trim(0)
    _given_back = _allocator_free()
    return allocator_report()


_given_back = 0  # bytes that mallinfo2 counts as free but that are no longer in memory
_library = None


def _libc():
    global _library
    if _library is None:
        import ctypes  # takes milliseconds, so import it only when needed
        _library = ctypes.CDLL(None)
        if hasattr(_library, "open_memstream"):
            _library.open_memstream.restype = ctypes.c_void_p
        if hasattr(_library, "mallinfo2"):
            _library.mallinfo2.restype = type("Mallinfo2", (ctypes.Structure,), {"_fields_": [
                (name, ctypes.c_size_t) for name in (
                    "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
                    "fordblks", "keepcost")]})
    return _library


def _allocator_free():
    return _libc().mallinfo2().fordblks if hasattr(_libc(), "mallinfo2") else 0


def _object_allocator_free():
    """The free bytes in CPython's arenas for objects of up to 512 bytes: free blocks in used pools, and
    free pools."""
    import ctypes
    import re
    libc = _libc()
    python = getattr(ctypes, "pythonapi", None)
    if not hasattr(python, "_PyObject_DebugMallocStats") or not hasattr(libc, "open_memstream"):
        return 0
    text, size = ctypes.c_char_p(), ctypes.c_size_t()
    stream = ctypes.c_void_p(libc.open_memstream(ctypes.byref(text), ctypes.byref(size)))
    if not stream:
        return 0
    try:
        python._PyObject_DebugMallocStats(stream)
        libc.fflush(stream)
        stats = text.value
    finally:
        libc.fclose(stream)
        libc.free(text)
    return sum(int(number.replace(b",", b"")) for number in re.findall(
        rb"^(?:# bytes in available blocks|\d+ unused pools \* \d+ bytes) *= *([\d,]+)", stats, re.M))


def flush():
    """Sends the waiting events. Waits for at most 20 ms until there is room. Returns True if none is left."""
    return _flush() or (_wait_for_room() and _flush())


def _flush():
    mine = _may_enter()
    try:
        if not _enter(mine, is_event=False):
            return False
        return _socket is None or _send_kept(time.monotonic()) or _socket is None
    finally:
        _leave(mine)


def _wait_for_room():
    hud = _socket
    try:
        return hud is None or bool(select.select([], [hud], [], 0.02)[1])
    except (OSError, ValueError):
        return False


def _may_enter():
    """Returns whether this call may take the lock: not in a signal handler that interrupted another call of
    the same thread. Releases a lock that an exception in such a handler has left locked."""
    if not _lock._is_owned():
        return True
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals is _GLOBALS:
        frame = frame.f_back
    while frame is not None:
        if frame.f_globals is _GLOBALS:
            return False
        frame = frame.f_back
    _lock.release()
    return True


_GLOBALS = globals()


def _enter(mine, is_event=True):
    """Takes the lock within 5 ms, or counts the event as missing. Call it inside the try block that releases the
    lock: a signal handler may raise an exception at any time."""
    global _missed, _sequence
    if not mine or not (_lock.acquire(False) or _lock.acquire(timeout=0.005)):
        _missed += 1 if is_event else 0
        return False
    if _missed:  # skip the numbers of the missing events
        _sequence += _missed
        _missed = 0
    return True


def _leave(mine):
    if mine and _lock._is_owned():
        _lock.release()


def _encode(text, limit):
    raw = str(text).encode("utf-8", "replace")
    if len(raw) > limit:
        raw = raw[:limit].decode("utf-8", "ignore").encode("utf-8")
    return raw if raw.isalnum() else b"".join([_CODES[byte] for byte in raw])


def _learn(name):
    """Returns key and line of an action; None without a name. Clears the table when it is full."""
    encoded = _encode(name, 64)
    if not encoded:
        return None
    if len(_actions) == _ACTIONS_LIMIT:
        _actions.clear()
    known = _actions[name] = (("action", name), b"action " + encoded)
    return known


def _send(key, word, text=None, limit=0, number=None, **fields):
    now = _monotonic()
    if _socket is None and now < _next_look:
        return
    mine = _may_enter()
    try:
        if not _enter(mine) or (_socket is None and not _connect(now)):
            return
        parts = [word.encode()]
        if text is not None:
            encoded = _encode(text, limit)
            if not encoded:
                return
            parts.append(encoded)
        if number is not None:
            parts.append(b"%.15g" % number)
        for name, (content, room) in fields.items():
            if content is None or content == "":
                continue
            shown = _encode(content, room) if room else b"%.15g" % content
            parts.append(name.encode() + b"=" + shown)
        _emit(key, b" ".join(parts), 1, now)
    finally:
        _leave(mine)


def _line(line, count):
    global _sequence
    _sequence += 1
    if count == 1:
        return b"%b seq=%d" % (line, _sequence)
    return b"%b n=%d seq=%d" % (line, count, _sequence)


def _emit(key, line, count, now):
    global _sequence
    if now < _retry_at or (_kept and not _send_kept(now)):
        if _socket is not None:
            _keep(key, line, count, now)
        return
    if _transmit(_line(line, count), now) is False:
        _sequence -= 1
        _keep(key, line, count, now)


def _keep(key, line, count, now):
    """Keeps an event for later. An event that cannot be kept uses up a number, so the HUD sees the gap."""
    global _sequence
    if key in _kept:
        start = _kept[key][2]
        if key[0] == "action":
            count += _kept[key][1]
        else:
            _sequence += 1
        _kept[key] = [line, min(count, _COUNT_LIMIT), start if now - start <= _BURST else 0.0]
    elif key is None or len(_kept) == _KEPT_LIMIT:
        _sequence += 1
    else:
        _kept[key] = [line, count, now]


def _send_kept(now):
    """Sends the waiting events, several lines per datagram: the kernel limits the number of datagrams."""
    global _sequence
    while _kept:
        before, lines, size = _sequence, [], 0
        for key, (line, count, start) in _kept.items():
            if size + _LINE_LIMIT > _DATAGRAM_LIMIT:
                break
            if key[0] == "action" and start and now - start >= 0.02:
                line += b" ago=%d" % ((now - start) * 1000)
            lines.append(_line(line, count))
            size += len(lines[-1]) + 1
        outcome = _transmit(b"\n".join(lines), now)
        if outcome is None:
            return False
        if outcome is False:
            _sequence = before
            return False
        for key in list(_kept)[:len(lines)]:
            del _kept[key]
    return True


def _transmit(data, now):
    """True: sent. False: there is no room. None: the HUD has gone."""
    try:
        _socket.send(data, _FLAGS)
        return True
    except OSError as error:
        return None if _is_over(error, now) else False


def _is_over(error, now):
    """Returns whether the HUD is gone. Otherwise it had no room; the next attempt comes after a pause."""
    global _retry_at, _next_look
    if isinstance(error, BlockingIOError) or error.errno in (errno.ENOBUFS, errno.ENOMEM):
        _retry_at = now + _PAUSE
        return False
    _disconnect()
    _next_look = now + _LOOK_PERIOD
    return True


def _connect(now):
    global _next_look
    if now < _next_look:
        return False
    _next_look = now + _LOOK_PERIOD
    above = os.environ.get("PERFHUD_SOCKET")
    if above and _connect_to(above):
        return True
    places = []
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/"):
        places.append(runtime + "/perfhud")
    temporary = os.environ.get("TMPDIR", "")
    if not temporary.startswith("/"):
        temporary = "/tmp"
    places.append("%s/perfhud-%d" % (temporary, os.geteuid()))
    for place in places:
        try:
            found = os.lstat(place)
        except OSError:
            continue
        # Use the directory only if it is ours and nobody else may enter it.
        is_safe = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
        if is_safe and not found.st_mode & 0o077 and _connect_to(
                "%s/%d.sock" % (place, os.getpid())):
            return True
    return False


def _connect_to(path):
    global _socket, _sequence, _retry_at
    found = None
    try:
        found = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        found.setblocking(False)
        found.connect(path)
    except OSError:
        if found is not None:
            found.close()
        return False
    _socket = found
    _sequence = 0
    _retry_at = 0.0
    _kept.clear()
    return True


def _disconnect():
    global _socket
    if _socket is not None:
        _socket.close()
    _socket = None
    _kept.clear()


def _after_fork():
    """A forked child is another sender: its numbers start over, and its parent's waiting events are dropped."""
    global _lock, _missed, _sequence, _memory
    if _memory is not None:
        os.close(_memory)
        _memory = None
    _lock = threading.RLock()
    _missed = 0
    _sequence = 0
    _kept.clear()


os.register_at_fork(after_in_child=_after_fork)
atexit.register(flush)
