/// The programs that a user has below the HUD, and what is done with them.
extension TransparencyCase {
  static let programs =
    shells + editors + pagers + [commander, htop, windows, log, slowLog, wideText] + resizes

  /// Sixty short files, a long text, and one in colors, for all of them.
  static let files = """
    mkdir folder
    for n in $(seq 60); do echo "line $n" > file-$n.txt; done
    awk 'BEGIN { for (n = 1; n <= 300; n++)
      printf "%d: the quick brown fox jumps over the lazy dog and on, beyond the right edge, to %d\\n",
        n, n * n }' > text.txt
    awk 'BEGIN { for (n = 1; n <= 300; n++)
      printf "\\033[3%dm%05d\\033[m \\033[1mbold\\033[m \\033[48;5;%dm %s \\033[m tail of the line\\n",
        1 + n % 6, n, n % 256, "a field with a ground of its own that is long" }' > log.txt
    awk 'BEGIN { for (n = 1; n <= 60; n++)
      printf "int value%d(void) { return \\"a string\\" ? %d : 0x%x; } /* a comment to the edge ... */\\n",
        n, n, n }' > source.c
    """

  static let shells = [
    TransparencyCase(
      name: "bash", preparation: files, command: ["bash", "--norc", "--noprofile", "-i"],
      environment: ["PS1": "\\w$ ", "HISTFILE": "/dev/null", "INPUTRC": "/dev/null"],
      startCondition: .shows("$"),
      steps: [
        .init("ls", type: "ls\r", shows: "text.txt"),
        .init("completion", type: "cat fi\t\t", shows: "file-60.txt"),
        .init("long line", type: "\u{15}echo " + String(repeating: "0123456789 ", count: 20)),
        .init("its end", type: "\u{01}\u{05}abc"),
        .init("enter", type: "\r"),
        .init("seq", type: "seq 100\r", shows: "100"),
        .init("history search", type: "\u{12}se", shows: "reverse-i-search"),
        .init("abort", type: "\u{07}", until: .hides("reverse-i-search")),
        .init("clear", type: "\u{0C}", until: .hides("100")),
        .init("colors", type: "head -30 log.txt\r", shows: "00030"),
        .init("title", type: "printf '\\033]2;a title\\007'\r"),
      ]),
    TransparencyCase(
      name: "fish", preparation: files, command: ["fish", "--no-config", "--private"],
      environment: ["SHELL": "/usr/bin/fish"],
      startCondition: .shows("~"),
      steps: [
        .init("seq", type: "seq 30\r", shows: "30"),
        .init("completion", type: "cat fi\t", shows: "file-1.txt"),
        .init("next", type: "\t"),
        .init("down", type: "␛[B"),
        .init("right", type: "␛[C"),
        .init("enter", type: "\r"),
        .init("again", type: "\u{15}ls -\t"),
        .init("page down", type: "␛[6~"),
        .init("escape", type: "␛"),
        .init("interrupt", type: "\u{03}"),
        .init("long line", type: "echo " + String(repeating: "0123456789 ", count: 20)),
        .init("its start", type: "\u{01}abc "),
        .init("clear", type: "\u{15}\u{0C}"),
      ]),
    TransparencyCase(
      name: "zsh",
      preparation: files + """

        cat > .zshrc <<'END'
        PS1='%% '
        autoload -Uz compinit
        compinit -D -u
        zstyle ':completion:*' menu select
        END
        """,
      // It takes long to start, and then erases the screen: what the HUD has covered before is not known
      // to be blank, and tmux counts it as written.
      command: ["sh", "-c", "printf '\\033[H\\033[2J'; exec zsh -d -i"],
      environment: ["HISTFILE": "/dev/null"],
      // What is typed before it reads is echoed by the terminal.
      startCondition: .shows("%"),
      steps: [
        .init("seq", type: "seq 30\r", shows: "30"),
        .init("completion", type: "cat fi\t\t", shows: "file-60.txt"),
        .init("menu", type: "\t"),
        .init("down", type: "␛[B"),
        .init("right", type: "␛[C"),
        .init("take", type: "\r"),
        .init("enter", type: "\r"),
        .init("no end of line", type: "printf half\r", shows: "half"),
        .init("all files", type: "ls \t\t"),
        .init("interrupt", type: "\u{03}\u{03}"),
        .init("long line", type: "echo " + String(repeating: "0123456789 ", count: 20)),
        .init("clear", type: "\u{15}\u{0C}"),
      ]),
  ]

  static let editors = [
    TransparencyCase(
      name: "vim", preparation: files,
      command: [
        "sh", "-c",
        """
        vim -u NONE -i NONE -n -N --cmd 'set ttimeoutlen=20 ruler showcmd showmode hlsearch incsearch \
        title' source.c; read end
        """,
      ],
      // It draws the ruler at the start, or does not, by when the terminal's answers come.
      comparesStart: false,
      steps: [
        .init("insert", type: "ggOa first line, typed in insert mode", shows: "a first line"),
        .init("escape", type: "␛", until: .hides("-- INSERT --")),
        .init("forward", type: "\u{06}"),
        .init("back", type: "\u{02}"),
        .init("lines down", type: "5\u{05}"),
        .init("lines up", type: "3\u{19}"),
        .init("syntax", type: ":syntax on\r"),
        .init("search", type: "/value3\r"),
        .init("next", type: "nn"),
        .init("split", type: ":split\r"),
        .init("scroll the upper half", type: "\u{04}\u{04}"),
        .init("vertical split", type: ":vsplit\r"),
        .init("scroll a quarter", type: "3\u{05}"),
        .init("only", type: ":only\r"),
        .init("delete and put", type: "gg3jdd5pJ"),
        .init("undo", type: ":silent undo\r:silent undo\r"),
        .init("numbers", type: ":set number cursorline\r"),
        .init("visual", type: "V5j", shows: "-- VISUAL LINE --"),
        .init("end of visual", type: "␛", until: .hides("-- VISUAL LINE --")),
        .init("no wrap", type: ":set nowrap\r70|"),
        .init("shell", type: ":!seq 30\r", shows: "Press ENTER"),
        .init("back from the shell", type: "\r", until: .hides("Press ENTER")),
        .init("quit", type: ":q!\r", until: .hides("value")),
      ]),
    TransparencyCase(
      name: "nano", preparation: files,
      command: ["sh", "-c", "nano -I text.txt; read end"],
      steps: [
        .init("type", type: "typed words ", shows: "typed words"),
        .init("page down", type: "\u{16}"),
        .init("page up", type: "\u{19}"),
        .init("line up and down", type: "␛[B␛[B␛[B␛[A"),
        .init("search", type: "\u{17}lazy", shows: "lazy"),
        .init("found", type: "\r"),
        .init("cut", type: "\u{0B}\u{0B}"),
        .init("paste", type: "\u{15}"),
        .init("end of line", type: "\u{05}"),
        .init("help", type: "\u{07}"),
        .init("end of help", type: "\u{18}"),
        .init("quit?", type: "\u{18}", shows: "Save modified"),
        .init("quit", type: "n", until: .hides("Save modified")),
      ]),
    TransparencyCase(
      name: "emacs", preparation: files,
      command: [
        "sh", "-c",
        "emacs -Q -nw --eval '(setq inhibit-startup-screen t ring-bell-function (quote ignore))' "
          + "text.txt; read end",
      ],
      steps: [
        .init("page down", type: "\u{16}", shows: "20:"),
        .init("page up", type: "␛v", until: .hides("40:")),
        .init("type", type: "typed words ", shows: "typed words"),
        .init("search", type: "\u{13}lazy", shows: "I-search: lazy"),
        .init("found", type: "\r", until: .hides("I-search")),
        .init("two windows", type: "\u{18}2"),
        .init("scroll one", type: "\u{16}"),
        .init("side by side", type: "\u{18}3"),
        .init("one window", type: "\u{18}1"),
        .init("kill lines", type: "\u{0B}\u{0B}\u{0B}\u{0B}"),
        .init("yank", type: "\u{19}"),
        .init("quit?", type: "\u{18}\u{03}", shows: "Save file"),
        .init("no", type: "n", shows: "yes or no"),
        .init("quit", type: "yes\r", until: .hides("yes or no")),
      ]),
  ]

  static let pagers = [
    TransparencyCase(
      name: "less", preparation: files,
      command: ["sh", "-c", "seq 5; less -R log.txt; read end"],
      environment: ["LESSHISTFILE": "-"],
      steps: [
        .init("page", type: " "),
        .init("lines", type: "jjj"),
        .init("back", type: "b"),
        .init("line back", type: "jjjjkk"),
        .init("half", type: "d"),
        .init("half back", type: "u"),
        .init("end", type: "G"),
        .init("start", type: "g"),
        .init("search", type: "/00123\r", shows: "00123"),
        .init("next", type: "n"),
        .init("right", type: "␛OC"),
        .init("left", type: "␛OD"),
        .init("chop", type: "-S\r"),
        .init("help", type: "h"),
        .init("end of help", type: "q"),
        .init("quit", type: "q", until: .hides("00123")),
      ])
  ]

  static let commander = TransparencyCase(
    name: "mc",
    preparation: """
      mkdir -p .config/mc folder/folder
      cd folder/folder
      \(files)
      cd ../..
      cat > .config/mc/ini <<'END'
      [Midnight-Commander]
      skin=default
      auto_save_setup=false
      [Layout]
      message_visible=false
      free_space=false
      END
      find . -exec touch -d '2020-01-02 03:04' {} +
      """,
    command: ["sh", "-c", "cd folder/folder; mc --nosubshell . folder; read end"],
    environment: ["ESCDELAY": "100"],
    steps: [
      .init("down", type: "␛OB␛OB␛OB␛OB␛OB"),
      .init("page down", type: "␛[6~"),
      .init("other panel", type: "\t"),
      .init("menu", type: "␛[20~"),
      .init("its second", type: "␛OC"),
      .init("down the menu", type: "␛OB␛OB"),
      .init("leave", type: "␛␛"),
      .init("back", type: "\t"),
      .init("end", type: "␛[4~"),
      .init("view", type: "␛OR"),
      .init("scroll the view", type: "␛[6~"),
      .init("scroll a line", type: "␛OB␛OB␛OA"),
      .init("leave the view", type: "␛[21~"),
      .init("copy?", type: "␛[15~"),
      .init("no", type: "␛␛"),
      .init("quit", type: "␛[21~"),
    ])

  /// htop on the one process that has the same number in all runs, with nothing that counts.
  static let htop = TransparencyCase(
    name: "htop",
    preparation: """
      cat > htoprc <<'END'
      htop_version=3.2.2
      config_reader_min_version=3
      fields=0 48 1
      hide_kernel_threads=1
      hide_userland_threads=1
      header_layout=two_50_50
      column_meters_0=Hostname
      column_meter_modes_0=2
      column_meters_1=
      column_meter_modes_1=
      delay=600
      enable_mouse=1
      screen_tabs=0
      screen:Main=PID USER Command
      .sort_key=PID
      .tree_view=0
      END
      """,
    command: ["sh", "-c", "htop -p 1; read end"],
    // A file that cannot be written is not changed when htop ends.
    environment: ["HTOPRC": "htoprc"],
    // It reads twice before it draws, and rests between: long on a slow machine.
    startCondition: .shows("F10"),
    steps: [
      .init("help", type: "h"),
      .init("leave the help", type: "q"),
      .init("setup", type: "␛OQ"),
      .init("next", type: "␛OB"),
      .init("right", type: "␛OC"),
      .init("down", type: "␛OB␛OB␛OB"),
      .init("leave the setup", type: "␛[21~"),
      .init("search", type: "␛OR"),
      .init("word", type: "in"),
      .init("end of search", type: "\r"),
      .init("sort by", type: "␛[17~"),
      .init("take", type: "\r"),
      .init("tree", type: "␛[15~"),
      .init("quit", type: "q"),
    ])

  /// `Tests/Programs/windows.c`: each key is one thing that curses does.
  static let windows = TransparencyCase(
    name: "curses", command: ["$windows"],
    steps: [
      .init("log", type: "l"), .init("more log", type: "L"), .init("log upwards", type: "u"),
      .init("box", type: "b"), .init("move the box", type: "m"), .init("below the box", type: "B"),
      .init("insert a line", type: "i"), .init("delete a line", type: "d"),
      .init("insert characters", type: "c"), .init("delete characters", type: "x"),
      .init("pad", type: "p"), .init("more pad", type: "pp"), .init("log again", type: "ll"),
      .init("ground", type: "f"), .init("no cursor", type: "v"),
      .init("cursor in the corner", type: "V"), .init("clear", type: "C"),
      .init("all at once", type: "lbiLudBcxpmb"),
    ])

  static let log = TransparencyCase(
    name: "log", preparation: files,
    command: [
      "sh", "-c", "while read -r n; do case $n in c) cat log.txt ;; *) seq $n ;; esac; done",
    ],
    steps: [
      .init("few", type: "5\r", shows: "5"),
      .init("a screen", type: "30\r", shows: "30"),
      .init("many", type: "3000\r", shows: "3000"),
      .init("colors", type: "c\r", shows: "00300"),
      .init("few more", type: "3\r"),
    ])

  /// Lines that come one by one, so that the HUD is erased and painted between them.
  static let slowLog = TransparencyCase(
    name: "slow log",
    command: [
      "bash", "-c",
      """
      while read -r n; do
        for ((i = 0; i < n; i++)); do
          printf '\\033[3%dmline %d\\033[m\\tof a log that is long enough to reach below the HUD\\n' \
            $((i % 8)) $i
          read -r -t 0.02 -u 9
        done
        echo "end of $n"
      done 9<> <(:)
      """,
    ],
    steps: [
      .init("a few", type: "5\r", shows: "end of 5"),
      .init("more than the screen", type: "40\r", shows: "end of 40"),
    ])

  static let wideText = TransparencyCase(
    name: "wide text",
    preparation: """
      awk 'BEGIN { for (n = 1; n <= 60; n++) {
        for (pad = n % 5; pad > 0; pad--) printf "x"
        print "日本語の文章が画面の右の端まで続いて行きます。かな漢字🎨絵文字🚀全角ＡＢＣ一二三四五六七八九十" n } }' > wide.txt
      """,
    command: ["bash", "--norc", "--noprofile", "-i"],
    environment: [
      "PS1": "$ ", "HISTFILE": "/dev/null", "INPUTRC": "/dev/null", "LESSHISTFILE": "-",
    ],
    steps: [
      .init("cat", type: "cat wide.txt\r", shows: "十60"),
      .init("typed", type: "echo 日本語を入力すると" + String(repeating: "漢字", count: 20)),
      .init("edit", type: "\u{01}␛[C␛[C␛[C␛[C␛[C字\u{05}"),
      .init("enter", type: "\r"),
      .init("less", type: "less wide.txt\r", shows: "十1"),
      .init("line by line", type: "jjjjjk"),
      .init("page", type: " "),
      .init("right", type: "␛OC"),
      .init("quit", type: "q"),
    ])

  static let resizes = [
    TransparencyCase(
      name: "vim resized", preparation: files,
      command: ["vim", "-u", "NONE", "-i", "NONE", "-n", "-N", "text.txt"],
      comparesStart: false,
      steps: [
        .init(resize: 100, 30), .init("scroll", type: "\u{06}"), .init(resize: 60, 20),
        .init("scroll back", type: "\u{02}"), .init(resize: 80, 24), .init("line", type: "5\u{05}"),
      ]),
    TransparencyCase(
      name: "less resized", preparation: files, command: ["less", "-R", "log.txt"],
      environment: ["LESSHISTFILE": "-"],
      steps: [
        .init(resize: 100, 30), .init("page", type: " "), .init(resize: 70, 15),
        .init("line", type: "jj"), .init(resize: 80, 24), .init("back", type: "b"),
      ]),
    // Lines come back out of the history, and what has moved is followed.
    TransparencyCase(
      name: "bash taller", preparation: files, command: ["bash", "--norc", "--noprofile", "-i"],
      environment: ["PS1": "$ ", "HISTFILE": "/dev/null", "INPUTRC": "/dev/null"],
      steps: [
        .init("fill", type: "clear; seq 40000000000 40000000060\r", shows: "0060"),
        .init(resize: 80, 27), .init("echo", type: "echo one\r", shows: "one"),
        .init(resize: 80, 30), .init("echo again", type: "echo two\r", shows: "two"),
      ]),
    // The lines are wrapped anew, with the HUD in them, and some go to the history.
    TransparencyCase(
      name: "bash resized", preparation: files, command: ["bash", "--norc", "--noprofile", "-i"],
      environment: ["PS1": "$ ", "HISTFILE": "/dev/null", "INPUTRC": "/dev/null"],
      steps: [
        .init(resize: 100, 30, leavesResidue: true),
        .init("fill", type: "seq 50; seq -s , 120\r", shows: "120"),
        .init(resize: 80, 24, leavesResidue: true),
        .init("echo", type: "echo one\r", shows: "one"),
        .init(resize: 110, 30, leavesResidue: true),
        .init("echo again", type: "echo two\r", shows: "two"),
        .init(resize: 60, 20, leavesResidue: true),
        .init("long line", type: "echo " + String(repeating: "0123456789 ", count: 15)),
      ]),
  ]
}
