# Marks prompts and commands (OSC 133), so that perfhud shows each command as a phase. At the end of
# ~/.config/fish/config.fish:
#   source /usr/share/perfhud/shell/perfhud.fish
# fish marks by itself from 4.0 on; then this does nothing. Where something else marks already, such as the integration
# of a terminal, leave it out.
if status is-interactive; and not string match -qr '^([4-9]|[1-9][0-9])' -- $version; and not functions -q perfhud_plain_prompt
    functions -c fish_prompt perfhud_plain_prompt
    function fish_prompt
        set -l ended $status
        # D with the status of the command that has ended, A before the prompt, B after it.
        printf '\e]133;D;%s\a\e]133;A\a' $ended
        # The prompt may show the status.
        perfhud_return $ended
        perfhud_plain_prompt
        printf '\e]133;B\a'
    end
    function perfhud_return
        return $argv[1]
    end
    # C with the command, when it begins.
    function perfhud_mark_command --on-event fish_preexec
        printf '\e]133;C;cmdline_url=%s\a' (string escape --style=url -- "$argv")
    end
end
