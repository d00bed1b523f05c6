import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { boot } from '../kit/index.ts';
import { Planter } from './planted.ts';
import { ROUTES } from './routes.ts';

t.setTimeout(600_000);

/** What SQLite reads depends on how long a list is, and it counts on ten rows of each project. */
const LENGTHS = [1, 3, 20, 128];
const LIST = /IN \(\?(?:, ?\?)*\)/g;
/** Reads all rows of a project or an org. */
const WHOLE = /^SEARCH (\w+) .*\((?:project_id|org_id)=\?\)$/;

/** Tables that hold little of a project: the agents of an org, and one row for the index of runs. */
const SMALL = new Set(['agents_agents', 'run_search_cursors']);

const statements = new Set<string>();
const { prepare } = DatabaseSync.prototype;
DatabaseSync.prototype.prepare = function (...given) {
  const [sql] = given;
  if (/^\s*(?:SELECT|UPDATE|DELETE)/i.test(sql)) statements.add(sql.replaceAll(LIST, 'IN (?)'));
  return prepare.apply(this, given);
};

t.test('no statement that names rows reads all of the project instead, however many it names', async (t) => {
  const server = await boot({ access: 'project', env: { SVC_RATE_LIMIT: 'off' } });
  t.teardown(() => server.close());
  const planted = await new Planter(server).plant();
  const filled = (path: string) =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(planted[name] ?? 'x'));
  for (const path of Object.keys(ROUTES))
    if (!path.endsWith('/live')) await server.call('owner', `GET ${filled(path)}`);
  const listing = [...statements].filter((sql) => sql.includes('IN (?)'));
  t.ok(
    listing.some((sql) => sql.includes('FROM runs_runs')),
    'the records of runs are among them',
  );
  const database = new DatabaseSync(server.database.url.replace(/^sqlite:/, ''));
  t.teardown(() => database.close());
  for (const sql of listing)
    for (const length of LENGTHS) {
      const listed = sql.replaceAll('IN (?)', `IN (${Array.from({ length }, () => '?').join(', ')})`);
      const steps = prepare.call(database, `EXPLAIN QUERY PLAN ${listed}`).all() as { detail: string }[];
      const whole = steps.flatMap(({ detail }) => WHOLE.exec(detail)?.[1] ?? []).filter((table) => !SMALL.has(table));
      t.same(whole, [], `${length}: ${sql.replaceAll(/\s+/g, ' ').slice(0, 300)}`);
    }
});
