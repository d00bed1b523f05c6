import { Database } from '../../../kernel/contracts/index.ts';
import { boot, type TestServer } from '../../kit/index.ts';
import { atMostValue, type Figure, mustBe, type Row } from '../figure.ts';
import { median } from '../statistics.ts';

/** Runs of one statement: a longer one would keep the process busy for seconds. */
const BATCH = 20_000;
const DAY_MS = 24 * 3_600_000;
const WINDOWS = ['1h', '24h', '7d'];

/** Numbers from `from` on, as a table. */
const numbers = (from: number, count: number) =>
  `WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${from + count - 1})`;

/** Nine of ten succeed, and one of a hundred waits. */
const STATUS = "CASE WHEN i % 100 = 0 THEN 'waiting' WHEN i % 10 = 1 THEN 'failed' ELSE 'succeeded' END";

/** Runs that were submitted evenly over two weeks, and the two events of each. */
export async function fill(server: TestServer, count: number): Promise<void> {
  const database = server.use(Database);
  const { org_id, project_id, org, project } = server.scope;
  const place = `'${org_id}', '${project_id}'`;
  const begin = database.now() - 14 * DAY_MS;
  const at = `${begin} + CAST(i * ${(14 * DAY_MS) / count} AS INTEGER)`;
  const id = "printf('run_%026d', i)";
  for (let from = 1; from <= count; from += BATCH) {
    const some = numbers(from, Math.min(BATCH, count - from + 1));
    await database.write(
      `INSERT INTO runs_runs (run_id, org_id, project_id, org, project, kind, workflow, status, tags, trigger_fields,
       envelope, env, requires, source_digest, trusted, generation, next_seq, created_at, started_at, finished_at, error_code,
       error_message)
       ${some} SELECT ${id}, ${place}, '${org}', '${project}', 'script', 'job.sh', ${STATUS}, '[]', '{"type":"manual"}',
       '{"type":"manual"}', '{}', '[]', 'digest', 1, 0, 1, ${at}, ${at}, ${at}, 'script_failed', 'exit 1' FROM n`,
    );
    for (const [part, type] of [
      [0, "'run.started'"],
      [1, `'run.' || ${STATUS}`],
    ] as const)
      await database.write(
        `INSERT INTO bus_events (project_id, seq, event_id, org_id, type, body, source, source_name, generation, trusted,
         withheld, recorded_at)
         ${some} SELECT '${project_id}', 2 * i - 1 + ${part}, printf('evt_%025d%d', i, ${part}), '${org_id}', ${type},
         randomblob(200), 'lifecycle', ${id}, 0, 1, 0, ${at} FROM n`,
      );
    await database.write(
      `INSERT INTO runs_waits (run_id, activity_id, position, org_id, project_id, kind, substate, name, topic, ordinal,
       digest, args, state, seq, epoch, started_at, armed_at)
       ${some} SELECT ${id}, ${id}, 0, ${place}, 'wait-signal', 'signal', 'approved', '', 0, '', 'null', 'armed', 0, 1,
       ${at}, ${at} FROM n WHERE i % 100 = 0`,
    );
  }
  await database.write('INSERT INTO bus_heads (project_id, org_id, last_seq, last_at) VALUES (?, ?, ?, ?)', [
    project_id,
    org_id,
    2 * count,
    database.now(),
  ]);
}

async function asked(server: TestServer, window: string): Promise<number> {
  // What was answered a moment ago is not answered again.
  server.clock.advance(10_000);
  const since = performance.now();
  const { status, json } = await server.call('member', `GET ${server.scoped}/summary?window=${window}`);
  const spent = performance.now() - since;
  mustBe('the status', status, 200);
  if (json.runs.succeeded + json.runs.failed === 0 && window === '7d') throw new Error('nothing was counted');
  return spent;
}

export const summary: Figure = {
  name: 'summary',
  summary: 'GET summary of a project with very many runs',
  async measure(bench) {
    const runs = bench.size(1_000_000, 20_000);
    const rounds = bench.size(50, 10);
    const server = await boot({ idle: true });
    try {
      await fill(server, runs);
      const rows: Row[] = [];
      for (const window of WINDOWS) {
        const first = await asked(server, window);
        const spent: number[] = [];
        for (let round = 0; round < rounds; round += 1) spent.push(await asked(server, window));
        rows.push({
          figure: `summary of ${window} among ${runs} runs, p50`,
          unit: 'ms',
          ours: median(spent),
          goal: atMostValue(20),
          done: rounds,
          note: `the first after a start of the server: ${Math.round(first)} ms; the slowest: ${Math.round(Math.max(...spent))} ms`,
        });
      }
      return rows;
    } finally {
      await server.close();
    }
  },
};
