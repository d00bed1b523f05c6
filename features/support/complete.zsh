# Prints what zsh lists for a line: `zsh -f complete.zsh <svc> <line>`. Only a terminal completes, so that it gets one.
zmodload zsh/zpty
zpty terminal zsh -f -i
zpty -w terminal "PROMPT=; autoload -Uz compinit && compinit -u -D; source <(${(q)1} completion zsh)
bindkey '^I' list-choices; told() { print -r -- LIS''TED }; zle -N told; bindkey '^X' told; print -r -- REA''DY"
zpty -r terminal begun '*READY*'
# The keys are taken one after the other: the last one says that the list before it is whole.
zpty -n -w terminal "$2"$'\t\x18'
zpty -r terminal listed '*LISTED*'
setopt extendedglob
print -r -- ${listed//$'\e'\[[0-9;?]#[A-Za-z]/ }
zpty -d terminal
