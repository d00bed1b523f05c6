import t from 'tap';
import { words } from './awaited-signals.ts';

type Client = Parameters<typeof words>[0];

/** A server that answers these by the end of their paths. */
const serverOf = (answers: Readonly<Record<string, unknown>>) =>
  ({
    scoped: (path: string) => path,
    json: async ({ path }: { path: string }) => answers[path.split('?', 1)[0]!],
  }) as unknown as Client;

t.test('the signal that a script waits for', async (t) => {
  const waiting = (substate: object | undefined) =>
    serverOf({ '/runs/run_1': { run_id: 'run_1', kind: 'script', status: 'waiting', substate } });
  t.same(await words(waiting({ kind: 'signal', name: 'approved', since: '' }), ['run_1']), [
    { word: 'approved', description: 'the run is waiting for it' },
  ]);
  t.same(await words(waiting({ kind: 'sleep', name: '', since: '' }), ['run_1']), []);
  t.same(await words(waiting(undefined), ['run_1']), []);
});

t.test('those that the nodes of a graph wait for', async (t) => {
  const nodes = [
    { node: 'ask', substate: { kind: 'signal', name: 'approved', since: '' } },
    { node: 'pushed', substate: { kind: 'event', name: 'push.done', since: '' } },
    { node: 'done' },
  ];
  const server = serverOf({
    '/runs/run_1': { run_id: 'run_1', kind: 'graph', status: 'waiting' },
    '/runs/run_1/steps': { steps: nodes },
  });
  t.same(await words(server, ['run_1']), [
    { word: 'approved', description: 'ask is waiting for it' },
    { word: 'event:pushed', description: 'instead of the event push.done' },
  ]);
});
