import t from 'tap';
import type { RunView } from '../explain/answers.ts';
import { FollowedLines } from './followed-lines.ts';
import { reportWaits, removeFollowedText } from './follow.ts';

type Client = Parameters<typeof reportWaits>[0];
type Output = Parameters<typeof reportWaits>[2];

/** Keeps what is said to people. */
function listener() {
  const said: string[] = [];
  const output = {
    json: false,
    relative: false,
    note: (text: string) => said.push(text),
    write: () => undefined,
    writeError: () => undefined,
    until: (iso: string) => `until ${iso}`,
  } as unknown as Output;
  return { said, output };
}

t.test('off a terminal, what a run waits for is said once for each wait', async (t) => {
  const states: Partial<RunView>[] = [
    { status: 'queued' },
    { status: 'queued' },
    { status: 'running' },
    { status: 'waiting', substate: { kind: 'signal', name: 'approved' } } as Partial<RunView>,
    { status: 'waiting', substate: { kind: 'signal', name: 'approved' } } as Partial<RunView>,
    { status: 'queued' },
    { status: 'succeeded' },
  ];
  const { said, output } = listener();
  let looked = 0;
  const all = Promise.withResolvers<void>();
  const client = {
    scoped: (path: string) => path,
    json: async () => {
      const state = states[looked++];
      if (state === undefined) all.resolve();
      // A server that is away is waited for, and the log says so.
      if (state === undefined) throw new Error('away');
      return state;
    },
  } as unknown as Client;
  const stop = reportWaits(client, 'run_1', output, 1);
  await all.promise;
  stop();
  t.same(said, [
    'run_1 is queued: `svc explain run_1` shows why',
    'run_1 waits (signal approved): `svc explain run_1` shows more',
    'run_1 is queued: `svc explain run_1` shows why',
  ]);
});

t.test('standard error is not repeated when the log has shown it', (t) => {
  const { output } = listener();
  const lines = new FollowedLines(output);
  const chunk = (data: string, more: object = {}) =>
    lines.print({
      stream: 'stderr',
      at: '',
      activity_id: 'a',
      pass: 1,
      data: Buffer.from(data).toString('base64'),
      ...more,
    });
  chunk('one\ntw');
  chunk('other\n', { activity_id: 'b' });
  chunk('printed\n', { stream: 'stdout' });
  chunk('o\nthree\n');
  const failed = (said: string) => `the script ended with exit code 1\nthe end of its standard error:\n${said}`;
  t.equal(removeFollowedText(failed('two\nthree'), lines), 'the script ended with exit code 1');
  t.equal(removeFollowedText(failed('other'), lines), 'the script ended with exit code 1');
  for (const text of [failed('two\nfour'), failed('printed'), 'another error', failed('')])
    t.equal(removeFollowedText(text, lines), text, 'kept');
  for (let n = 0; n < 2000; n++) chunk(`${'x'.repeat(1000)}${n}\n`);
  t.equal(
    removeFollowedText(failed('two\nthree'), lines),
    failed('two\nthree'),
    'what was shown long ago is said again',
  );
  t.equal(removeFollowedText(failed(`${'x'.repeat(1000)}1999`), lines), 'the script ended with exit code 1');
  t.end();
});
