#!/bin/sh
# Holds the layers of docs/ARCHITECTURE.md: each target imports only what its row lists.
set -u
cd "$(dirname "$0")/.." || exit 1
failed=0
fail() {
  echo "layers: $*" >&2
  failed=1
}

# target: what it may import
allowed() {
  case $1 in
    PerfHUDBase) echo "CLinux Glibc SystemPackage" ;;
    Sampler) echo "PerfHUDBase CLinux Glibc SystemPackage Synchronization" ;;
    PerfHUDEvents) echo "PerfHUDBase CLinux Glibc SystemPackage" ;;
    PerfHUDClient) echo "PerfHUDBase CLinux PerfHUDEvents Glibc Synchronization" ;;
    PerfHUDLogging) echo "Logging PerfHUDClient" ;;
    Metrics) echo "PerfHUDBase PerfHUDEvents Sampler" ;;
    Terminal) echo "PerfHUDBase CLinux CMasks CProcess Glibc SystemPackage Synchronization" ;;
    HUD) echo "PerfHUDBase CLinux CNcurses PerfHUDEvents Glibc Metrics Sampler SystemPackage Terminal" ;;
    Recording) echo "PerfHUDBase PerfHUDEvents Glibc Metrics Sampler Synchronization SystemPackage" ;;
    SVG) echo "Terminal" ;;
    Report) echo "PerfHUDBase PerfHUDEvents Metrics Recording SVG Sampler" ;;
    PerfHUD) echo "ArgumentParser PerfHUDBase CProcess PerfHUDEvents Glibc HUD Metrics Recording Report Sampler SystemPackage Terminal" ;;
    PerfHUDDemo) echo "PerfHUDBase Glibc PerfHUDClient SystemPackage" ;;
    *) echo "" ;;
  esac
}

for folder in Sources/*/; do
  target=$(basename "$folder")
  case $target in CFoundation | CLinux | CMasks | CNcurses | CProcess) continue ;; esac
  list=" $(allowed "$target") "
  [ "$list" != "  " ] || fail "$target is not in the table of scripts/check-layers.sh"
  imports=$(grep -rhE '^[^/"]*\bimport ' "$folder" |
    sed -E 's/.*import +((struct|class|enum|protocol|func|var|let|typealias) +)?([A-Za-z_]+).*/\3/' | sort -u)
  for import in $imports; do
    case $list in *" $import "*) ;; *) fail "$target must not import $import" ;; esac
  done
done

curses=$(grep -rlE '^import CNcurses' Sources | grep -v '^Sources/HUD/Curses/' || true)
[ -z "$curses" ] || fail "only HUD/Curses may import CNcurses: $curses"
glibc=$(grep -rlE '^import Glibc' Sources/HUD | grep -v '^Sources/HUD/Curses/' || true)
[ -z "$glibc" ] || fail "the HUD has no clock and no descriptor but in HUD/Curses: $glibc"
foundation=$(grep -rlE 'import Foundation' Sources Tests || true)
[ -z "$foundation" ] || fail "Foundation is not used here: $foundation"
unchecked=$(grep -rnE 'try!|fatalError\(|as! ' Sources || true)
[ -z "$unchecked" ] || fail "crashes by design: $unchecked"
[ "$failed" = 0 ] && echo "layers: hold"
exit "$failed"
