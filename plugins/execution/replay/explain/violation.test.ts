import t from 'tap';
import { describeEarlyEnd, describeMismatch } from '../domain/determinism.ts';
import { parseViolation } from './violation.ts';

const record = (position: number, name: string) => ({
  ...{ position, kind: 'step', name, ordinal: 0, digest: '', exit_code: 0, output: '', started_at: 0 },
});
const replay = { run_id: 'run_1', source: 'svc step a -- true\nsvc step b -- true\n', records: [record(0, 'a')] };

t.test('a violation is read from what the replay says', async (t) => {
  const found = parseViolation(describeMismatch(replay.records[0]!, { kind: 'step', name: 'b', ordinal: 0 }, replay)!)!;
  t.match(found, {
    summary: 'The script made a different durable call from the one in its journal.',
    position: '0',
    recorded: 'step a#0',
    present: 'step b#0',
    site: 'a#0',
    advice: /^The call that differs was not executed\.\nWhat to do: /,
  });
  t.ok(found.notes.includes('the current call is in line 2: svc step b -- true'));
  t.match(parseViolation(describeEarlyEnd(replay.records[0]!, replay)), {
    recorded: 'step a#0 (1 calls in total)',
    present: 'the end of the script (after 0 calls)',
  });
});

t.test('a hostile name stays text, and another message is no violation', async (t) => {
  const name = "<img src=x>'\u202e";
  const found = parseViolation(describeMismatch(replay.records[0]!, { kind: 'step', name, ordinal: 0 }, replay)!)!;
  t.equal(found.present, `step ${name}#0`);
  t.equal(parseViolation('something else'), undefined);
  t.equal(parseViolation('  position: 1\n  recorded: x'), undefined);
  t.match(parseViolation('x\n  position: 1\n  recorded: a\n  present:  b'), { notes: [], advice: '' });
});
