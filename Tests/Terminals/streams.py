"""What is played in the terminals: sequences, random streams, and real programs with their keys.

A case is a list of steps, a step a list of writes (bytes, pause after them in ms). Real programs are recorded once
in each terminal and played again, so that the same bytes are compared. Streams are the same for the same seed."""

import random
import shutil
from dataclasses import dataclass, field

PAUSE = 22  # ms: perfhud paints when the program pauses.


@dataclass
class Case:
    name: str
    steps: list
    group: str = "sequences"
    # A program that is recorded: (argv, [keys], seconds of quiet).
    program: tuple = None
    # Cells in which streams differ by where they are cut, also bare.
    environment: dict = field(default_factory=dict)


def played(name, *steps):
    """A case of texts; `␛` is ESC. The HUD is painted after each write."""
    return Case(name, [[(text.replace("␛", "\x1b").encode(), PAUSE) for text in step] for step in steps])


def fill(columns, rows):
    lines = []
    for row in range(1, rows + 1):
        text = "".join(f"{chr(96 + row) * 6}{row % 10}{column % 10}" for column in range(columns // 8 + 1))
        lines.append(f"␛[{row};1H␛[3{1 + row % 7}m{text[:columns]}␛[m")
    return "".join(lines)


def smallest(full):
    """Streams that have differed in some terminal, as small as they could be made."""
    c = played
    return [
        c("pen across 1049", ["␛[4m␛[?1049h", "text ␛[1;80Hmore", "␛[?1049lback"]),
        c("color across 1049", ["␛[31;44m␛[?1049h", "text ␛[1;80Hmore", "␛[2K", "␛[?1049lback"]),
        c("DECSTR and the pen", ["␛[38;5;227m", "␛[!p␛[J", "␛[1;70H日本 text"]),
        c("DECSTR and modes", [full, "␛[4h␛[3;10r␛[?6h␛[1;31m␛(0qqq", "␛[!p", "abc qqq␛[5;60H text ␛[m"]),
        c("REP of nothing", [full, "␛[1;80H", "␛[9b", "x", "␛[2;80Ha", "␛[1m", "␛[9b"]),
        c("DECOM after text", [full, "␛[3;10r␛[2;80Htext", "␛[?6h", "new", "␛[?6l", "old"]),
        c("ED 1 at the end", ["␛[30;1H" + "x" * 100, "␛[?1J"]),
        c("ED 1 at the end, plain", ["␛[1;80Htext␛[30;1H" + "x" * 100, "␛[1J"]),
        c("combining after CUP", [full, "␛[2;70He", "\u0301", "␛[3;70Hx", "␛[3;71H\u0308y"]),
        c("combining", ["␛[2;70He\u0301a\u0308o\u0302 n\u0303", "␛[24;1H\n"], ["␛[3;99Hxe", "\u0301", "y"],
          ["␛[1;1H␛[L"]),
        c("halves", ["␛[2;70H日本語日本語␛[3;69H日本語␛[4;71H日本語␛[5;97H日本語"], ["␛[2;71Hx␛[3;70Hx␛[4;72Hx␛[5;98Hx"],
          ["␛[2;73H␛[X␛[3;72H␛[P␛[4;74H␛[@"]),
        c("wide wraps on a background", ["␛[44m␛[2;98H日本語日本語" * 2, "␛[m␛[1;1H"]),
        c("bright background erased", ["␛[104m␛[2;60H␛[K␛[4;1H␛[2K␛[6;60H␛[J", "␛[m␛[20;1Hx"]),
    ]


def sequences(columns, rows):
    full = fill(columns, rows)
    c, last, edge = played, rows, columns
    cases = smallest(full) + [
        c("scroll region", [full], ["␛[3;7r␛[7;1Hnew\n", "newer\n", "newest", "␛[3;1H␛M", "above␛M", "upper"],
          ["␛[5;20r␛[20;1H\n\n\n", "␛[5;1H␛[2L", "␛[8;1H␛[3M", "␛[2S", "␛[T", f"␛[r␛[{last};1H"]),
        c("origin", [full], ["␛[4;12r␛[?6h␛[1;1Hfirst of the region", "␛[9;60Hlast", "␛[20;1H\r\n\n"],
          ["␛[2;50Hbelow the HUD ", "␛[2L", "␛[J", "␛[?6l␛[2;50Habsolute", "␛[r"]),
        c("lines in and out", [full], ["␛[2;30H␛[L", "␛[5;1H␛[3M", "␛[1;1H␛[2L", "␛[9;1H␛[M", "␛[10;1H␛[L"]),
        c("characters in and out", [full], ["␛[2;70H␛[4@", "␛[3;80H␛[6P", "␛[4;74H␛[5X"],
          [f"␛[5;{edge - 1}H␛[3@", f"␛[6;{edge - 1}H␛[P", f"␛[7;{edge}H␛[@", "␛[8;1H␛[99P", "␛[9;1H␛[99@"]),
        c("insert mode", [full], ["␛[4h␛[3;70Hinserted", " and more", f"␛[5;{edge - 2}H++", "␛[6;1H日本語",
                                  "␛[4l␛[7;70Hreplaced"]),
        c("index and reverse index", [full], [f"␛[{last};1H␛D", "␛D", "␛E", "␛[1;1H␛M", "␛M", f"␛[{last};40H\n\n\n"]),
        c("scrolling log", ["".join(f"line {n} of a log\r\n" for n in range(60))],
          [f"line {n} that is long enough to reach below what lies on top of it, at the right\r\n"
           for n in range(15)]),
        c("background color erase", [full], ["␛[44m␛[2;80H␛[K", "␛[3;80H␛[1K", "␛[4;1H␛[2K"],
          ["␛[45m␛[5;10r␛[10;1H\n\n", "␛[5;1H␛M", "␛[r", "␛[46m␛[7;60H␛[J", "␛[42m␛[3;30H␛[1J␛[m"],
          ["␛[48;5;100m␛[2;70H␛[8X␛[3@␛[2P", "␛[48;2;9;90;200m␛[6;1H␛[L␛[m"]),
        c("erase the whole screen", [full, "␛[2J"], ["␛[1;1Hsome text", "␛[H␛[J", full, "␛[3J"],
          [full, "␛[H␛[2J␛[3J", "last"]),
        c("pending wrap", [full, f"␛[3;{edge - 5}H123456", "x", f"␛[5;{edge - 5}Habcdef", "␛[1;31m", "red"],
          [f"␛[m␛[7;{edge - 5}H789012", "\r", "at the start", f"␛[8;{edge - 5}Huvwxyz", "␛[K", "end"],
          [f"␛[9;{edge - 5}Hlast c", "\r\n", "next", f"␛[{last};{edge - 5}H123456", "wraps and scrolls"]),
        c("no autowrap", [full], [f"␛[?7l␛[3;{edge - 10}H", "A", "␛[mB", f"␛[5;{edge}HC", "␛[mD", "␛[?7h␛[mE", "F"]),
        c("saved cursor", [full], ["␛[3;80H␛[1;34m␛7", "␛[10;1H␛[mtext", "␛8here"],
          ["␛[2;80H␛(0␛7␛(B␛[20;1Habc", "␛8qqq", "␛(B"]),
        c("line drawing", [full], ["␛(0␛[2;76Hlqqqqk␛[3;76Hx    x␛[4;76Hmqqqqj", "␛[3;78H␛(Babc"],
          ["␛)0␛[6;76H\x0elqqk", "\x0fqqq", "\x0ex", "\x0f␛[1;1H␛M"]),
        c("repeated character", [full], ["␛[3;70Ha␛[10b", "␛[4;80H", "-␛[9b", "+"]),
        c("tabs", [full], ["␛[3;1H\ta\tb\tc\td\te\tf\tg\th\ti\tj", "␛[3g␛[4;50H␛H␛[4;80H␛H␛[5;1H\tx\ty",
                           "␛[6;90H␛[Zz"]),
        c("colors", ["␛[2;75H␛[38;5;200mindexed␛[48;5;30mground␛[m", "␛[3;75H␛[38;2;255;100;0mdirect␛[48;2;0;50;90mg␛[m",
                     "␛[4;75H␛[91;104mbright␛[m ␛[1mbold␛[2mfaint␛[22m ␛[3mita␛[m ␛[7mrev␛[27m",
                     "␛[5;75H␛[4munder␛[24m ␛[4:3mcurly␛[m ␛[9mstruck␛[29m ␛[8mhidden␛[28m"],
          ["␛[6;75H␛[1;31mbold red", f"␛[{last};1H\n", " still bold red", "␛[m"]),
        c("wide at the edges", ["␛[2;73H日本語日本語␛[3;72H日本語", f"␛[5;{edge - 3}H日本語␛[6;{edge - 2}H日本", f"␛[{last};1H\n"],
          ["␛[2;73H漢字␛[2;72H字", f"␛[1;{edge - 2}H日本", f"␛[7;{edge - 1}H🎨🚀"]),
        c("wide text over the screen", ["日本語の文" * 150], ["␛[1;1H" + "x日" * 200, "␛[1;1H␛M", f"␛[{last};1H\n"]),
        c("soft wrap", ["a line that wraps softly at the right edge. " * 30],
          ["\r\n", "0123456789" * 20, "\r\nlast ", "日本" * 30] + [f"row {n}\r\n" for n in range(30)]),
        c("links", ["␛[2;70H␛]8;;http://a.example/␛\\a link below the HUD␛]8;;␛\\ and"],
          ["␛[3;70H␛]8;id=1;http://b.example/␛\\", "still open", f"␛[{last};1H\n", "and here␛]8;;␛\\ end"]),
        c("alternate screen 1049", [full], ["␛[5;80H␛[1;32m␛[?1049h", "alternate", f"␛[{last};1H\n\n"],
          ["␛[2J␛[1;1Hsecond screen"], ["␛[?1049l", "back", "␛[?1049h", "␛[?1049l"]),
        c("alternate screen 1047", [full], ["␛[3;80H␛[?1047h", "alternate", full, "␛[?1047l", "back"]),
        c("alternate screen 47", [full], ["␛[3;80H␛[?47h", "␛[H␛[Jalternate", "␛[5;60Hmore", "␛[?47l", "back"]),
        c("synchronized update", [full], ["␛[?2026h␛[3;1H␛[2L", "within␛[5;80Hthe update", "␛[?2026l",
                                          "␛[?2026h␛[2J␛[?2026l", "after"]),
        c("queries", [full], ["␛[6n", "␛[c", "␛[3;80H␛[6nx", f"␛[{last};1H\n␛[6n\n"]),
        c("sequences in pieces", [full], ["␛", "[3;8", "0H", "te", "xt", "␛[38;5", ";200mcol", "our␛[", "m"],
          [f"␛[{last}", ";1H\n", "\n␛", "M", "␛]2;a ti", "tle", "\x07after", "␛(", "0qq␛(", "B"]),
        c("margins left and right", [full], ["␛[?69h␛[10;80s␛[3;10H", "␛[2L", "␛[3M", "␛[4;70H␛[5@",
                                            "␛[?69l", "␛[r␛[1;1H"]),
        c("reset", [full], ["␛[1;44m␛[3;9r␛[?6h␛)0\x0etext", "␛c", "after the reset qqq"]),
        c("large writes", ["0123456789abcdef日本\r\n" * 2000, full]),
    ]
    pieces = [[(full.replace("␛", "\x1b").encode() + b"\x1b[3;80H", PAUSE)],
              [(part, PAUSE) for part in (b"\xe6", b"\x97\xa5\xe6\x9c", b"\xac\x78", b"\xf0\x9f", b"\x8e\xa8",
                                          b"\x79\xc3", b"\xa9")]]
    return cases + [Case("characters in pieces", pieces)]


class Stream:
    """A random stream of what every terminal has, in random pieces with pauses; as `TransparencyStream` in the tests.

    Text in insert mode and without autowrap has a rendition between any two characters, since terminals take what
    they read at once as one there."""

    def __init__(self, seed, columns, rows):
        self.random, self.columns, self.rows = random.Random(seed), columns, rows
        self.inserts, self.wraps, self.alternate = False, True, False

    def case(self, seed, operations=240, each=120):
        steps, writes = [], [(fill(self.columns, self.rows).replace("␛", "\x1b").encode(), 0)]
        for number in range(1, operations + 1):
            writes += self.cut(self.operation().encode())
            if number % each == 0:
                steps.append(writes)
                writes = []
        return Case(f"seed {seed}", steps, "streams")

    def cut(self, data):
        writes, start, pick = [], 0, self.random.randint
        while start < len(data):
            count = pick(1, len(data)) if pick(0, 2) == 0 else len(data)
            writes.append((data[start:start + count], pick(1, 25) if pick(0, 5) == 0 else 0))
            start += count
        return writes

    def operation(self):
        pick, choose = self.random.randint, self.random.choice
        kind = pick(0, 99)
        if kind < 26:
            return self.text()
        if kind < 40:
            return f"\x1b[{pick(1, self.rows)};{pick(1, self.columns)}H"
        if kind < 50:
            return self.rendition()
        if kind < 56:
            return f"\x1b[{pick(0, 2)}{choose('JKK')}"
        if kind < 64:
            return f"\x1b[{pick(1, 5)}{choose('LM@PX')}"
        if kind < 67:
            return f"\x1b[{pick(1, 3)}{choose('ST')}"
        if kind < 71:
            top = pick(1, self.rows - 1)
            return "\x1b[r" if pick(0, 2) == 0 else f"\x1b[{top};{pick(top + 1, self.rows)}r"
        if kind < 79:
            return choose(["\n", "\r\n", "\x1bD", "\x1bM", "\x1bE", "\n\n"])
        if kind < 82:
            return choose(["\x1b7", "\x1b8"])
        if kind < 84:
            self.inserts = not self.inserts
            return "\x1b[4h" if self.inserts else "\x1b[4l"
        if kind < 86:
            self.wraps = not self.wraps
            return "\x1b[?7h" if self.wraps else "\x1b[?7l"
        if kind < 90:
            return choose(["\t", "\x1b[Z", "\x1bH", "\x1b[g"])
        if kind < 93:
            return choose(["\x1b(0", "\x1b(B", "\x1b)0", "\x0e", "\x0f"])
        if kind < 95:
            self.alternate = not self.alternate
            return f"\x1b[?{choose([1049, 1049, 1047, 47])}{'h' if self.alternate else 'l'}"
        return f"\x1b[{pick(1, 9)}{choose('ABCDGd')}"

    def text(self):
        choose = self.random.choice
        words = ["lorem", "ipsum dolor", "sit amet consectetur", "x", "_tail", "0123456789", "日本語", "漢字かな",
                 "a日b本c", "ＡＢＣ", "🎨", "🚀x", "e\u0301a\u0308", "한국어"]
        text = "".join(choose(words) + choose(["", " ", ""]) for _ in range(self.random.randint(1, 4)))
        if self.wraps and not self.inserts:
            return text
        result = ""
        for character in text:
            joins = "\u0300" <= character <= "\u036f"
            result = result[:-5] + character + "\x1b[29m" if joins else result + character + "\x1b[29m"
        return result

    def rendition(self):
        pick = self.random.randint
        parts = []
        for _ in range(pick(1, 3)):
            parts.append([
                "0", "0", self.random.choice("1234789"), str(self.random.choice([22, 23, 24, 27, 28, 29])),
                f"3{pick(0, 7)}", f"4{pick(0, 7)}", f"9{pick(0, 7)}", f"10{pick(0, 7)}", f"38;5;{pick(0, 255)}",
                f"48;5;{pick(0, 255)}", f"38;2;{pick(0, 255)};{pick(0, 255)};{pick(0, 255)}",
                self.random.choice(["39", "49"])][pick(0, 11)])
        return f"\x1b[{';'.join(parts)}m"


def programs():
    """Real programs and the keys that are typed in them; those that are installed."""
    def recorded(name, argv, keys, quiet=0.3, **environment):
        return Case(name, [], "programs", (argv, [key.replace("␛", "\x1b").encode() for key in keys], quiet), environment)

    cases = [
        recorded("bash", ["bash", "--norc", "--noprofile", "-i"],
                 ["ls\r", "cat fi\t\t", "\x15echo " + "0123456789 " * 20, "\x01\x05abc\r", "seq 100\r", "\x12se", "\x07",
                  "\x0c", "head -20 log.txt\r"], PS1="\\w$ ", HISTFILE="/dev/null", INPUTRC="/dev/null"),
        recorded("vim", ["vim", "-u", "NONE", "-i", "NONE", "-n", "-N", "--cmd",
                         "set ttimeoutlen=20 ruler showcmd hlsearch", "source.c"],
                 ["ggOa first line", "␛", "\x06", "\x02", "5\x05", "/value3\r", ":split\r", "\x04", ":vsplit\r", "3\x05",
                  ":only\r", "gg3jdd5pJ", ":set number cursorline\r"]),
        recorded("less", ["less", "-R", "log.txt"], ["f", "d", "b", "j", "k", "/0004\r", "n", "G", "g", "-S\r"],
                 LESSHISTFILE="-"),
        recorded("man", ["man", "bash"], [" ", "d", "G", "/history\r"], LESSHISTFILE="-"),
        recorded("htop", ["htop", "-d", "100"], ["t", "\x1b[B", "\x1bOQ", "\x1b"]),
        recorded("top", ["top", "-d", "60"], ["z", "x", "1", "c"]),
        recorded("nano", ["nano", "-I", "text.txt"], ["typed text", "\x16", "\x19", "\x0b\x0b", "\x15", "\x1b/", "\x07"]),
        recorded("mc", ["mc", "-u", "-d"], ["␛[B␛[B", "␛OR", "␛[6~", "\x1b\x1b", "␛[21~", "\x1b\x1b", "\x0f", "\x0f"]),
        recorded("emacs", ["emacs", "-nw", "-Q", "source.c"],
                 ["typed", "\x16", "\x1bv", "\x182", "\x16", "\x181", "\x13value3", "\x07", "\x0e\x0e"], 0.5),
        recorded("dialog", ["dialog", "--menu", "a menu", "15", "60", "6", "1", "one", "2", "two", "3", "three"],
                 ["␛[B", "\t", "\t"]),
        recorded("tmux", ["tmux", "-f", "/dev/null", "-L", "perfhud-terminals", "new-session",
                          "env PS1='$ ' bash --norc --noprofile"],
                 ["seq 60\r", '\x02"', "head -20 log.txt\r", "\x02%", "ls\r", "\x02o", "\x02x", "y", "\x02["], 0.5),
    ]
    return [case for case in cases if shutil.which(case.program[0][0])]
