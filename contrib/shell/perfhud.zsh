# Marks prompts and commands (OSC 133), so that perfhud shows each command as a phase. At the end of ~/.zshrc:
#   . /usr/share/perfhud/shell/perfhud.zsh
# Terminals that know the marks jump from prompt to prompt with them. Where something else marks already, such as the
# integration of a terminal, leave this out.
if [[ -o interactive && $PROMPT != *']133;'* ]]; then
  # D with the status of the command that has ended, A before the prompt, B after it, C when the next command begins.
  PROMPT=$'%{\e]133;D;%?\a\e]133;A\a%}'$PROMPT$'%{\e]133;B\a%}'
  autoload -Uz add-zsh-hook
  perfhud_mark_command() { print -n '\e]133;C\a' }
  add-zsh-hook preexec perfhud_mark_command
fi
