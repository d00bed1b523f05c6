/** Scripts of bash that print all that they can see of their shell. */

/** What comes first, before anything has changed it. */
const FIRST = `echo "$?" "$_" "$-" "$#" "$*" "$0" "$LINENO" "\${BASH_SOURCE[*]}" "\${BASH_LINENO[*]}" "\${FUNCNAME[*]-}"
echo "$BASH_SUBSHELL $SHLVL $PWD \${OLDPWD-none} $BASH \${BASH_ENV-none} $BASH_COMMAND \${!-none} $(( $$ == BASHPID )) $HISTCMD"
`;

const SIGHT = String.raw`
set +e
[ "$SECONDS" -lt 5 ] && [ "$(printf '%(%s)T' -2)" -gt "$(( $(printf '%(%s)T' -1) - 5 ))" ] && echo 'counts from now'
declare -p | sed -E 's/^(declare -[^ ]+ (PPID|S?RANDOM|SECONDS|EPOCH[A-Z]+|BASHPID|BASH_MONOSECONDS))=.*/\1/'
echo "== env"; env | sort
echo "== own"; compgen -v | sort; compgen -A function; compgen -b; enable -a; alias; hash; declare -f; declare -F; trap -p; jobs
echo "== options"; set -o; shopt; shopt -o; ulimit -a; umask; bind -v 2>/dev/null | head -3
echo "== proc"; cd /proc/$$
for fd in fd/*; do echo "$fd $(readlink "$fd" | sed 's/:.*//')"; done
# By the shell itself: while it starts a program it holds back signals.
while read -r line; do [[ $line =~ ^(Sig[A-P]|Shd|Groups|Uid|NoNewPrivs|Seccomp|CapEff|Threads) ]] && echo "$line"; done < status
read -r line < stat; line=$(echo "$line" | cut -d')' -f2 | cut -d' ' -f4,5,6); echo "$(( $(echo "$line" | cut -d' ' -f1) == $$ ))"
cat "/proc/$PPID/comm"; tr '\0' '\n' < cmdline; cat limits; readlink exe
cd - > /dev/null; pwd; pwd -P; dirs; echo ~+ "${'$'}{OLDPWD%/*}"
echo "== stdin"; cat; read -r line || echo "end: $?"; [ -t 0 ] || echo 'no terminal'
ls -A "$(dirname "$0")"; locale 2>/dev/null; printf '%s\n' {z,a,Z,ä,1} | sort; printf '%.1f %q\n' 1.5 'ä b'
[[ ä == ? ]] && echo 'one character'; x=ÄÖ; echo "${'$'}{#x} ${'$'}{x,,}"
for name in svc svc_pass enable command echo; do type "$name" || echo "none: $name"; command -v "$name" || :; done
builtin svc_pass || echo "no builtin: $?"; help svc | head -1
enable -d svc; type svc; enable -d svc_pass || echo "nothing: $?"
time_file=$(times | wc -l); echo "$time_file"; echo 'came to its end'
`;

const CALLS = `
set +e
svc step plain -- echo plain
x=$(svc step taken -- sh -c 'env | grep -o "^SVC_[A-Z_]*"; env | grep -v -e SVC_ | sort; echo $0'); echo "<$x>"
svc step piped -- printf 'b\\na\\n' | sort
(svc step sub -- echo sub; echo "$BASH_SUBSHELL")
svc step back -- echo back & wait $!
cat <(svc step process -- echo process); coproc svc step co -- echo co; cat <&"\${COPROC[0]}"
while read -r line; do svc step "line $line" -- echo "got $line"; done <<< $'1\\n2'
svc state set key value; svc state get key; svc output set a=b c:=1; svc annotate note; svc input; svc input --envelope
svc step fails -- sh -c 'exit 3' || echo "failed: $?"
env svc step by-env -- echo env; bash -c 'svc step by-bash -- echo bash; env | grep -c BASH_ENV'
svc sleep 0s; svc frobnicate a; cat "$SVC_INPUT_FILE"; echo "$OF_THE_JOB|$EMPTY|\${UNSET-unset}"
(exec svc step last -- echo exec)
`;

export const BASH_SIGHTS: Readonly<Record<string, string>> = {
  'plain.sh': `${FIRST}${SIGHT}`,
  script: `${FIRST}${SIGHT}`,
  'with a space and ä.bash': FIRST,
  'calls.sh': `${FIRST}${CALLS}`,
  'sleeps.sh': `${FIRST}svc step a -- echo a; svc sleep 1s; svc wait-signal go; echo after`,
  'traced.sh': String.raw`
PS4='+ $LINENO \# \! $BASH_SUBSHELL '; set -x
f() { echo "$1 ${'$'}{FUNCNAME[*]} ${'$'}{BASH_LINENO[*]} ${'$'}{BASH_SOURCE[*]}"; caller 0; }
f x; (f y); y=$(f z); svc step traced -- echo traced; : "${'$'}{y@Q}"
set +x; PS4='+ '; set -v
echo shown; svc step shown -- echo shown
trap 'echo "DEBUG $BASH_COMMAND $LINENO"' DEBUG; shopt -s extdebug; f x; echo "${'$'}{BASH_ARGV[*]} ${'$'}{BASH_ARGC[*]}"; trap - DEBUG; shopt -u extdebug
`,
  'documents.sh': `
cat <<END; cat <<'END'; cat <<-END
$OF_THE_JOB $((1 + LINENO))
END
$OF_THE_JOB
END
	cut
	END
exec 3<<< three; cat <&3; exec 3<&-
exec {own}> own; echo "$own"; echo text >&"$own"; exec {own}>&-; cat own; exec 100> own; echo more >&100; exec 100>&-; cat own
read -r a b <<< 'x y z'; echo "$b"; mapfile -t lines < own; echo "\${lines[0]}"; rm own
`,
  'traps.sh': `
trap 'echo "ERR $? $LINENO"' ERR; trap 'echo "EXIT $? $LINENO $BASH_COMMAND"; svc step at-exit -- echo at exit' EXIT
trap 'echo TERM' TERM; trap 'echo USR1' USR1; trap '' HUP; kill -TERM $$; kill -USR1 $$; kill -HUP $$
trap -p; sh -c 'grep -E "^Sig(Ign|Blk)" /proc/self/status'; sleep 0.01 & wait; echo "waited $?"
set -m; sleep 0.01 & wait; set +m; (trap -p; exit 4) || echo "sub $?"
false
echo 'not reached'
`,
  'locals.sh': `
OLD=\${OF_THE_JOB}; declare -p OF_THE_JOB EMPTY SVC_AGENT_SOCKET PATH HOME | sed -E 's/=.*//'
export -n OF_THE_JOB; sh -c 'echo "\${OF_THE_JOB-gone}"'; export OF_THE_JOB; sh -c 'echo "$OF_THE_JOB"'; unset EMPTY; sh -c 'echo "\${EMPTY-gone}"'
f() { local EMPTY=1 OF_THE_JOB; declare -p EMPTY; sh -c 'echo "\${EMPTY-gone}"'; }; f; OF_THE_JOB+=more; readonly OF_THE_JOB; export -p | grep OF_THE
A=1 sh -c 'echo "$A"'; set -a; B=2; sh -c 'echo "$B"'; SECONDS=100; echo "$SECONDS"; RANDOM=7; echo "$RANDOM $RANDOM"
cd /; echo "$PWD $OLDPWD"; cd - ; pushd / > /dev/null; dirs; popd; getopts ab x -a; echo "$x $OPTIND"; IFS=:; echo $PATH | wc -w
`,
  'exec.sh': `exec svc step last -- sh -c 'echo "$0"; env | grep -c SVC_; exit 5'`,
  'replaced.sh': `exec bash -c 'echo "$SHLVL $0 $-"; ls /proc/self/fd; env | grep -v -e ^SVC -e ^_= | sort; svc step in -- echo in'`,
  'jobs.sh': `
for n in 1 2 3; do { sleep "0.$n"; echo 'a job'; } & done; wait; jobs; echo "$?"
(sleep 1000 & echo started); kill -0 0; disown -a; { sleep 1000 & } ; job=$!; kill "$job"; wait "$job" 2> /dev/null || echo "killed $?"
ps -o pgid= -p $$ > /dev/null && echo 'has ps'; yes | head -n 1; echo "\${PIPESTATUS[*]}"
`,
  'fails.sh': `echo before\n\nunknown_program_of_nobody`,
  'unset.sh': `echo before\n\necho "$nothing_has_this_name"`,
  'syntax.sh': `echo before\nif true; then\n  echo "open`,
  'late-syntax.sh': `echo before\n)\necho after`,
  'step-fails.sh': `svc step a -- true\nsvc step b -- sh -c 'echo bad >&2; exit 9'`,
  'exits.sh': `trap 'echo left' EXIT; (exit 3) || echo "$?"; exit 7`,
  'killed.sh': `trap 'echo heard; kill -ABRT $$' USR2; kill -USR2 $$; sleep 1`,
  'interrupted.sh': `trap 'echo heard; exit 3' TERM; kill -TERM 0; sleep 1`,
  'directive.sh': `#!/usr/bin/env python3\n# The program is bash all the same.\necho "$0"`,
  'empty.sh': '',
  'returns.sh': 'return 3 || echo "no: $?"; source /dev/null; . "$0.none" || echo "none: $?"',
};
