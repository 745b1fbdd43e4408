#!/usr/bin/env python3
"""Scrapes a run through node_exporter and Prometheus's own checker, and compares with the recording of the run.

make test-exports installs what it needs: Debian's prometheus and prometheus-node-exporter.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PERFHUD = os.path.abspath(os.environ.get("PERFHUD_BINARY", os.path.join(ROOT, ".build/release/perfhud")))
# What the program reports, and for how long it runs after that: longer than the time between two writes.
PROGRAM = """
for i in 1 2 3; do "$HUD_BINARY" emit action redraw; "$HUD_BINARY" emit action 'say "a\\b"'; done
"$HUD_BINARY" emit phase canvas; "$HUD_BINARY" emit phase gallery; "$HUD_BINARY" emit phase canvas
i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done
sleep 14
"""
DEADLINE = 30


def wait_for(what, condition):
    """Returns the first true value of a condition."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    sys.exit(f"exports: waited {DEADLINE} s in vain for {what}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def scrape(port):
    """The series of perfhud that node_exporter has, by name with labels; nothing while it does not listen."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            lines = answer.read().decode().splitlines()
    except OSError:
        return {}
    errors = [line for line in lines if line.startswith("node_textfile_scrape_error")]
    if errors != ["node_textfile_scrape_error 0"]:
        sys.exit(f"exports: node_exporter refuses the file: {errors}")
    found = (line.rsplit(" ", 1) for line in lines if line.startswith("perfhud_"))
    return {name: float(value) for name, value in found}


def rows(recording):
    text = subprocess.run([PERFHUD, "export", recording], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def run(folder):
    prom, recording = os.path.join(folder, "run.prom"), os.path.join(folder, "run.phr")
    port = free_port()
    exporter = subprocess.Popen(
        ["prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile",
         f"--collector.textfile.directory={folder}", f"--web.listen-address=127.0.0.1:{port}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    environment = dict(os.environ, HUD_BINARY=PERFHUD, XDG_RUNTIME_DIR=folder)
    environment.pop("PERFHUD_SOCKET", None)
    program = subprocess.Popen(
        [PERFHUD, "--record", recording, "--prometheus", prom, "--batch", "-o", "/dev/null", "--no-summary",
         "--", "sh", "-c", PROGRAM], env=environment, stdin=subprocess.DEVNULL)
    try:
        def complete():
            # The first text may be from before the events.
            found = scrape(port)
            return found if found.get('perfhud_phase_visits_total{phase="canvas"}') == 2 else None

        series = wait_for("the events in the metrics", complete)
        with open(prom, encoding="utf-8") as text:
            checked = subprocess.run(["promtool", "check", "metrics"], stdin=text, capture_output=True, text=True)
        if os.stat(prom).st_mode & 0o777 != 0o644:
            sys.exit("exports: others cannot read the file")
        if program.wait(DEADLINE) != 0:
            sys.exit(f"exports: perfhud ended with {program.returncode}")
    finally:
        for process in (program, exporter):
            process.kill()
            process.wait()
    if checked.returncode != 0 or checked.stderr:
        sys.exit(f"exports: promtool: {checked.stdout}{checked.stderr}")
    if os.path.exists(prom):
        sys.exit("exports: the file is still there after the end")
    return series, rows(recording)


def compare(series, recorded):
    expected = {
        'perfhud_actions_total{action="redraw"}': 3,
        'perfhud_actions_total{action="say \\"a\\\\b\\""}': 3,
        'perfhud_phase_visits_total{phase="gallery"}': 1,
    }
    for name, value in expected.items():
        if series.get(name) != value:
            sys.exit(f"exports: {name} is {series.get(name)}, not {value}")
    seconds = series["perfhud_process_cpu_seconds_total"]
    match = [row for row in recorded if row["cpu_time_s"] is not None and abs(row["cpu_time_s"] - seconds) < 1e-6]
    if not any(row["rss_bytes"] == series["perfhud_process_resident_memory_bytes"] for row in match):
        sys.exit(f"exports: no recorded row has CPU time {seconds} and its resident memory")
    if len(series) > 200:
        sys.exit(f"exports: {len(series)} series")


def dashboard(series):
    """Each metric that the dashboard names exists."""
    with open(os.path.join(ROOT, "contrib/grafana/perfhud.json"), encoding="utf-8") as text:
        board = json.load(text)
    import re
    names = {name for panel in board["panels"] for target in panel["targets"]
             for name in re.findall(r"perfhud_\w+", target["expr"])}
    # Those that only a program with frames or a cgroup has.
    optional = {"perfhud_frame_duration_seconds_bucket", "perfhud_key_to_frame_seconds_bucket",
                "perfhud_pressure_waiting_seconds_total"}
    missing = names - {name.split("{")[0] for name in series} - optional
    if missing:
        sys.exit(f"exports: the dashboard names {sorted(missing)}, which do not exist")
    return len(names)


def main():
    with tempfile.TemporaryDirectory() as folder:
        series, recorded = run(folder)
    compare(series, recorded)
    names = dashboard(series)
    print(f"exports: {len(series)} series scraped, equal to the recording; {names} metrics of the dashboard exist")


main()
