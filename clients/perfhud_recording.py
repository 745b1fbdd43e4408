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
ENTRIES = [("tickFrame", 0, []), ("terminalFrame", 0, []), ("appFrame", 0, []), ("mergedFrame", 0, []),
           ("updateFrame", 0, []), ("output", 1, ["bytes"]), ("cells", 2, ["written", "unchanged"]),
           ("missedFrame", 0, ["source", "missed"]), ("reportedFrame", 3, []), ("updateFrame", 1, ["bytes"]),
           ("terminalFrame", 1, ["bytes"])]
SAME_TIME = 16
FORMS = {"time", "same", "steady", "clock", "held", "late", "beside", "twin", "real", "text"}


def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value = (value >> 8) ^ TABLE[(value ^ byte) & 0xFF]
    return value ^ 0xFFFFFFFF


def signed(value):
    value &= MASK
    return value - (1 << 64) if value >> 63 else value


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

    def take(self, count):
        self.at += count
        return self.data[self.at - count:self.at]


class Bits:
    """A position in bits."""

    def __init__(self, data):
        self.rest = int.from_bytes(data, "little")

    def take(self, count):
        value = self.rest & ((1 << count) - 1)
        self.rest >>= count
        return value

    def number(self, low):
        if low is None:
            return self.long() if self.take(1) else 0
        ones = 0
        while ones < 8 and self.take(1):
            ones += 1
        if ones < 8:
            return ones << low | self.take(low)
        return self.long()

    def long(self):
        length = self.take(6)
        return 1 << length | self.take(length)


class Widths(dict):
    """For each column the mean length of its numbers, in sixteenths of a bit."""

    def low(self, column):
        return min(self[column] >> 4, 48) if column in self else None

    def note(self, column, number):
        bits = number.bit_length() << 4
        self[column] = self[column] + (bits - self[column] >> 2) if column in self else bits


def unzigzag(number):
    return (number >> 1) ^ -(number & 1)


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
            self.begin(0, base)
            for count, (number, _) in enumerate(self.batches):
                values, steps, masks, widths = self.state[number]
                self.base = number, values, steps, masks, widths
                if count == 0:
                    masks[:] = [0] * len(masks)

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
            activity, count = self.begin(time, payload)
            for _ in range(count):
                if activity.take(1):
                    yield from self.entry(self.followers.get(self.mark, 0), activity)
                elif activity.take(1):
                    yield from self.next_record()
                else:
                    yield from self.entry(activity.take(5), activity)
            while more := list(self.next_record()):
                yield from more

    def begin(self, time, payload):
        """Begins a block: its activity, and the number of entries in that."""
        self.start, self.state, self.known, self.report, self.widths = time, {}, set(), None, Widths()
        self.time, self.mark, self.followers, self.means, self.lasts = time // 1000, 0, {}, {}, {}
        if self.base:
            number, values, steps, masks, widths = self.base
            self.state[number] = values, steps, list(masks), Widths(widths)
        source = Bytes(payload)
        self.batches = self.rest(source)
        if payload and self.kinds.get(payload[0], {}).get("name") == "activity":
            _, count, length = source.varint(), source.varint(), source.varint()
            return Bits(source.take(length)), count
        return None, 0

    def rest(self, source):
        """The records of the batches that follow: the number of the kind, and the fields; `None` if not known."""
        while source.at < len(source.data):
            number, count, length = source.varint(), source.varint(), source.varint()
            bits = Bits(source.take(length))
            known = number in self.kinds and all(form in FORMS for _, form, *_ in self.kinds[number]["fields"])
            for _ in range(count):
                yield number, self.record(number, bits) if known else None

    def next_record(self):
        for number, fields in self.batches:
            if fields is None:
                continue
            name = self.kinds[number]["name"]
            if name == "event" and fields["kind"] == 2:
                self.report = fields
                self.note_time(3, fields["time"] // 1000)
            yield name, fields
            return

    def record(self, number, bits):
        fields = self.kinds[number]["fields"]
        last, steps, masks, widths = self.state.get(number, ({}, {}, [0] * ((len(fields) + 7) // 8), Widths()))
        is_first = number not in self.known
        more = not bits.take(1)
        values, new_steps, elapsed, surprise, neighbor = {}, {}, 0, 0, (0, 0)
        for index, (name, form, _, *grain) in enumerate(fields):
            if index % 8 == 0 and more and bits.take(1):
                masks[index // 8] |= bits.take(8)
            stored = masks[index // 8] >> index % 8 & 1
            old = last.get(name, b"" if form == "text" else 0)
            if form == "text":
                changed = stored and bits.take(1)
                values[name] = bytes(bits.take(8) for _ in range(bits.number(4))) if changed else old
                continue
            step = steps.get(name, 0)
            expected = {"time": self.start if is_first else old + step, "steady": old + step, "clock": old + elapsed,
                        "late": old + step + surprise,
                        "beside": old + neighbor[1] - neighbor[0] if index else old,
                        "twin": neighbor[1] if index and old == neighbor[0] else old}.get(form, old)
            difference = number_stored = bits.number(None if is_first else widths.low(name)) if stored else 0
            if stored and not is_first:
                widths.note(name, number_stored)
            if number_stored:
                factor = int(grain[0]) if grain and not bits.take(1) else 1
                difference = unzigzag(number_stored - (form == "held")) * factor
                if form == "held":
                    difference += values[fields[0][0]] - old
            value = values[name] = (expected + difference) & MASK
            new_steps[name], neighbor = step if is_first else value - old, (old, value)
            if index == 0 and form == "time":
                elapsed, surprise = value - old, 0 if is_first else difference
        self.known.add(number)
        self.state[number] = values, new_steps, masks, widths
        return values

    def column(self, column, bits):
        """A number of the activity, less what is expected."""
        number = bits.number(self.widths.low(column) if column in self.means else None)
        if column in self.means:
            self.widths.note(column, number)
        return unzigzag(number)

    def entry(self, mark, bits):
        self.followers[self.mark], self.mark = mark, mark
        name, series, columns = ENTRIES[mark & ~SAME_TIME]
        time = self.time
        if not mark & SAME_TIME:
            last = self.lasts.get(series, self.start // 1000)
            time = last + self.means.get(("time", series), 0) + self.column(("time", series), bits) & MASK
        self.note_time(series, time)
        fields = {"time": time * 1000 & MASK}
        for column in columns:
            fields[column] = self.means.get(column, 0) + self.column(column, bits) & MASK
            self.note(column, fields[column])
        if name == "reportedFrame":
            self.report = dict(self.report, sequence=self.report["sequence"] + self.report["hasSequence"])
            name, fields = "event", dict(self.report, **fields)
        if mark & ~SAME_TIME > 8:
            self.note_time(0, time)
            yield "output", fields
            fields = {"time": fields["time"]}
        yield name, fields

    def note_time(self, series, time):
        if series in self.lasts:
            self.note(("time", series), time - self.lasts[series])
        self.lasts[series] = self.time = time

    def note(self, column, value):
        mean = self.means.get(column)
        self.means[column] = value & MASK if mean is None else mean + (signed(value - mean) >> 3) & MASK


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
