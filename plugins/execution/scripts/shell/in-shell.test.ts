import t, { type Test } from 'tap';
import type { Script } from '../executor/testing/host.ts';
import { nativePrograms } from '../native/build.mjs';
import { openWarmBench } from '../warm/testing/warm-bench.ts';
import { readsEnvironmentFile } from './in-shell.ts';
import { Activity } from '../../../../test/kit/index.ts';

const { why } = await nativePrograms();

/** The exact bytes that a script produced; with `waits`, in a bash that waited for it. */
async function play(t: Test, in_shell: boolean, script: Script, waits = false) {
  const bench = await openWarmBench(t, { in_shell, warm: waits });
  if (waits) await bench.prime({ ...script, source: '' });
  const activity = new Activity();
  const end = await bench.finish(activity, script, (wait) =>
    activity.wake(0, wait.kind === 'sleep' ? '' : '"payload"\n'),
  );
  t.equal(bench.used() > 0, waits);
  const same = (text: string) =>
    text.replaceAll(bench.runtime_dir, '<agent>').replace(/\/p[0-9a-f]{12}\//g, '/<pass>/');
  return {
    end: JSON.parse(same(JSON.stringify(end))),
    out: same(activity.text()),
    err: same(activity.text('stderr')),
    journal: activity.journal.map(({ output, ...record }) => ({
      ...record,
      started_at: 0,
      output: same(Buffer.from(output, 'base64').toString('latin1')),
    })),
    cells: activity.cells,
    notes: activity.notes,
  };
}

/** Runs a script with the program, with the builtin and in a bash that waited; the results must be equal. */
function alike(name: string, source: string) {
  t.test(name, async (t) => {
    if (why) return t.comment(`there is no builtin here: ${why}`);
    const script = { source: `${source}\necho "came to its end"`, filename: 'job.sh' };
    const program = await play(t, false, script);
    t.same(await play(t, true, script), program);
    t.same(await play(t, true, script, true), program);
    t.match(program.out, /came to its end\n/);
  });
}

t.test('is at work at all, and only in bash', async (t) => {
  if (why) return t.comment(`there is no builtin here: ${why}`);
  const source = 'builtin svc output set inside=yes; unset -f svc; enable -n svc; svc output set outside=yes';
  t.match((await play(t, true, { source })).end, {
    completion: { status: 'succeeded', output: { inside: 'yes', outside: 'yes' } },
  });
  t.match((await play(t, false, { source })).end, { completion: { status: 'failed' } });
  t.match((await play(t, true, { source, interpreter: 'bash -eu --posix' })).end, { completion: { status: 'failed' } });
});

t.test('which bash reads the file', async (t) => {
  const file = '/tmp/agent/bin/svc.bash';
  const reads = (argv: string[], env: Record<string, string> = {}) => readsEnvironmentFile(argv, env, file);
  for (const argv of [['/bin/bash', '-eu'], ['bash'], ['bash', '-x', '+u', '-ef']]) t.ok(reads(argv), argv.join(' '));
  for (const argv of [
    ['sh'],
    ['/usr/bin/env', 'bash'],
    ['bash', '-v'],
    ['bash', '-p'],
    ['bash', '-ei'],
    ['bash', '-o', 'posix'],
    ['bash', '--posix'],
    ['bash', '-c'],
    ['bash', 'other.sh'],
  ])
    t.notOk(reads(argv), argv.join(' '));
  for (const name of ['BASH_ENV', 'POSIXLY_CORRECT', 'SHELLOPTS', 'BASH_FUNC_enable%%'])
    t.notOk(reads(['bash'], { [name]: 'x' }), name);
  t.notOk(readsEnvironmentFile(['bash'], {}, '/tmp/$(touch x)/svc.bash'), 'a name that would be expanded');
});

alike(
  'the forms of a call',
  `
  svc step plain -- echo plain
  x=$(svc step taken -- echo taken); echo "<$x>"
  y=\`svc step ticks -- printf '%s\\n\\n' ticks\`; echo "<$y>"
  svc step piped -- printf 'b\\na\\n' | sort
  printf 'in\\n' | svc step fed -- cat
  (svc step sub -- echo sub; svc step sub -- echo twice)
  { svc step group -- echo group; } | cat
  cat <(svc step process -- echo process)
  if svc step no -- false; then echo wrong; else echo "no: $?"; fi
  svc step no -- false || echo "or: $?"
  ! svc step no -- false
  svc step yes -- true && echo and
  svc step back -- echo back & wait $!
  { svc step one -- echo one; svc step two -- echo two; } & wait $!
  f() { svc step in-f -- echo "in f: $1"; svc step in-f -- echo more; }
  f x; echo "$(f y)"; f z & wait $!
  eval 'svc step evaled -- echo evaled; svc step evaled -- echo again' & wait $!
  while read -r line; do svc step "line $line" -- echo "got $line"; done <<< $'1\\n2'
  time_format=1; TIMEFORMAT=; time svc step timed -- echo timed
  command svc step by-command -- echo command
  env svc step by-env -- echo env
  bash -c 'svc step by-bash -- echo bash'
  python3 -c 'import subprocess; subprocess.run(["svc", "step", "by-python", "--", "echo", "python"])'
  svc sleep 1s
  (exec svc step last -- echo exec)
  coproc svc step co -- echo co; cat <&"\${COPROC[0]}"
  svc wait-signal go | tr a-z A-Z
`,
);

alike(
  'redirections and descriptors',
  `
  echo from-file > in; exec 7>seven
  svc step in -- cat < in
  svc step out -- echo out > out; cat out
  svc step both -- sh -c 'echo o; echo e >&2' > both 2>&1; sort both
  svc step to-err -- echo to-err >&2
  svc step seven -- sh -c 'echo seven >&7'; cat seven
  svc step here -- cat <<< here
  svc step fds -- sh -c 'cd /proc/self/fd; for d in *; do [ "$d" -gt 9 ] || [ ! -e "$d" ] || echo "$d"; done'
  exec 200>two-hundred; svc step high -- echo high >&200; cat two-hundred; exec 200>&-
  exec {named}>named; svc step named -- echo named >&"$named"; cat named; exec {named}>&-
  for fd in {200..260}; do eval "exec $fd>/dev/null"; done; svc step taken -- echo taken
  for fd in {200..260}; do eval "exec $fd>&-"; done; svc step closed -- echo closed
  svc annotate - <<< note
  svc state set key - <<< value; svc state get key
  set +e
  svc step no-out -- echo hidden >&-; echo "$?"
  svc step no-in -- cat <&-; echo "$?"
  svc step no-err -- sh -c 'echo x >&2; echo kept' 2>&-; echo "$?"
  svc annotate - <&-; echo "$?"
  svc state get key >&-; echo "$?"
  svc state get key > /dev/full; echo "$?"
  svc step full -- echo full > /dev/full; echo "$?"
  (exec >&-; svc step no-out-sub -- echo x; echo "$?" >&2)
`,
);

alike(
  'bytes',
  `
  svc step nul -- printf 'a\\0b' | od -An -c
  svc step no-newline -- printf 'x'; echo '|'
  svc step binary -- head -c 70000 /dev/zero | wc -c
  x=$(svc step large -- head -c 300000 /dev/zero | tr '\\0' y); echo "\${#x}"
  svc step exact -- head -c 2097152 /dev/zero | cksum
  svc step over -- head -c 2097153 /dev/zero | cksum
  svc step odd -- printf '%s' $'\\xff\\xfe' | od -An -tx1
  LC_ALL=C svc step umlaut -- printf 'ä%s' "\${x:0:1}"
  svc step newline $'--label' 'a "b" \\ c' -- printf '%s\\n' $'a\\nb' '' "it's" '*' '~' '$x' '\`'
  svc sleep 1s
`,
);

alike(
  'options and variables of the shell',
  `
  IFS=e; svc step ifs -- echo "$IFS here"; unset IFS
  set -f; svc step noglob -- echo '*'; set +f
  shopt -s nullglob extglob lastpipe; svc step shopt -- echo shopt
  set -o pipefail; svc step fails -- sh -c 'exit 3' | cat || echo "pipefail: $? \${PIPESTATUS[*]}"
  set +e; svc step errs -- false; echo "went on: $?"; set -e
  trap 'echo "ERR $?"' ERR; svc step trapped -- false || true; (set +e; svc step err -- false; :); trap - ERR
  trap 'echo DEBUG >/dev/null' DEBUG; svc step debug -- echo debug; trap - DEBUG
  A=1 svc step temporary -- sh -c 'echo "$A"'; echo "\${A:-unset}"
  B=2; svc step local -- sh -c 'echo "\${B:-not exported}"'
  export C=3; svc step exported -- sh -c 'echo "$C"'; export -n C; svc step unexported -- sh -c 'echo "\${C:-gone}"'
  g() { local PATH=/nowhere:$PATH D=4; export D; svc step local-path -- sh -c 'echo "$D"'; }; g
  h() { echo h; }; export -f h; svc step function -- bash -c h
  cd /; svc step cwd -- pwd; cd - >/dev/null
  umask 027; svc step umask -- sh -c umask
  ulimit -n 100; svc step ulimit -- sh -c 'ulimit -n'
  mkdir -p gone; cd gone; rmdir ../gone; svc step no-cwd -- echo 'no cwd'; cd /tmp
  svc step last-word -- true; echo "$_"
  set -- a b; svc step arguments -- echo "$@" "$#"
  set -x; svc step traced -- echo traced; set +x
  (set -e; svc step exits -- false; echo 'not reached') || echo "sub: $?"
  (svc step unset -- echo "$UNSET_VARIABLE") || echo "unset: $?"
`,
);

alike(
  'what the program is called by, and what takes its place',
  `
  command -v svc; type svc; type -t svc; type -P svc; command -V svc; hash svc; which svc
  "$(command -v svc)" step by-path -- echo path
  alias svc=false; svc step no-alias -- echo alias; unalias svc
  env -i "$(command -v svc)" step none -- true || echo "env -i: $?"
  svc() { echo "mine: $*"; command svc "$@"; }; svc step wrapped -- echo wrapped; unset -f svc
  mkdir -p mine; printf '#!/bin/sh\\necho "my own: $*"\\n' > mine/svc; chmod +x mine/svc
  (PATH=$PWD/mine:$PATH; svc step other -- true)
  (PATH=/usr/bin:/bin; svc step nothing -- true) || echo "nothing: $?"
  (cd mine; PATH=:$PATH; svc here)
  svc frobnicate a 'b c'; echo "$?"; svc; svc --version
  (enable -d svc 2>/dev/null || :; hash -r; type svc; command -v svc; svc step deleted -- echo deleted)
  unset SVC_AGENT_ID; SVC_AGENT_SOCKET=/no/such svc step lost -- true || echo "lost: $?"
  (unset SVC_AGENT_SOCKET; svc step unset -- true) || echo "unset: $?"
  (declare +x SVC_AGENT_SOCKET; svc sleep 5s) || echo "hidden: $?"
  (export -n SVC_AGENT_SOCKET; svc frobnicate) || echo "hidden: $?"
  set +e; svc step; echo "$?"
`,
);

alike(
  'the environment of script, command and child',
  `
  env | grep -aE '^(SVC|BASH|_=)' | sed 's/=.*//' | sort
  compgen -v | grep -E '^BASH_ENV|svc' || echo none
  compgen -A function || echo none
  svc step body -- env | grep -aE '^(SVC|BASH|_=)' | sort
  svc step nested -- svc step inner -- true || echo "nested: $?"
  svc step nested -- bash -c 'svc sleep 1s' || echo "nested: $?"
  svc step builtin -- bash -c 'builtin svc sleep 1s' 2>/dev/null || echo "builtin: $?"
  bash -c 'env | grep -c BASH_ENV' || echo none
  PATH= svc step empty-path -- /bin/echo x || echo "empty: $?"
`,
);

alike(
  'traps and signals',
  `
  trap '' TERM; svc step ignored -- sh -c 'kill -TERM $$; echo survived'; trap - TERM
  svc step quit -- sh -c 'kill -QUIT $$; echo not reached' || echo "quit: $?"
  trap 'echo TERM' TERM; svc step default -- sh -c 'kill -TERM $$; echo not reached' || echo "term: $?"; trap - TERM
  (trap 'echo EXIT' EXIT; svc step interrupted -- sh -c 'kill -INT $$'; echo "interrupted: $?") || echo "int: $?"
  set +e; (trap 'echo EXIT' EXIT; svc step deaf -- sh -c 'trap "" INT; kill -INT 0; echo deaf'; echo "went on: $?"); set -e
  svc step pipe -- sh -c 'kill -PIPE $$' || echo "pipe: $?"
  trap '' PIPE; svc step pipe-ignored -- sh -c 'kill -PIPE $$; echo ignored'; trap - PIPE
  trap 'true' CHLD; sleep 0.01 & svc step chld -- echo chld; wait; trap - CHLD
  sleep 0.2 & job=$!; svc step while-job -- sleep 0.01; wait "$job"; echo "job: $?"
  svc step back -- sh -c 'trap "echo got; exit 9" TERM; echo up > up; while :; do sleep 0.01; done' & job=$!
  until [ -e up ]; do sleep 0.01; done; kill -TERM "$job"; wait "$job" || echo "back: $?"
  svc step head -- sh -c 'i=0; while [ $i -lt 20000 ]; do echo line; i=$((i+1)); done' | head -n 1; echo "\${PIPESTATUS[*]}"
  (trap 'svc step at-exit -- echo at exit' EXIT; svc step last -- false) || echo "exit: $?"
`,
);

t.test('calls of shells that were forked are never mixed up', async (t) => {
  if (why) return t.comment(`there is no builtin here: ${why}`);
  const source = `
    svc step warm -- true
    for i in {1..15}; do
      { for j in 1 2 3; do x=$(svc step "p$i" -- echo "$i.$j"); [ "$x" = "$i.$j" ] || echo "wrong: $x"; done; } &
      ( y=$(svc step "q$i" -- echo "q$i"); [ "$y" = "q$i" ] || echo "wrong: $y" ) &
      svc state set "k$i" "$i"
    done
    wait
    for i in {1..15}; do [ "$(svc state get "k$i")" = "$i" ] || echo "wrong cell $i"; done
    echo done
  `;
  for (const waits of [false, true]) {
    const { out, err, journal } = await play(t, true, { source, filename: 'job.sh' }, waits);
    t.equal(out, 'done\n');
    t.equal(err, '');
    t.equal(journal.length, 1 + 15 * 3 + 15 + 15 + 15);
  }
});

t.test('a stopped script runs its traps, though the agent answers nothing any more', async (t) => {
  if (why) return t.comment(`there is no builtin here: ${why}`);
  for (const [in_shell, waits] of [
    [true, false],
    [true, true],
    [false, false],
  ] as const) {
    const bench = await openWarmBench(t, { in_shell, warm: waits, grace_ms: 60_000 });
    if (waits) await bench.prime({ source: '' });
    const activity = new Activity();
    const pass = bench.begin(activity, {
      source: `trap 'echo stopping; exit 1' TERM; svc step warm -- true; svc step long -- sh -c 'echo up; exec sleep 1000'`,
    });
    await activity.until(() => activity.text().includes('up'));
    pass.stop('draining');
    t.same(await pass.result, { end: 'released' });
    t.match(activity.text(), /stopping/);
    t.same(activity.sites(), ['step warm#0=0'], 'what was stopped is not recorded');
  }
});

t.test('a command ends with the subshell that runs it', async (t) => {
  if (why) return t.comment(`there is no builtin here: ${why}`);
  const source = `
    svc step killed -- sh -c 'echo $$ > command; exec sleep 1000' & job=$!
    until [ -s command ]; do sleep 0.01; done
    kill -9 "$job"; wait "$job" || echo "code $?"
    while kill -0 "$(cat command)" 2>/dev/null; do sleep 0.01; done
    svc step after -- echo after
  `;
  const { out, journal } = await play(t, true, { source });
  t.match(out, 'code 137\nafter\n');
  t.same(
    journal.map(({ name, exit_code }) => `${name}=${exit_code}`),
    ['killed=137', 'after=0'],
  );
});
