#!/usr/bin/env python3
"""Reads recordings of perfhud. The format is specified in docs/RECORDING.md; this file is written from it alone.

    perfhud_recording.py FILE          one JSON object a sample
    perfhud_recording.py --all FILE    one JSON object a record

As a module: `for kind, fields in Recording(bytes).records(): ...`
"""
import json
import struct
import sys

MAGIC = b"perfhud record\r\n"
MARKER = b"\xf5PHUD\xfa"
HEAD = struct.Struct("<6sBIIQI")
HEADER, RECORDS = 0, 1
MASK = (1 << 64) - 1
TABLE = []
for _byte in range(256):
    for _ in range(8):
        _byte = (_byte >> 1) ^ 0x82F63B78 if _byte & 1 else _byte >> 1
    TABLE.append(_byte)
ENTRIES = ["tickFrame", "terminalFrame", "appFrame", "mergedFrame", "updateFrame", "output", "cells", "missedFrame",
           "reportedFrame"]
SERIES = {"output": 1, "cells": 2, "reportedFrame": 3}


def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value = (value >> 8) ^ TABLE[(value ^ byte) & 0xFF]
    return value ^ 0xFFFFFFFF


class Bytes:
    """A position in bytes."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def varint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def difference(self):
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def take(self, count):
        self.at += count
        return self.data[self.at - count:self.at]


class Recording:
    """A file: its head in `values`, its records by `records()`. `gaps` is the number of damaged places."""

    def __init__(self, data):
        self.data, self.gaps, self.values, self.kinds, self.base, self.at = data, 0, {}, {}, None, 0
        head = next((payload for kind, _, payload in self.blocks() if kind == HEADER), None)
        if head is None:
            raise ValueError("not a recording")
        kind = None
        for line in head.decode().splitlines():
            key, *values = line.split("\t")
            if key == "kind":
                kind = self.kinds[int(values[0])] = {"name": values[1], "fields": []}
            elif key == "field":
                kind["fields"].append(values)
            else:
                self.values.setdefault(key, []).append(values[0])
        base = bytes.fromhex(self.values.get("base", [""])[0])
        if base:
            self.begin(0)
            source = Bytes(base)
            number = source.varint()
            self.record(number, source.take(source.varint()))
            self.base = (number, self.state[number])

    def blocks(self):
        """Each intact block: kind, first time, payload."""
        at = len(MAGIC) if self.data.startswith(MAGIC) else 0
        while (found := self.data.find(MARKER, at)) >= 0 and found + HEAD.size <= len(self.data):
            _, kind, length, _, time, crc = HEAD.unpack_from(self.data, found)
            payload = self.data[found + HEAD.size:found + HEAD.size + length]
            if len(payload) == length and crc32c(self.data[found + 6:found + 23] + payload) == crc:
                self.gaps += found > at
                at = found + HEAD.size + length
                yield kind, time, payload
            else:
                self.gaps += found == at
                at = found + 1

    def records(self):
        """Each record: the name of its kind, and its fields by their names."""
        for kind, time, payload in self.blocks():
            if kind != RECORDS:
                continue
            self.begin(time)
            source = Bytes(payload)
            while source.at < len(payload):
                number = source.varint()
                body = source.take(source.varint())
                if number not in self.kinds:
                    continue
                if self.kinds[number]["name"] == "activity":
                    yield from self.activity(body)
                else:
                    name, fields = self.record(number, body)
                    if name == "event" and fields["kind"] == 2:
                        self.report = fields
                        self.times[3] = [fields["time"] // 1000, 0, True]
                    yield name, fields

    def begin(self, time):
        self.start, self.state, self.report = time, {}, None
        self.times = [[time // 1000, 0, False] for _ in range(4)]
        if self.base:
            number, (_, values, _) = self.base
            self.state[number] = (0, dict(values), dict(values))

    def record(self, number, body):
        kind = self.kinds[number]
        count, last, before = self.state.get(number, (0, {}, {}))
        groups = (len(kind["fields"]) + 7) // 8
        source = Bytes(body)
        summary = int.from_bytes(source.take((groups + 7) // 8), "little")
        changed = 0
        for group in range(groups):
            if summary >> group & 1:
                changed |= source.take(1)[0] << 8 * group
        values, elapsed, surprise, moved = {}, 0, 0, 0
        for index, (name, form, _) in enumerate(kind["fields"]):
            old = last.get(name, b"" if form == "text" else 0)
            if form == "text":
                values[name] = source.take(source.varint()) if changed >> index & 1 else old
                continue
            step = old - before.get(name, 0) if count > 1 else 0
            expected = {"time": old + step if count else self.start, "steady": old + step, "clock": old + elapsed,
                        "late": old + step + surprise, "beside": old + moved}.get(form, old)
            difference = source.difference() if changed >> index & 1 else 0
            values[name] = (expected + difference) & MASK
            moved = values[name] - old
            if index == 0 and form == "time":
                elapsed, surprise = values[name] - old, difference if count > 1 else 0
        self.state[number] = (min(count + 1, 2), values, last)
        return kind["name"], values

    def activity(self, body):
        source = Bytes(body)
        while source.at < len(body):
            entry = source.varint()
            name = ENTRIES[entry & 15]
            last = self.times[SERIES.get(name, 0)]
            surprise = entry >> 4
            time = last[0] + last[1] + ((surprise >> 1) ^ -(surprise & 1))
            step = time - last[0]
            last[:] = [time, (last[1] + (step - last[1] >> 3) if last[1] else step) if last[2] else 0, True]
            fields = {"time": time * 1000}
            if name == "output":
                fields["bytes"] = source.varint()
            elif name == "cells":
                fields["written"], fields["unchanged"] = source.varint(), source.varint()
            elif name == "missedFrame":
                fields["source"], fields["missed"] = source.varint(), source.varint()
            elif name == "reportedFrame":
                self.report = dict(self.report, sequence=self.report["sequence"] + self.report["hasSequence"])
                name, fields = "event", dict(self.report, **fields)
            yield name, fields


def main(arguments):
    everything = arguments[:1] == ["--all"]
    with open(arguments[-1], "rb") as file:
        recording = Recording(file.read())
    for kind, fields in recording.records():
        if everything or kind == "sample":
            texts = {key: value.decode(errors="replace") if isinstance(value, bytes) else value
                     for key, value in fields.items()}
            print(json.dumps({"record": kind, **texts}, separators=(",", ":")))
    if recording.gaps:
        print(f"{recording.gaps} damaged", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
