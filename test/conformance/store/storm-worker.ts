import { randomInt } from 'node:crypto';
import { writeSync } from 'node:fs';
import { isServiceError, Log } from '../../../kernel/contracts/index.ts';
import type { Claimed } from '../../../plugins/engine/runs/contract.ts';
import { refOf, Scenario, step, waitFor } from './scenario.ts';
import { openServer } from './server.ts';

/** One line on stdout, synchronous: what is written there has been acknowledged before this process can die. */
const acknowledge = (line: string) => writeSync(1, `${line}\n`);
/** What rivals and deaths make of a call; anything else is a fault. */
const EXPECTED = new Set(['lease_lost', 'run_finished', 'journal_conflict', 'database_busy', 'commit_unknown']);
const LEASE_MS = 300;
const STEPS = 6;

const [url = '', master_key = '', org_id = '', project_id = ''] = process.argv.slice(2);
const database = { url, master_key, drop: async () => undefined };
/** Errors go to stderr, where the test finds them. */
const server = await openServer(database, [[Log, (_use, own: () => Log) => own()]]);
const scenario = new Scenario([server], { org_id, project_id });
const { ids } = scenario;
const agent_id = ids.next('agt');

async function tolerated(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (isServiceError(error) && EXPECTED.has(error.code)) return false;
    throw error;
  }
}

/** A pass as an agent does it: goes on after the journal's end, waits at an odd position, ends after the last. */
async function pass(claim: Claimed): Promise<void> {
  const ref = refOf(claim);
  for (let position = claim.journal.length; position < STEPS; position++) {
    if (position === 3) {
      await tolerated(server.store.park(ref, waitFor(position, 'go', { timeout_ms: randomInt(40) })));
      return;
    }
    const record = step(position, { exit_code: randomInt(200) });
    if (!(await tolerated(server.store.append(ref, record)))) return;
    acknowledge(`append ${claim.activity_id} ${position} ${record.exit_code}`);
    if (randomInt(8) === 0)
      await tolerated(server.store.appendLogs(ref, [{ n: position, stream: 'stdout', at: 1, data: '' }]));
    if (randomInt(30) === 0) return; // as if the agent had died: the lease runs out
  }
  const ended = await tolerated(server.store.complete(ref, { status: 'succeeded', output: claim.run_id }));
  if (ended) acknowledge(`complete ${claim.run_id}`);
}

async function turn(): Promise<void> {
  if (randomInt(3) === 0) {
    const run = await scenario.submit({ idempotency_key: randomInt(2) === 0 ? ids.next('key') : undefined });
    acknowledge(`submit ${run.run_id}`);
    if (
      randomInt(12) === 0 &&
      (await tolerated(server.store.cancelRun({ ...scenario.run(run.run_id), reason: 'storm' })))
    )
      acknowledge(`cancel ${run.run_id}`);
    if (randomInt(2) === 0 && (await tolerated(scenario.signal(run.run_id, 'go', 1))))
      acknowledge(`signal ${run.run_id}`);
  }
  await server.store.expireClaims(20);
  await server.store.resolveDue(20);
  const claims = await server.store.claim(scenario.agent([], agent_id), 1 + randomInt(6), LEASE_MS);
  await Promise.all(claims.map(pass));
}

acknowledge('ready');
for (;;) await tolerated(turn());
