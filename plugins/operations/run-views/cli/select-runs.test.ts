import t from 'tap';
import { FILTER_FLAGS } from './filter-flags.ts';
import { selectRuns } from './select-runs.ts';

type Client = Parameters<typeof selectRuns>[0];
type FlagValues = Parameters<typeof selectRuns>[1];

t.test('every filter selects by itself and is sent to the server', async (t) => {
  const selection = { statuses: ['failed'], usual: ['failed'] } as const;
  for (const name of Object.keys(FILTER_FLAGS)) {
    const queries: Record<string, unknown>[] = [];
    const api = {
      scoped: (path: string) => path,
      json: async ({ query }: { query: Record<string, unknown> }) => {
        queries.push(query);
        return { runs: [] };
      },
    } as unknown as Client;
    const flags = { status: [], [name]: name === 'status' ? ['failed'] : 'x' } as FlagValues;
    t.same(await selectRuns(api, flags, selection), []);
    t.equal(queries[0]![name], name === 'status' ? 'failed' : 'x', name);
  }
});
