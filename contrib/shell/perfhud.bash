# Marks prompts and commands (OSC 133), so that perfhud shows each command as a phase. At the end of ~/.bashrc:
#   . /usr/share/perfhud/shell/perfhud.bash
# Terminals that know the marks jump from prompt to prompt with them. Where something else marks already, such as the
# integration of a terminal, leave this out.
if [[ $- == *i* && $PS1 != *']133;'* ]]; then
  # D with the status of the command that has ended, A before the prompt, B after it, C when the next command begins.
  PS1='\[\e]133;D;$?\a\e]133;A\a\]'$PS1'\[\e]133;B\a\]'
  PS0=${PS0-}'\e]133;C\a'
fi
