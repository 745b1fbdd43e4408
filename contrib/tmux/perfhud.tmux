#!/bin/sh
# tmux plugin: keys and a status text for perfhud. In tmux.conf:
#
#   run-shell /usr/share/perfhud/tmux/perfhud.tmux        (or the path of this file)
#
# With TPM: put it, or a link to it, into a folder of the plugin directory.
#
#   prefix H                       a pane beside this one, which follows its program; again closes it
#   prefix P                       the same in a popup; q closes it
#   #{perfhud} in status-right     the program, its CPU and its memory (status-left too)
#
# Options, before that line: @perfhud-side-key, @perfhud-popup-key (none: no key), @perfhud-width (44),
# @perfhud-command (perfhud).
option() {
  value=$(tmux show-options -gqv "$1")
  printf '%s' "${value:-$2}"
}
command=$(option @perfhud-command perfhud)
width=$(option @perfhud-width 44)
side=$(option @perfhud-side-key H)
popup=$(option @perfhud-popup-key P)
[ "$side" = none ] ||
  tmux bind-key "$side" run-shell -b "'$command' tmux side --width $width --pane '#{pane_id}' 2>&1"
[ "$popup" = none ] || tmux bind-key "$popup" run-shell -b "'$command' tmux popup --pane '#{pane_id}' 2>&1"
for name in status-left status-right; do
  text=$(tmux show-options -gv "$name")
  case $text in
  *'#{perfhud}'*)
    before=${text%%'#{perfhud}'*}
    after=${text#*'#{perfhud}'}
    tmux set-option -g "$name" "$before#('$command' tmux status #{pane_pid})$after"
    ;;
  esac
done
