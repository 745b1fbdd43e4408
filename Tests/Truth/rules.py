"""Rules, rates of actions, lower bounds, and the HUD over a slow link."""

import os
import shlex
import signal
import subprocess
import threading
import time

from truth import Shown, TruthError, case

# MARK: Slow links

COLUMNS, ROWS = 100, 30
# The HUD of the usual size in the top right corner, with a column on each side that a wide character may cut.
HUD_ROWS, HUD_LEFT = 5, COLUMNS - 1 - 38 - 1
LIMIT = 20


class Link:
    """A program in a tmux of its own at the far end of a slow link, under perfhud or bare."""

    def __init__(self, stage, name, seconds, command, answers="all", bare=False, before=""):
        self.stage, self.base, self.socket = stage, stage.path(name), stage.path(f"{name}.socket")
        self.process_file = stage.path(f"{name}.pid")
        relay = stage.program("slowlink", "-lutil")
        words = [] if bare else [stage.perfhud, "--no-summary", "--"]
        start = (f"export LINK={self.base}; {before}"
                 f"echo $$ > {self.process_file}.new; mv {self.process_file}.new {self.process_file}; exec ")
        pane = [relay, str(seconds), answers, "sh", "-c", start + shlex.join(words + command)]
        self.begin = time.monotonic()
        self.tmux("start-server", ";", "set-option", "-g", "default-terminal", "tmux-256color", ";",
                  "set-option", "-g", "status", "off", ";", "set-option", "-g", "remain-on-exit", "on", ";",
                  "set-option", "-s", "escape-time", "0", ";",
                  "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), "--", *pane)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server")

    def tmux(self, *words):
        done = subprocess.run(["tmux", "-S", self.socket, "-f", "/dev/null", *words],
                              env=self.stage.environment, capture_output=True, text=True, check=False)
        return done.stdout

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def key(self, name):
        self.tmux("send-keys", name)

    def rows(self, styled=False):
        return self.tmux("capture-pane", "-p", *(["-e"] if styled else [])).split("\n")[:ROWS]

    def wait(self, what, condition, limit=LIMIT):
        """Waits for a picture; returns it and the seconds since the start, or None at the end of the limit."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            rows = self.rows()
            if condition(rows):
                return rows
            time.sleep(0.03)
        return None

    def rest(self, seconds):
        """Waits until the picture beside the HUD has been the same for some time."""
        last, since = None, time.monotonic()
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            rows = beside(self.rows())
            if rows != last:
                last, since = rows, time.monotonic()
            elif time.monotonic() - since > seconds:
                return
            time.sleep(0.03)

    def wait_for_file(self, ending):
        end = time.monotonic() + LIMIT
        while not os.path.exists(self.base + ending):
            if time.monotonic() > end:
                raise TruthError(f"no {self.base}{ending}")
            time.sleep(0.01)

    def toggle(self):
        with open(self.process_file, encoding="ascii") as file:
            os.kill(int(file.read()), signal.SIGUSR1)


def has_hud(rows):
    """Whether the whole HUD is in the top right corner."""
    text = [row.ljust(COLUMNS)[HUD_LEFT + 1:] for row in rows[:HUD_ROWS]]
    return (len(text) == HUD_ROWS and text[0][0] == "╭" and text[HUD_ROWS - 1][0] == "╰"
            and any("CPU" in row for row in text) and all(row[37] in "╮│╯" for row in text))


def beside(rows):
    """The cells that the HUD does not cover."""
    return [row.ljust(COLUMNS)[:HUD_LEFT] if index < HUD_ROWS else row.rstrip()
            for index, row in enumerate(rows)]


def play_bare(stage, command, script):
    """What the program shows without perfhud on a fast link, with its styles and without."""
    with Link(stage, "bare", 0, command, bare=True) as link:
        script(link)
        link.rest(1)
        return link.rows(), link.rows(styled=True)


def judge_link(link, seconds, script, bare):
    """Plays the script; returns a fault or an empty text, and when the HUD was there."""
    script(link)
    if link.wait("the HUD", has_hud) is None:
        return "no HUD", 0
    came = time.monotonic() - link.begin
    rows = link.wait("the program", lambda rows: has_hud(rows) and beside(rows) == beside(bare[0]))
    if rows is None:
        return "another picture beside the HUD", came
    # With the HUD and without it, twice: what lies beneath comes back from the screen model.
    for _ in range(2):
        link.toggle()
        if link.wait("the picture", lambda rows: link.rows(styled=True) == bare[1]) is None:
            return "another picture with the HUD hidden", came
        link.toggle()
        if link.wait("the HUD again", has_hud) is None:
            return "no HUD after it was hidden", came
    return "", came


def over_links(stage, command, script, delays=None, answers="all"):
    """Plays a program over links of several lengths at once."""
    delays = delays or ([0, 0.35, 1] if stage.quick else [0, 0.35, 0.7, 1, 2])
    bare = play_bare(stage, command, script)
    outcomes = {}

    def play(index, seconds):
        try:
            with Link(stage, f"link{index}", seconds, command, answers) as link:
                outcomes[seconds] = judge_link(link, seconds, script, bare)
        except TruthError as error:
            outcomes[seconds] = (str(error), 0)

    threads = [threading.Thread(target=play, args=pair) for pair in enumerate(delays)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    faults = [f"{seconds} s: {outcomes[seconds][0]}" for seconds in delays if outcomes[seconds][0]]
    came = ", ".join(f"{outcomes[seconds][1]:.1f} s at {seconds} s" for seconds in delays)
    return Shown("; ".join(faults) or f"the HUD after {came}", not faults)


def numbered_file(stage):
    path = stage.path("lines.txt")
    with open(path, "w", encoding="ascii") as file:
        for number in range(200):
            file.write(f"line {number} of a file, {'=' * (number % 60)}\n")
    return path


def only_wait(text):
    def script(link):
        if link.wait(text, lambda rows: any(text in row for row in rows)) is None:
            raise TruthError(f"the program never showed {text}")
    return script


SLOW = "11 slow links"


@case(point=SLOW, truth="less over a link whose answers take 0 to 2 s: the HUD is drawn over the file", quick=True)
def less_over_slow_links(stage):
    return over_links(stage, ["less", numbered_file(stage)], only_wait("line 20 of"))


@case(point=SLOW, truth="vim over the same links", quick=False)
def vim_over_slow_links(stage):
    return over_links(stage, ["vim", "-Nu", "NONE", "-i", "NONE", "-n", numbered_file(stage)],
                      only_wait("line 20 of"))


@case(point=SLOW, truth="bash over the same links, with commands typed before and after the answers", quick=False)
def shell_over_slow_links(stage):
    def script(link):
        # bash reads keys by now, and its prompt may not have come yet.
        link.wait_for_file(".ready")
        time.sleep(0.2)
        link.type("echo typed-ahead-$((20+3))\n")
        only_wait("typed-ahead-23")(link)
        link.type("seq -f '%080g' 5; echo five-$((50+5))\n")
        only_wait("five-55")(link)
    return over_links(stage, ["env", "PS1=ready> ", "PROMPT_COMMAND=: > $LINK.ready", "bash", "--norc",
                              "--noprofile", "-i"], script)


@case(point=SLOW, truth="40 lines of plain output over the same links", quick=False)
def plain_output_over_slow_links(stage):
    return over_links(stage, ["sh", "-c", "seq -f %090g 40; exec sleep 1000"], only_wait("0040"))


@case(point=SLOW, truth="5 lines of plain output over the same links, fewer than the screen has rows")
def few_lines_over_slow_links(stage):
    return over_links(stage, ["sh", "-c", "seq -f %090g 5; exec sleep 1000"], only_wait("0005"))


@case(point=SLOW, truth="keys typed before, between and after late answers reach the program in order, and no "
                        "answer does; the program's own two questions are answered", quick=True)
def keys_and_late_answers(stage):
    faults = []
    script = stage.script("asks.py")
    for seconds in [1] if stage.quick else [0, 0.35, 0.7, 1, 2]:
        log = stage.path(f"keys{seconds}")
        with Link(stage, f"keys{seconds}", seconds, ["python3", script, log],
                  before="stty raw -echo; ") as link:
            sent = ""
            for index in range(12):
                word = f"<{index}>"
                link.type(word)
                sent += word
                time.sleep((seconds + 0.5) / 6)
            link.type("end")
            if link.wait("the end", lambda rows: any("logged" in row for row in rows)) is None:
                faults.append(f"{seconds} s: nothing logged")
                continue
        with open(log, encoding="latin-1") as file:
            got = file.read()
        # The program's own answers, wherever they came between the keys.
        answers = [part for part in ("\x1b[3;1R", "\x1b[?1;2c", "\x1b[?1;2;4c") if got.count(part) == 1]
        rest = got
        for part in answers:
            rest = rest.replace(part, "")
        if len(answers) != 2 or rest != sent + "end":
            faults.append(f"{seconds} s: read {got!r}")
    return Shown("; ".join(faults) or "all keys in order, one answer to each question", not faults)


@case(point=SLOW, truth="after a short command over a link of 2 s nothing is left for who reads next", quick=False)
def nothing_left_at_the_end(stage):
    left = stage.path("left")
    script = (f"{shlex.quote(stage.perfhud)} --no-summary -- true; stty raw -echo min 0 time 40; "
              f"cat > {left}.new; mv {left}.new {left}; echo logged; sleep 100")
    with Link(stage, "left", 2, ["sh", "-c", script], bare=True) as link:
        only_wait("logged")(link)
    text = stage.read("left")
    return Shown(f"{text!r}" if text else "nothing", not text)


@case(point=SLOW, truth="a terminal that answers DA1 and nothing else: 70 lines, then the HUD", quick=True)
def terminal_that_answers_only_da1(stage):
    return over_links(stage, ["sh", "-c", "seq -f %090g 70; exec sleep 1000"], only_wait("0070"),
                      delays=[0.1], answers="da1")


@case(point=SLOW, truth="a terminal that answers nothing: 70 lines, then the HUD", quick=False)
def terminal_that_answers_nothing(stage):
    return over_links(stage, ["sh", "-c", "seq -f %090g 70; exec sleep 1000"], only_wait("0070"),
                      delays=[0.1], answers="none")


# MARK: Rates and counts of actions

ACTIONS = "10 rules and rates"


def at_run(stage, command, *options, seconds=None):
    """Runs a command without a terminal; returns its jsonl rows and what was said on standard error."""
    file = stage.path("rows.jsonl")
    done = stage.batch("--summary", "--batch", "--format", "jsonl", "--output", file, *options, "--", *command)
    return stage.rows("rows.jsonl"), done.stderr


def sent_actions(stage, name):
    """The log of actions.py: Unix seconds and counts."""
    return [tuple(map(float, line.split())) for line in stage.read(name).splitlines()]


@case(point=ACTIONS, truth="35 actions every 2 s are 17.5 a second all the time, and never HIGH", quick=True)
def bursts_every_two_seconds(stage):
    log = stage.path("sent")
    rows, text = at_run(stage, ["python3", stage.script("actions.py"), log, "35", "2", "3"],
                        "--interval", "100ms", "--alert", "actions > 30")
    sent = sent_actions(stage, "sent")
    shown, wrong = [], []
    for row in rows:
        moment = row["t"]
        # A burst that comes to the edge of the window may be counted in part.
        if moment < sent[0][0] + 0.2 or moment > sent[-1][0] + 1.8 or row["actions_per_s"] is None:
            continue
        if any(abs(moment - time - edge) < 0.06 for time, _ in sent for edge in (0, 2)):
            continue
        truth = sum(count for time, count in sent if moment - 2 < time <= moment) / 2
        shown.append(row["actions_per_s"])
        if abs(row["actions_per_s"] - truth) > 0.6:
            wrong.append((round(moment - sent[0][0], 2), row["actions_per_s"], truth))
    raised = "HIGH" in text or "alert" in text
    holds = len(shown) > 30 and not wrong and not raised
    return Shown(f"{min(shown, default=0)} to {max(shown, default=0)}/s in {len(shown)} samples, "
                 f"{'HIGH' if raised else 'not HIGH'}{f', wrong: {wrong[:3]}' if wrong else ''}", holds)


@case(point=ACTIONS, truth="120 actions a second for 4 s are 120 a second and HIGH once")
def steady_actions(stage):
    log = stage.path("sent")
    rows, text = at_run(stage, ["python3", stage.script("actions.py"), log, "12", "0.1", "40"],
                        "--interval", "100ms")
    sent = sent_actions(stage, "sent")
    total = int(sum(count for _, count in sent))
    wrong, shown = [], []
    for row in rows:
        moment = row["t"]
        if row["actions_per_s"] is None or not sent[0][0] + 2.2 < moment < sent[-1][0]:
            continue
        truth = sum(count for time, count in sent if moment - 2 < time <= moment) / 2
        shown.append(row["actions_per_s"])
        # The burst at either edge may be counted in part.
        if abs(row["actions_per_s"] - truth) > 13:
            wrong.append((row["actions_per_s"], truth))
    line = next((line for line in text.splitlines() if line.startswith("  action")), "")
    holds = len(shown) > 5 and not wrong and f": {total}," in line and "HIGH once" in line
    return Shown(f"{line.strip() or 'no line'}; {wrong[:2] or 'all samples agree'}", holds)


@case(point=ACTIONS, truth="of 300 actions 20 were lost on the way: a count of at least 280", quick=True)
def counts_after_losses(stage):
    log = stage.path("sent")
    rows, text = at_run(stage, ["python3", stage.script("actions.py"), log, "10", "0.1", "30", "2"],
                        "--interval", "100ms")
    line = next((line for line in text.splitlines() if line.startswith("  action")), "")
    lost = next((line for line in text.splitlines() if line.startswith("  events")), "")
    marked = sum("actions_per_s" in (row["lower_bounds"] or "").split() for row in rows)
    unmarked = sum("actions_per_s" not in (row["lower_bounds"] or "").split() for row in rows)
    holds = "≥ 280" in line and "20 lost" in lost and marked > 5 and unmarked > 5
    return Shown(f"{line.strip()}; {lost.strip()}; {marked} of {marked + unmarked} samples marked", holds)


# MARK: Lower bounds

@case(point=ACTIONS, truth="threads that live for a moment and switch: the rate is right or marked as a lower bound",
      quick=True)
def switches_of_short_threads(stage):
    program = stage.program("shortthreads", "-pthread")
    rows, _ = at_run(stage, [program, "200", "3"], "--interval", "100ms", "--no-tree")
    rates = [row for row in rows if row["voluntary_switches_per_s"] is not None]
    marked = [row for row in rates
              if "voluntary_switches_per_s" in (row["lower_bounds"] or "").split()]
    shown = [row["voluntary_switches_per_s"] for row in rates]
    return Shown(f"{max(shown, default=0):.0f}/s of some 400, marked in {len(marked)} of {len(rates)} samples",
                 len(rates) > 5 and len(marked) == len(rates), uncertain=False)


@case(point=ACTIONS, truth="children that the kernel reaps (SIGCHLD is ignored): CPU time is marked as a lower bound",
      quick=True)
def children_that_the_kernel_reaps(stage):
    script = ("import os,signal,time\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\nend=time.monotonic()+3\n"
              "while time.monotonic()<end:\n"
              " if os.fork()==0:\n  stop=time.process_time()+0.02\n  while time.process_time()<stop: pass\n"
              "  os._exit(0)\n time.sleep(0.1)\n")
    rows, text = at_run(stage, ["python3", "-c", script], "--interval", "100ms")
    marked = [("cpu_time_s" in (row["lower_bounds"] or "").split()) for row in rows]
    shares = sum("cpu_percent" in (row["lower_bounds"] or "").split() for row in rows)
    cpu = next((line.strip() for line in text.splitlines() if line.startswith("  cpu")), "")
    holds = len(rows) > 10 and marked[-1] and shares > 5 and marked == sorted(marked)
    return Shown(f"{sum(marked)} of {len(rows)} samples marked, {shares} shares; {cpu}", holds)


# MARK: Rules

@case(point=ACTIONS, truth="a burst of CPU at the start, then rest: cpu.p95 and cpu.mean raise no alert")
def aggregates_need_samples(stage):
    script = ("import time\nstop=time.process_time()+0.08\nwhile time.process_time()<stop: pass\ntime.sleep(3)\n")
    for _ in range(3):
        rows, text = at_run(stage, ["python3", "-c", script], "--interval", "100ms", "--alert", "cpu_percent.p95 > 40%",
                            "--alert", "cpu_percent.mean > 40%")
        busy = [row["cpu_percent"] for row in rows if row["cpu_percent"] is not None]
        above = sum(value > 40 for value in busy)
        # On a busy machine the burst takes several samples, which proves nothing.
        if above == 1 and busy[0] == max(busy):
            break
    alerts = [line for line in text.splitlines() if "alert" in line.lower()]
    return Shown(f"{above} of {len(busy)} samples above 40 %, {alerts or 'no alert'}", not alerts,
                 uncertain=above == 0 and not alerts)


@case(point=ACTIONS, truth="80 MiB taken at once are no growth; 8 MiB a second for 6 s are", quick=True)
def a_step_is_no_growth(stage):
    scripts = {
        "step": "import time\ntime.sleep(3)\nx=bytearray(80<<20)\ntime.sleep(6)\n",
        "leak": "import time\nx=[]\nfor i in range(75):\n x.append(bytearray(b'x'*((8<<20)//10)))\n time.sleep(0.1)\n",
    }
    found = {}

    def play(name):
        done = stage.batch("--batch", "--output", stage.path(name), "--interval", "100ms",
                           "--alert", "mem growth > 2MiB/s for 5s", "--", "python3", "-c", scripts[name])
        found[name] = [line for line in done.stderr.splitlines() if "alert" in line.lower()]

    threads = [threading.Thread(target=play, args=[name]) for name in scripts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Shown(f"step: {found['step'] or 'no alert'}; leak: {found['leak'][:1] or 'no alert'}",
                 not found["step"] and bool(found["leak"]))
