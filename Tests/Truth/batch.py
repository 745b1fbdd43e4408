"""Batch output up to the end of the command, and the command's own peak RSS."""

import os
import re
import select
import signal
import subprocess
import time

from truth import Shown, TruthError, case

OUTPUT = "Batch output to the end"
PEAK = "Peak RSS is the command's own"


# ----------------------------------------------------------------------------------- the last row

def last_row(stage, *command, interval="1s", log=None):
    """Runs a command in batch mode and returns its last row, with what it has logged about itself."""
    done = stage.batch("--batch", "--format", "jsonl", "--interval", interval, "--output",
                       stage.path("rows"), "--", *command)
    if done.returncode != 0 or done.stderr:
        raise TruthError(f"status {done.returncode}, {done.stderr!r}")
    rows = stage.rows("rows")
    if not rows:
        return None, None
    logged = [int(line) for line in stage.read(log).split()] if log else None
    return rows[-1], logged


@case(point=OUTPUT, truth="at 1 s, `sleep 0.73` has one row, of its end", quick=True)
def a_command_shorter_than_the_interval(stage):
    done = stage.batch("--batch", "--format", "jsonl", "--interval", "1s", "--", "sleep", "0.73")
    rows = [line for line in done.stderr.split("\n") if line]
    if not rows:
        return Shown("no row", False)
    ends = [row for row in rows if '"state":"X"' in row]
    elapsed = float(re.search(r'"elapsed_s":([0-9.]+)', rows[-1]).group(1))
    # A machine that pauses makes the sleep longer, not shorter.
    holds = len(ends) == 1 and ends[0] == rows[-1] and elapsed >= 0.72 and len(rows) <= 1 + int(elapsed)
    return Shown(f"{len(rows)} rows, the last at {elapsed:.2f} s in state "
                 f"{re.search('state.:.(.)', rows[-1]).group(1)}", holds)


def cpu_time(stage, milliseconds, children=0, wrapper=(), interval="1s"):
    row, logged = last_row(stage, *wrapper, stage.program("burn"), str(milliseconds),
                           stage.path("log"), str(children), interval=interval, log="log")
    if row is None:
        return Shown("no row", False)
    truth, shown = sum(logged) / 1e9, row["cpu_time_s"]
    # What it uses after its own last look at the clock, until it has ended, is some 2 ms.
    holds = row["state"] == "X" and shown is not None and -0.002 <= shown - truth <= 0.01 + 0.01 * truth
    return Shown(f"{shown} s for {truth:.4f} s, state {row['state']}", holds)


@case(point=OUTPUT, truth="0.57 s of CPU at 1 s: all of it in the last row", quick=True)
def cpu_time_at_the_end(stage):
    return cpu_time(stage, 570)


@case(point=OUTPUT, truth="0.57 s of CPU in 20 short-lived children: all of it in the last row", quick=True)
def cpu_time_of_children(stage):
    return cpu_time(stage, 570, children=19)


@case(point=OUTPUT, truth="0.3 s of CPU after the last sample of a shell's child", quick=True)
def cpu_time_behind_a_shell(stage):
    return cpu_time(stage, 300, children=2, wrapper=("sh", "-c", '"$@"; exit 0', "sh"), interval="200ms")


@case(point=OUTPUT, truth="the row of the end of `true`, at any interval", quick=True)
def a_command_that_ends_at_once(stage):
    states = []
    for interval in ("20ms", "1s", "1h"):
        row, _ = last_row(stage, "true", interval=interval)
        states.append(row["state"] if row else "no row")
    return Shown(", ".join(states), states == ["X", "X", "X"])


@case(point=OUTPUT, truth="without pidfd_open(2): the same rows", quick=True)
def no_pidfd(stage):
    deny = stage.program("deny")
    status, _, said = run_alone(
        stage, [deny, "pidfd", stage.perfhud, "--batch", "--format", "jsonl", "--interval", "1h", "--output",
                stage.path("rows"), "--", "sh", "-c", "sleep 0.2; exit 3"])
    rows = stage.rows("rows") if os.path.exists(stage.path("rows")) else []
    states = "".join(row["state"] for row in rows)
    return Shown(f"status {status}, states {states or 'none'}, {said.strip()!r}",
                 (status, states, said) == (3, "X", ""))


# ----------------------------------------------------------------------- a reader that goes or stalls

def run_alone(stage, words, timeout=30):
    """Runs words in a session of its own, of which nothing is left: (status or "no end", stdout, stderr)."""
    child = subprocess.Popen(words, env=stage.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        output, error = child.communicate(timeout=timeout)
        return child.returncode, output, error
    except subprocess.TimeoutExpired:
        end_session(child)
        return "no end", *child.communicate()
    finally:
        end_session(child)


def end_session(child):
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Piped:
    """perfhud in batch mode whose rows go into a pipe that this process holds."""

    def __init__(self, stage, *arguments, fills=False):
        self.reader, writer = os.pipe()
        if fills:
            os.set_blocking(writer, False)
            try:
                while True:
                    os.write(writer, b"\n" * 4096)
            except BlockingIOError:
                pass
            os.set_blocking(writer, True)
        self.child = subprocess.Popen(
            [stage.perfhud, "--batch", "--format", "jsonl", *arguments], env=stage.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=writer, start_new_session=True)
        os.close(writer)

    def close(self):
        os.close(self.reader)
        self.reader = -1

    def wait(self, seconds=30):
        """The status and the CPU time of perfhud with all it waited for."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            pid, status, usage = os.wait4(self.child.pid, os.WNOHANG)
            if pid:
                self.child.returncode = os.waitstatus_to_exitcode(status)
                if self.reader >= 0:
                    self.close()
                return self.child.returncode, usage.ru_utime + usage.ru_stime
            time.sleep(0.005)
        end_session(self.child)
        self.child.wait()
        if self.reader >= 0:
            self.close()
        return "no end", None


@case(point=OUTPUT, truth="the reader goes after a row, the command runs 1 s: no CPU for it, status 7", quick=True)
def the_reader_goes(stage):
    run = Piped(stage, "--interval", "20ms", "--", "sh", "-c", "sleep 1; exit 7")
    os.read(run.reader, 100)
    run.close()
    status, cpu = run.wait()
    return Shown(f"status {status}, {cpu} s of CPU", status == 7 and cpu < 0.3)


@case(point=OUTPUT, truth="the shell's pipe: `2>&1 >/dev/null | head -1`, status 5", quick=True)
def head_of_one_row(stage):
    script = ('{ "$0" --batch --interval 20ms -- sh -c "sleep 0.4; exit 5" 2>&1 >/dev/null; echo $? >"$1"; }'
              ' | head -1; while ! test -s "$1"; do sleep 0.02; done')
    status, output, _ = run_alone(stage, ["sh", "-c", script, stage.perfhud, stage.path("status")], timeout=20)
    if status == 0:
        status = stage.read("status").strip()
    return Shown(f"{len(output.splitlines())} line, status {status}",
                 status == "5" and len(output.splitlines()) == 1)


@case(point=OUTPUT, truth="TERM, INT and HUP after the reader has gone reach the command", quick=True)
def signals_without_a_reader(stage):
    return signalled(stage, fills=False)


@case(point=OUTPUT, truth="TERM, INT and HUP while the reader stalls reach the command, and end the wait "
      "for the reader after it", quick=True)
def signals_with_a_stalled_reader(stage):
    return signalled(stage, fills=True)


def wait_until(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.005)
    return condition()


def signalled(stage, fills):
    """Sends each signal while the command runs and, where the reader stalls, once more after its end."""
    bad = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        ready = stage.path(f"ready{number}")
        run = Piped(stage, "--interval", "20ms", "--", "sh", "-c",
                    'trap "exit 11" TERM INT HUP; : >"$0"; while :; do sleep 0.02; done', ready, fills=fills)
        if not fills:
            os.read(run.reader, 100)
            run.close()
        wait_until(lambda: os.path.exists(ready))
        run.child.send_signal(number)
        wait_until(lambda: not children(run.child.pid))
        if fills:
            run.child.send_signal(number)
        status, _ = run.wait(10)
        if status != 11:
            bad.append(f"{signal.Signals(number).name}: {status}")
    return Shown("; ".join(bad) or "status 11 each", not bad)


def children(pid):
    """The children of a process that have not ended."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(name))
    return found


@case(point=OUTPUT, truth="a reader that stalls for 0.5 s and comes back gets every row up to the end", quick=True)
def the_reader_stalls(stage):
    run = Piped(stage, "--interval", "20ms", "--", "sh", "-c", "sleep 0.5; exit 4", fills=True)
    time.sleep(1.0)
    data = bytearray()
    while select.select([run.reader], [], [], 20)[0]:
        piece = os.read(run.reader, 65536)
        if not piece:
            break
        data += piece
    status, cpu = run.wait(10)
    rows = [line for line in data.decode().split("\n") if line]
    last = re.search('"state":"(.)"', rows[-1]).group(1) if rows else "no row"
    return Shown(f"status {status}, last row {last}, {cpu} s of CPU",
                 status == 4 and last == "X" and data.endswith(b"\n") and cpu < 0.5)


@case(point=OUTPUT, truth="`--output /dev/full`: the command runs to its end, status 3, one line says why", quick=True)
def a_full_disk(stage):
    status, _, said = run_alone(
        stage, [stage.perfhud, "--batch", "--interval", "20ms", "--output", "/dev/full", "--",
                "sh", "-c", 'sleep 0.3; : >"$0"; exit 3', stage.path("end")])
    lines = said.splitlines()
    holds = (status == 3 and os.path.exists(stage.path("end")) and len(lines) == 1
             and "/dev/full" in lines[0] and "No space left" in lines[0])
    return Shown(f"status {status}, command {'ended' if os.path.exists(stage.path('end')) else 'cut'}, "
                 f"{said.strip()!r}", holds)


@case(point=OUTPUT, truth="TERM with a full disk reaches the command", quick=True)
def signals_with_a_full_disk(stage):
    status, _, said = run_alone(
        stage, [stage.perfhud, "--batch", "--interval", "20ms", "--output", "/dev/full", "--", "sh", "-c",
                'trap "exit 11" TERM; sleep 0.2; kill -TERM $PPID; while :; do sleep 0.02; done'], timeout=10)
    return Shown(f"status {status}, {said.strip()!r}", status == 11 and len(said.splitlines()) == 1)


@case(point=OUTPUT, truth="`--samples` and `--duration` with a command are usage errors that say what to do", quick=True)
def ends_with_a_command(stage):
    said = []
    for option in (("--samples", "3"), ("--duration", "1s")):
        done = stage.batch("--batch", *option, "--", "true")
        said.append(done.returncode == 64 and "timeout 30s" in done.stderr
                    and len(done.stderr.splitlines()) == 1)
    return Shown("64 and one line each" if all(said) else str(said), all(said))


# ------------------------------------------------------------------------------------- peak RSS

UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def shown_peak(text):
    """The peak RSS of the largest process in a summary in KiB, and whether it is marked as a bound."""
    size = r"([0-9.]+) (B|KiB|MiB|GiB)"
    found = re.search(rf"(at most )?{size} peak RSS \(largest process(?: {size})?\)", text)
    if not found:
        raise TruthError(f"no peak RSS in {text[-300:]!r}")
    amount, unit = found.group(4, 5) if found.group(4) else found.group(2, 3)
    return float(amount) * UNITS[unit] / 1024, bool(found.group(1))


def truth_peak(stage, command):
    """What GNU time shows, in KiB: the median of five runs."""
    found = []
    for _ in range(5):
        done = subprocess.run(["/usr/bin/time", "-v", *command], env=stage.environment,
                              capture_output=True, text=True, check=False)
        found.append(int(re.search(r"Maximum resident set size \(kbytes\): (\d+)", done.stderr).group(1)))
    return sorted(found)[2]


def peaks(stage, run):
    """Compares `run(command)`, the text of a summary, with GNU time for some commands."""
    hold = stage.program("hold")
    commands = [["true"], ["sleep", "0.1"], [hold, "50"],
                ["sh", "-c", f"{hold} 20; {hold} 30 & wait; true"]]
    texts, holds = [], True
    for command in commands:
        truth = truth_peak(stage, command)
        shown, is_bound = shown_peak(run(command))
        holds = holds and abs(shown - truth) <= max(300, 0.05 * truth) and not is_bound
        texts.append(f"{shown:.0f}{' at most' if is_bound else ''} for {truth}")
    return Shown(", ".join(texts) + " KiB", holds)


COMMANDS = "of `true`, `sleep`, a program of 50 MiB, a shell with children: GNU time's, "


@case(point=PEAK, truth=COMMANDS + "without a terminal", quick=True)
def peak_direct(stage):
    return peaks(stage, lambda command: stage.batch("--summary", "--", *command).stderr)


@case(point=PEAK, truth=COMMANDS + "in batch mode", quick=True)
def peak_batch(stage):
    return peaks(stage, lambda command: stage.batch(
        "--batch", "--summary", "--output", stage.path("rows"), "--", *command).stderr)


@case(point=PEAK, truth=COMMANDS + "under the HUD", quick=True)
def peak_overlay(stage):
    return peaks(stage, lambda command: stage.overlay("--summary", "--", *command)[1])


@case(point=PEAK, truth=COMMANDS + "under a HUD of another process", quick=True)
def peak_other(stage):
    return peaks(stage, lambda command: stage.overlay(
        "--summary", "--pid", str(os.getpid()), "--overlay", "--", *command)[1])


@case(point=PEAK, truth="without memfd_create(2) the command runs without a HUD, and perfhud says so", quick=True)
def no_frame(stage):
    perfhud, stage.perfhud = stage.perfhud, stage.program("deny")
    status, text = stage.overlay("memfd", perfhud, "--no-summary", "--", "sh", "-c", "echo here; exit 6")
    holds = status == 6 and "here" in text and len(re.findall("perfhud: ", text)) == 1 and "without a HUD" in text
    return Shown(f"status {status}, {text.strip()!r}", holds)
