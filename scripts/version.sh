#!/bin/sh
# Prints the version, from the one place that has it.
sed -n 's/^ *static let number = "\([0-9][0-9A-Za-z.~-]*\)"$/\1/p' "$(dirname "$0")/../Sources/PerfHUD/CommandLine/Version.swift"
