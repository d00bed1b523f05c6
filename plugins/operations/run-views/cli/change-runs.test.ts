import { Readable } from 'node:stream';
import t from 'tap';
import { changeRuns } from './change-runs.ts';

type Invocation = Parameters<typeof changeRuns>[0];

t.test('the end of the input is no agreement, and the question ends with it', async (t) => {
  const said: string[] = [];
  const run = { run_id: 'run_1', status: 'failed', workflow: 'a.sh', tags: [], created_at: '2026-11-21T10:00:00.000Z' };
  const api = { scoped: (path: string) => path, json: async () => ({ runs: [run] }) };
  const output = {
    json: false,
    note: (text: string) => said.push(text),
    data: () => undefined,
    time: (text: string) => text,
    colours: { red: (text: string) => text },
    table: () => '',
  };
  const stdin = Object.assign(Readable.from([]), { isTTY: true });
  const changed: string[] = [];
  const exit = await changeRuns(
    { flags: { status: [], all: true }, output, stdin, client: async () => api, env: {} } as unknown as Invocation,
    {
      verb: 'rerun',
      statuses: ['failed'],
      usual: ['failed'],
      apply: async (_api, { run_id }) => {
        changed.push(run_id);
        return { outcome: 'rerun' };
      },
    },
  );
  t.equal(exit, 0);
  t.same(changed, []);
  t.same(said, ['nothing was done']);
});
