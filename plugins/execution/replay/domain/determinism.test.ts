import t from 'tap';
import type { JournalRecord } from '../../../engine/runs/contract.ts';
import { idempotencyKey } from '../contract.ts';
import { describeEarlyEnd, describeMismatch } from './determinism.ts';
import { findLines, describeLocation } from './source-lines.ts';

const SCRIPT = `#!/bin/bash
# svc step check -- not this one
svc step check -- make check
svc step check-all -- make all
for i in 1 2; do svc step "part-$i" -- make "$i"; done
svc sleep 5m
svc wait-signal go --timeout 1h
svc state set version 3
svc lock deploy -- ./release.sh
svc wait_for go
svc step check -- again
`;

const numbers = (source: string, kind: string, name: string) =>
  findLines(source, { kind, name }).map((line) => line.number);

t.test('a call is found by its verb and its name, as whole words', async (t) => {
  t.same(numbers(SCRIPT, 'step', 'check'), [3, 11]);
  t.same(numbers(SCRIPT, 'step', 'check-all'), [4]);
  t.same(numbers(SCRIPT, 'step', 'part-2'), [3, 4, 5, 11], 'a name that is put together: every line with the verb');
  t.same(numbers(SCRIPT, 'sleep', ''), [6]);
  t.same(numbers(SCRIPT, 'wait-signal', 'go'), [7]);
  t.same(numbers(SCRIPT, 'state', 'set version'), [8]);
  t.same(numbers(SCRIPT, 'lock-step', 'deploy'), [9]);
  t.same(numbers(SCRIPT, 'emit', 'x'), []);
  const python = `svc.step("build", ["make"])\nsvc.wait_signal("go")\n`;
  t.same(numbers(python, 'step', 'build'), [1]);
  t.same(numbers(python, 'wait-signal', 'go'), [2]);
  t.same(numbers(`await svc.waitSignal('a.b*c')`, 'wait-signal', 'a.b*c'), [1], 'no name is a pattern');
});

t.test('a place is one line with its text, or the numbers of several', async (t) => {
  t.equal(describeLocation(SCRIPT, { kind: 'sleep', name: '' }), 'line 6: svc sleep 5m');
  t.equal(describeLocation(SCRIPT, { kind: 'step', name: 'check' }), 'one of the lines 3, 11');
  t.equal(describeLocation(SCRIPT, { kind: 'step', name: 'part-2' }), 'one of the lines 3, 4, 5 or 1 more');
  t.equal(describeLocation(SCRIPT, { kind: 'emit', name: 'x' }), undefined);
  t.equal(
    [...describeLocation(`svc step x -- ${'\u{1F512}'.repeat(500)}`, { kind: 'step', name: 'x' })!].length,
    'line 1: '.length + 120,
  );
  t.equal(describeLocation('', { kind: 'step', name: 'x' }), undefined);
});

const record = (position: number, kind: string, name: string, ordinal = 0): JournalRecord => ({
  ...{ position, kind, name, ordinal, digest: '', exit_code: 0, output: '', started_at: 0 },
});
const records = [record(0, 'step', 'check'), record(1, 'sleep', ''), record(2, 'step', 'check', 1)];
const replay = { run_id: 'run_1', source: SCRIPT, records };

t.test('a violation names both sides, where they stand, and from where a rerun still goes', async (t) => {
  const message = describeMismatch(records[1]!, { kind: 'step', name: 'check-all', ordinal: 0 }, replay)!;
  t.match(message, / {2}position: 1\n {2}recorded: sleep#0\n {2}present: {2}step check-all#0\n/);
  t.match(message, /the recorded call is in line 6: svc sleep 5m/);
  t.match(message, /the current call is in line 4: svc step check-all/);
  t.match(message, /replays: {2}the call before it, up to step check#0/);
  t.match(message, /svc rerun run_1 --from 'sleep#0'/);
  const first = describeMismatch(records[0]!, { kind: 'emit', name: 'x', ordinal: 0 }, replay)!;
  t.match(first, /replays: {2}nothing before it/);
  t.notMatch(first, /current call is/);
  t.match(
    describeMismatch(
      record(0, 'step', 'gone'),
      { kind: 'sleep', name: '', ordinal: 0 },
      { ...replay, source: 'sleep 1' },
    )!,
    /is nowhere in the current script/,
  );
  t.equal(describeMismatch(records[0]!, { kind: 'step', name: 'check', ordinal: 0 }, replay), undefined);
});

t.test('so does a script that ended too early', async (t) => {
  const message = describeEarlyEnd(records[2]!, replay);
  t.match(
    message,
    /recorded: step check#1 \(3 calls in total\)\n {2}present: {2}the end of the script \(after 2 calls\)/,
  );
  t.match(message, /one of the lines 3, 11/);
  t.match(message, /the 2 calls before it, up to sleep#0/);
});

t.test('the key depends on each part and on nothing else', (t) => {
  const run = { run_id: 'r', job: 'a' };
  const site = { kind: 'step', name: 'n', ordinal: 0 };
  const keys = [
    idempotencyKey(run, site),
    idempotencyKey({ ...run, run_id: 'r2' }, site),
    idempotencyKey({ ...run, job: 'a2' }, site),
    idempotencyKey(run, { ...site, name: 'n0' }),
    idempotencyKey(run, { ...site, ordinal: 1 }),
    idempotencyKey({ run_id: 'ra', job: '' }, site),
  ];
  t.equal(new Set(keys).size, keys.length);
  t.equal(idempotencyKey(run, site), keys[0]);
  t.end();
});
