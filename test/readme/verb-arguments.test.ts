import t from 'tap';
import { verbs as artifactVerbs } from '../../plugins/execution/artifacts/cli/verbs.ts';
import { verbs as busVerbs } from '../../plugins/events/bus/cli/verbs.ts';
import { verbs as childVerbs } from '../../plugins/execution/children/cli/verbs.ts';
import { verbs as lockVerbs } from '../../plugins/execution/locks/cli/verbs.ts';
import { verbs as scriptVerbs } from '../../plugins/execution/scripts/cli/verbs.ts';
import { lintBash } from '../../plugins/execution/scripts/lint/bash-lint.ts';
import { VerbArguments } from '../../plugins/execution/scripts/lint/verb-arguments.ts';

const ALL = [...scriptVerbs, ...busVerbs, ...childVerbs, ...lockVerbs, ...artifactVerbs];
const said = (source: string) =>
  lintBash(source, new Set(ALL.map(({ verb }) => verb.split(' ', 1)[0]!)), new VerbArguments(ALL))
    .filter(({ code }) => code === 'lint_verb_arguments')
    .map(({ line, column, message }) => `${line}:${column} ${message}`);

t.test('what a verb would refuse is found where it stands', (t) => {
  const cases: readonly (readonly [source: string, found: RegExp])[] = [
    ['svc sleep 5x', /^1:11 "5x" is not a duration; write one like 500ms/],
    ['svc sleep "5 minutes"', /^1:11 "5 minutes" is not a duration/],
    ['svc sleep', /^1:5 `svc sleep`: <duration> is missing/],
    ['svc sleep 1h 30m', /^1:14 `svc sleep`: "30m" is an extra argument/],
    ['svc sleep 5s --quietly', /^1:14 `svc sleep` has no --quietly/],
    ['echo\n  svc wait-signal event:x', /^2:19 names that begin with event: are reserved for the engine/],
    ['svc wait-signal "event:$x"', /^1:17 names that begin with event:/],
    ['svc wait-signal', /^1:5 .*<name> is missing/],
    ['svc wait-signal a --timeout 5', /^1:29 "5" is not a duration/],
    ['svc wait-signal a --timeout=soon', /^1:19 "soon" is not a duration/],
    ['svc wait-signal a --timeout', /^1:19 `svc wait-signal`: --timeout needs a value/],
    ['svc wait-signal a --timeot 5m', /^1:19 `svc wait-signal` has no --timeot; did you mean --timeout\?/],
    ['x=$(svc wait-event "a b") || true', /^1:20 "a b" is not an event type/],
    ['svc emit done! --payload 1', /^1:10 "done!" is not an event type/],
    ["svc step '' -- make", /^1:10 `svc step`: <name> is empty/],
    ['svc step build#2 -- make', /^1:10 a name must not end with # and a number/],
    ['svc step build make', /^1:5 `svc step`: the command is missing: write it after --/],
    ['svc step build --', /^1:16 `svc step`: there is no command after --/],
    ['svc step -- make', /^1:5 `svc step`: <name> is missing/],
    ['svc step build --retry 0 -- make', /^1:24 --retry needs a number of attempts from 1 to 100/],
    ['svc step build --retry many -- make', /^1:24 --retry needs/],
    ['svc step build --timeout 1m --timeout 2m -- make', /^1:29 `svc step`: --timeout is set twice/],
    ['svc step build -v -- make', /^1:16 `svc step` has no -v/],
    ['svc activity a --backof 1s -- make', /^1:16 .*has no --backof; did you mean --backoff\?/],
    ['svc activity-collect a b', /^1:24 .*"b" is an extra argument/],
    ['svc lock deploy --timeout never -- ./ship.sh', /^1:27 "never" is not a duration/],
    ['svc spawn a.sh --as graph', /^1:21 --as takes pipeline, script/],
    ['svc state put a b', /^1:11 "put" is not get, set, delete, list/],
    ['svc state set a', /^1:5 `svc state set`: <value> is missing/],
    ['svc state get a b', /^1:17 `svc state get`: "b" is an extra argument/],
    ['svc output version=1', /^1:12 "version=1" is not set/],
    ['svc output set', /^1:5 `svc output set`: <key=text> is missing/],
    ['svc call nodes http', /^1:10 "nodes" is not node, graph/],
    ['svc artifact put', /^1:5 `svc artifact put`: <folder> is missing/],
    ['if svc sleep 5x; then :; fi', /^1:14 "5x"/],
  ];
  for (const [source, found] of cases) {
    const [one, more] = said(source);
    t.match(one, found, source);
    t.equal(more, undefined, `${source}: once`);
  }
  t.end();
});

t.test('what nobody can judge, and what is right, is left alone', (t) => {
  for (const source of [
    'svc sleep "$time"; svc sleep $time; svc sleep ${1:-5s}; svc sleep $((60 * 5))s; svc sleep "$(cat time)"',
    'svc sleep 1h30m; svc sleep 0s >/dev/null; svc sleep 5s 2>&1 | cat; svc sleep 5s &',
    'svc sleep 5s > out 2> err < in; svc sleep 5s &>all; svc sleep -- 5s',
    'svc sleep "$@"; svc sleep $*; svc sleep "${all[@]}" 5x',
    'svc sleep --help; svc sleep -h; svc help sleep',
    'svc step a --retry 3 --backoff=1s --max-backoff 1m --timeout \'5m\' -- make -j --unknown; svc step "b $x" -- true',
    'svc step $options a -- make; svc step a "$flag" 3 -- make; svc step "${words[@]}"; svc step a "$@"',
    'svc step a "${more[@]}" extra -- true',
    'svc wait-signal "$name" --timeout "$long"; svc wait-signal "approved-$n"; svc wait-event deploy.done --untrusted',
    `svc emit done --payload '{"a": 1}' --key "$k"; svc emit done --payload -; svc emit "x.$y" --payload @file`,
    'svc emit done --payload @<(jq . file); svc emit done --payload -5 <<< "x"; svc annotate - <<EOF\nx y\nEOF',
    'svc state get a; svc state set a -5; svc state set a - < file; svc state list --entity e; svc state $op a b',
    'svc output set a=b c:=3 "$more"; svc output "$op"; svc annotate "**a** b"; svc input a.b --default x --envelope',
    'svc lock a; svc lock a --fence; svc lock a -- make; svc spawn a.sh --as yaml --tag a --tag b --include x --root .',
    `svc call node http --config '{}'; svc call graph g --input 1; svc call graph --definition - < x; svc call $what x`,
    'svc artifact ls a b c --unknown; svc artifact get; svc artifact get dist --output -; svc artifact put dist --as x; svc runs ls --status failed; svc status a b',
    'svc activity-wait-all; svc activity a --requires x --requires y -- true; svc sleep {5s,}; svc step * -- true',
    "echo svc sleep 5x; cat <<'EOF'\nsvc sleep 5x\nEOF\n# svc sleep 5x",
    'svc sleep \\\n  5s',
    'svc() { command svc "$@"; }\nsvc slee',
  ])
    t.same(said(source), [], source);
  t.end();
});
