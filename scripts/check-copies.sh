#!/bin/sh
# Holds that nothing copies the screen model or what holds it (Sources/Terminal/Screen/Pinned.swift), nor the run and the
# HUD (Sources/PerfHUDBase/Anchor.swift): looks in the release objects for calls of memcpy with a constant length, of 512
# bytes or more in Terminal, and of 1536 or more in what each turn of the loop runs through. No other value there is
# as large. What Swift generates to move a value of a type is not called by us. `Screen.restart` and
# `Compositor.takeOver` replace a whole screen, and `MainLoop.init` takes a frontend, once in a run.
# A `ScreenKeyframe` is a copy for a player that goes back. `Compositor.addState` copies the state of the screen, with --restart-hud alone.
set -u
cd "$(dirname "$0")/.." || exit 1
[ "$(uname -m)" = x86_64 ] || {
  echo "copies: not looked for on $(uname -m)"
  exit 0
}
command -v objdump >/dev/null || {
  echo "copies: objdump not found; install it with: make deps-test" >&2
  exit 1
}

for target in Terminal HUD PerfHUD; do
  ls .build/release/$target.build/*.o >/dev/null 2>&1 || {
    echo "copies: no release objects in .build/release/$target.build; build them with: make build" >&2
    exit 1
  }
done

# look TARGET LENGTH FUNCTIONS: LENGTH is a pattern for three hexadecimal digits; four are too long anyway
look() {
  objdump -dr --no-show-raw-insn .build/release/"$1".build/*.o | awk -v least="$2" -v looked="$3" '
    /^[0-9a-f]+ <.*>:$/ { name = $2; length_line = 0; functions++ }
    $0 ~ "mov +\\$0x(" least "|[1-9a-f]...+),%edx" { length_line = NR }
    /R_X86_64_.*mem(cpy|move)/ {
      if (length_line && NR - length_line < 8 && name ~ looked && name !~ /^<__swift_memcpy|6ScreenV7restart|14ScreenKeyframeV|10CompositorV8(takeOver|addState)|8MainLoopV.*E3run8recorder/) print name
      length_line = 0
    }
    END { if (functions < 100) print "objdump shows no functions" }'
}

found=$({
  look Terminal '[2-9a-f]..' .
  look HUD '[6-9a-f]..' 3HUDV
  look PerfHUD '[6-9a-f]..' 'MainLoop|Frontend|OverlayHUD|ProgramActivity|CommandPty|TerminalInput|TerminalQuestions'
} | sort -u)
if [ -n "$found" ]; then
  echo "copies: a large value is copied in" >&2
  if command -v swift >/dev/null; then found=$(echo "$found" | swift demangle --simplified); fi
  echo "$found" | sed 's/^/copies:   /' >&2
  exit 1
fi
echo "copies: none"
