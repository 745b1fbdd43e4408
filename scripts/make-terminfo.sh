#!/bin/sh
# Writes the terminfo entry that perfhud carries for a machine without any, as base64 (term_variables(7),
# TERMINFO=b64:…). Run it again to take over a newer entry: scripts/make-terminfo.sh > Sources/HUD/Curses/BuiltinTerminal.swift
set -eu
entry=$(infocmp -0 -Q2 xterm-256color | grep -v '^#' | tr -d '\n')
cat <<END
// Made by scripts/make-terminfo.sh; do not edit.

/// The entry \`xterm-256color\` as the value of \`TERMINFO\`, for a machine that has no terminfo.
enum BuiltinTerminal {
  static let name = "xterm-256color"
  // swift-format-ignore
  static let terminfo = "$entry"
}
END
