import t from 'tap';
import { Database, Errors, type Queries } from '../../../../kernel/contracts/index.ts';
import { OPERATOR } from '../../../platform/audit/contract.ts';
import { RunCreation, RunEngine, RunStore, type WorkflowKind } from '../contract.ts';
import { SCOPE, STORES, withEngine } from '../../../../test/kit/index.ts';
import { makeReruns } from '../service/register.ts';

interface Stored {
  version: number;
  source: string;
}

/** Documents are rows with a name and a version; the newest one is meant. */
const graph: WorkflowKind = {
  kind: 'graph',
  type: 'svc-graph/v1',
  marks: { versions: ['svc-graph/v1'] },
  references: ['graph'],
  takes_credentials: false,
  replays: false,
  async resolve(on, { project_id }, { graph: name = '' }) {
    const [found] = await on.read<Stored>(
      'SELECT version, source FROM test_graphs WHERE project_id = ? AND name = ? ORDER BY version DESC LIMIT 1',
      [project_id, name],
    );
    if (!found)
      throw Errors.notFound(`there is not a graph ${name}`, { errors: [{ pointer: '/graph', message: 'no' }] });
    return { source: found.source, workflow: name, pin: { form: 'graph', name, version: Number(found.version) } };
  },
  check: async () => [],
  plan: async (_on, _scope, { source, pin, requires }) => ({
    activities: [{ name: 'main', executor: 'graph', spec: { source, version: pin?.version ?? null }, requires }],
  }),
};

const save = (on: Queries, version: number, source: string) =>
  on.write('INSERT INTO test_graphs (project_id, name, version, source) VALUES (?, ?, ?, ?)', [
    SCOPE.project_id,
    'release',
    version,
    source,
  ]);

for (const store of STORES)
  t.test(`${store}: a run has the document that its name stood for, and so has its rerun`, (t) =>
    withEngine({ store, kinds: [graph] }, async (world) => {
      const database = world.use(Database);
      await database.write(
        'CREATE TABLE test_graphs (project_id VARCHAR(64), name VARCHAR(64), version INTEGER, source TEXT)',
      );
      const stored = { source: undefined, graph: 'release' };
      await t.rejects(world.use(RunEngine).submit(world.submit(stored)), {
        code: 'not_found',
        extras: { errors: [{ pointer: '/graph' }] },
      });
      await save(database, 1, 'first');
      const { run_id } = await world.use(RunEngine).submit(world.submit(stored));
      const claimed = await world.claim();
      t.same(claimed.spec, { source: 'first', version: 1 });
      const { activity_id, epoch } = claimed;
      await world.use(RunStore).complete({ activity_id, epoch }, { status: 'succeeded', output: null });
      await save(database, 2, 'second');

      const { project_id } = SCOPE;
      const again = await makeReruns(world.use).rerun({ ...SCOPE, project_id, run_id, from: undefined, by: OPERATOR });
      t.same((await world.claim()).spec, { source: 'first', version: 1 }, 'the rerun is of the pinned version');
      t.match(await world.use(RunEngine).read(SCOPE, again.run_id), { kind: 'graph', workflow: 'release' });
      await world.use(RunEngine).submit(world.submit(stored));
      t.same((await world.claim()).spec, { source: 'second', version: 2 }, 'a new run is of the newest');

      const run = await database.transaction(async (tx) => {
        await save(tx, 3, 'third');
        return world.use(RunCreation).plan(tx, world.submit(stored));
      });
      t.match(run, { source: 'third', pin: { form: 'graph', name: 'release', version: 3 }, workflow: 'release' });
      await t.rejects(world.use(RunEngine).submit(world.submit({ source: undefined, node: 'http', config: {} })), {
        code: 'workflow_kind_unknown',
      });
    }),
  );
