"""What the benchmarks share: the machine, the compiler, the tables in a page."""

import os
import platform
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
COLUMNS, ROWS = 120, 40


class BenchError(Exception):
    """What stops a benchmark, as one line for the user."""


def say(text):
    """What is being done, in one line that is written over; only where somebody watches."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def run_program(main):
    """Runs a benchmark as a program: an error is one line, and Ctrl-C is no error."""
    try:
        sys.exit(main())
    except BenchError as error:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


def check_program(path):
    """Fails where what is to be measured has not been built."""
    if not os.access(path, os.X_OK):
        raise BenchError(f"{path} is not there: run make build")


def compile_c(path, flags, sources):
    """Builds one C program and returns its path."""
    result = subprocess.run(["cc", *flags, "-o", path, *sources], capture_output=True, text=True,
                            check=False)
    if result.returncode != 0:
        reason = result.stderr.splitlines()[0] if result.stderr else "no reason given"
        raise BenchError(f"cc cannot build {os.path.basename(path)}: {reason}")
    return path


def add_output_options(parser):
    """The options that `publish` follows."""
    parser.add_argument("--output", metavar="FILE", help="write the tables there, too")
    parser.add_argument("--document", metavar="FILE",
                        help="put each table between its markers in this Markdown page, too")
    parser.add_argument("--figures", metavar="FILE", help="write the figures that have a bar there, as JSON")


def publish(parts, options, notes=None):
    """Prints the parts, and puts them and the figures where the options say."""
    say("")
    if notes:
        notes.write(options.figures)
    text = "\n\n".join("\n".join(lines) for lines in parts.values()) + "\n"
    print(text, end="")
    if options.document:
        fill(options.document, parts)
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(text)


def middle(values, form="{:.0f}"):
    """The median and, in brackets, the least and the most."""
    text = form.format(statistics.median(values))
    if len(values) > 1:
        text += f" ({form.format(min(values))}–{form.format(max(values))})"
    return text


def first_line(command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return (result.stdout or result.stderr).strip().splitlines()[0]


def machine():
    """The date, the kernel, the processors and how busy they are, without a full stop."""
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return (f"{time.strftime('%Y-%m-%d')}, Linux {'.'.join(platform.release().split('.')[:2])}, "
            f"{os.cpu_count()} × {model}, load average {os.getloadavg()[0]:.2f} at the start")


def processes(pid):
    """Those of a perfhud: over a command the supervisor, and the HUD, which is its child."""
    found = [pid]
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        for child in file.read().split():
            with open(f"/proc/{child}/comm", encoding="utf-8", errors="replace") as name:
                if name.read() == "perfhud-hud\n":
                    found.append(int(child))
    return found


def fill(path, parts):
    """Puts each part between its markers in a Markdown page, without its title."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    for name, lines in parts.items():
        begin, end = f"<!-- bench:{name} -->", f"<!-- /bench:{name} -->"
        if begin not in page or end not in page:
            raise BenchError(f"{path} has no markers for {name}")
        # The page has the titles of the parts itself.
        body = [line for line in lines if not line.startswith(("# ", "## "))]
        head, rest = page.split(begin, 1)
        page = head + begin + "\n" + "\n".join(body).strip() + "\n" + end + rest.split(end, 1)[1]
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)
