import { readFile } from 'node:fs/promises';
import mysql2 from 'mysql2/promise';
import { until } from '../../features/support/process.ts';
import type { Target } from '../../features/support/target.ts';
import { type Fleet, underAttack } from '../crash/chaos.ts';
import { readLedger } from '../crash/ledger.ts';
import { askPatiently } from '../crash/patient-api.ts';
import { ledgerOf, sqlViolations } from '../crash/verdict.ts';

export interface CrowdPlan {
  /** Absent: SQLite. */
  database_url?: string;
  servers: number;
  agents: number;
  pipelines: number;
  /** How many agents, servers and, on MySQL, connections are killed. */
  kills: number;
  seed: number;
}

export interface CrowdResult {
  struck: number;
  /** Everything that is not as promised; empty when all is well. */
  violations: string[];
}

const PARTS = ['a', 'b', 'c'];
const ENDED = ['succeeded', 'failed', 'cancelled'];
const GROUPS = 2;
/** Who is under the machine's lease writes its name there. */
const machine = (ledger: string) => `${ledger}-machine`;

/**
 * A matrix with artifacts, a job that fails at first, a wait, and a job under a lease that all runs share. Runs of one
 * group come one after the other. Each effect is a line `<run> <job> <key>` in the ledger.
 */
function pipeline(number: number, ledger: string): string {
  const effect = (job: string) => `echo "${number}/${job} $SVC_IDEMPOTENCY_KEY" >> "${ledger}"`;
  const inside = machine(ledger);
  return `
name: crowd-${number}
concurrency: crowd-${number % GROUPS}
outputs: { parts: "\${{ jobs.build.all }}", shipped: "\${{ jobs.ship.outputs.by }}" }
jobs:
  build:
    strategy: { matrix: { part: ${JSON.stringify(PARTS)} }, max_parallel: 2 }
    steps:
      - id: make
        env: { PART: "\${{ matrix.part }}" }
        run: |
          ${effect('build-$PART')}
          mkdir out; echo "${number} $PART" > "out/$PART.txt"
          echo "part=$PART" >> "$SVC_OUTPUT"
    outputs: { part: "\${{ steps.make.output.part }}" }
    artifacts: [out/]
  flaky:
    needs: build
    retry: { attempts: 3 }
    steps:
      - run: |
          ${effect('flaky')}
          ! mkdir "${ledger}-flaky-${number}" 2>/dev/null
  gate: { needs: flaky, wait_for_event: crowd.never }
  ship:
    needs: gate
    concurrency: crowd-machine
    steps:
      - run: |
          read -r other < "${inside}" || other=
          [ -z "$other" ] || [ "$other" = ${number} ] || echo "$other and ${number}" >> "${ledger}-together"
          echo ${number} > "${inside}"
          ${effect('ship')}
          sleep 0.05
          : > "${inside}"
          echo "by=${number}" >> "$SVC_OUTPUT"
    outputs: { by: "\${{ steps.s0.output.by }}" }
`.replace('- run: |\n          read', '- id: s0\n        run: |\n          read');
}

const JOBS = [...PARTS.map((part) => `build-${part}`), 'flaky', 'ship'];

interface Shown {
  status: string;
  output?: unknown;
  error?: { message: string };
  substate?: { kind: string };
}

/** Many pipelines at once, while agents, servers and connections are killed at random; then all must be as promised. */
export const crowd = (plan: CrowdPlan): Promise<CrowdResult> =>
  underAttack(plan, async ({ target, own, fleet, random }) => {
    const ledger = ledgerOf(own);
    const runs = new Map<number, string>();
    for (let number = 0; number < plan.pipelines; number += 1) {
      const body = { filename: 'crowd.yml', source: pipeline(number, ledger), idempotency_key: `crowd-${number}` };
      runs.set(number, (await askPatiently<{ run_id: string }>(target, 'POST', '/runs', body)).run_id);
    }
    const watch = new CrowdWatch(target, runs, ledger);
    const driving = watch.drive();
    let struck = 0;
    while (struck < plan.kills) {
      await new Promise((resolve) => setTimeout(resolve, 200 + random() * 1000));
      if (!(await strike(plan, fleet, random))) continue;
      struck += 1;
      watch.letPass(Math.ceil((struck / plan.kills) * plan.pipelines));
    }
    watch.letPass(plan.pipelines);
    await driving;
    return { struck, violations: [...(await watch.violations()), ...(await sqlViolations(own.env))] };
  });

async function strike({ database_url }: CrowdPlan, fleet: Fleet, random: () => number): Promise<boolean> {
  const victim = random();
  if (database_url === undefined || victim > 0.3) return fleet.strike(victim < 0.65 ? 'agent' : 'server');
  return cutConnection(database_url, random);
}

/** Kills one connection of the service in its database. */
async function cutConnection(database_url: string, random: () => number): Promise<boolean> {
  const own = await mysql2.createConnection(database_url);
  try {
    const [rows] = await own.query(
      'SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()',
    );
    const ids = (rows as { id: number }[]).map(({ id }) => id);
    const id = ids[Math.floor(random() * ids.length)];
    if (id === undefined) return false;
    // It may be gone by itself.
    await own.query(`KILL ${Number(id)}`).catch(() => undefined);
    return true;
  } finally {
    await own.end();
  }
}

/** The runs, seen over HTTP by somebody with patience. */
class CrowdWatch {
  readonly #target: Target;
  readonly #runs: ReadonlyMap<number, string>;
  readonly #ledger: string;
  readonly #ended = new Map<number, Shown>();
  readonly #signalled = new Set<number>();
  #passing = 0;
  /** Of jobs that the service calls done: how often they had been tried then. */
  readonly #done = new Map<string, number>();

  constructor(target: Target, runs: ReadonlyMap<number, string>, ledger: string) {
    this.#target = target;
    this.#runs = runs;
    this.#ledger = ledger;
  }

  /** The gates of so many runs are opened: the others wait, so that strikes hit work and not its end. */
  letPass(runs: number): void {
    this.#passing = runs;
  }

  /** Lets waiting runs go on, until all have ended. */
  async drive(): Promise<void> {
    await until('all pipelines to end', 240_000, async () => {
      for (const [number, run_id] of this.#runs) if (!this.#ended.has(number)) await this.#look(number, run_id);
      return this.#ended.size === this.#runs.size || undefined;
    });
  }

  async #look(number: number, run_id: string): Promise<void> {
    const run = await askPatiently<Shown>(this.#target, 'GET', `/runs/${run_id}`);
    await this.#noteDone(number, run_id);
    if (ENDED.includes(run.status)) this.#ended.set(number, run);
    else if (number < this.#passing && run.substate?.kind === 'event' && !this.#signalled.has(number)) {
      const path = `/runs/${run_id}/signals/event:gate`;
      await askPatiently(this.#target, 'POST', path, { number }, `go-${number}`);
      this.#signalled.add(number);
    }
  }

  async #noteDone(number: number, run_id: string): Promise<void> {
    type Node = { node: string; state: string };
    const { steps } = await askPatiently<{ steps: Node[] }>(this.#target, 'GET', `/runs/${run_id}/steps?limit=200`);
    const done = steps.filter(({ state }) => state === 'succeeded').map(({ node }) => node);
    const tries = await this.#tries();
    for (const job of JOBS.filter((one) => done.includes(one.startsWith('build-') ? 'build' : one))) {
      const key = `${number}/${job}`;
      if (!this.#done.has(key)) this.#done.set(key, tries.get(key)?.times ?? 0);
    }
  }

  #tries() {
    return readLedger(this.#ledger).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return new Map<string, { times: number; keys: Set<string> }>();
      throw error;
    });
  }

  async violations(): Promise<string[]> {
    const found: string[] = [];
    for (const [number, run_id] of this.#runs) found.push(...(await this.#faults(number, run_id)));
    const tries = await this.#tries();
    const keys = [...tries.values()].flatMap((one) => [...one.keys]);
    if (new Set(keys).size !== keys.length) found.push('two jobs share an idempotency key');
    const { locks } = await askPatiently<{ locks: { group: string }[] }>(this.#target, 'GET', '/locks');
    found.push(...locks.map(({ group }) => `somebody holds ${group}`));
    const together = await readFile(`${this.#ledger}-together`, 'utf8').catch(() => '');
    return together === '' ? found : [...found, `under one lease at a time: ${together}`];
  }

  async #faults(number: number, run_id: string): Promise<string[]> {
    const { status, output, error } = this.#ended.get(number)!;
    const says = `run ${number}`;
    const wanted = JSON.stringify({ parts: PARTS.map((part) => ({ part })), shipped: String(number) });
    const found: string[] = [];
    if (status !== 'succeeded') found.push(`${says} has ${status}: ${error?.message}`);
    else if (JSON.stringify(output) !== wanted) found.push(`${says} put out ${JSON.stringify(output)}`);
    const tries = await this.#tries();
    for (const job of JOBS) {
      const one = tries.get(`${number}/${job}`);
      const known = this.#done.get(`${number}/${job}`);
      if (!one) found.push(`${says}: ${job} was never done`);
      else if (one.keys.size !== 1) found.push(`${says}: ${job} was done with ${one.keys.size} keys`);
      else if (known !== undefined && known !== one.times) found.push(`${says}: ${job} was done again after its end`);
    }
    return [...found, ...(await this.#artifactFaults(number, run_id))];
  }

  async #artifactFaults(number: number, run_id: string): Promise<string[]> {
    type Listed = { artifacts: { path: string; size: number }[] };
    const { artifacts } = await askPatiently<Listed>(this.#target, 'GET', `/runs/${run_id}/artifacts`);
    const found = artifacts.map(({ path, size }) => `${path} ${size}`).sort();
    const wanted = PARTS.map((part) => `out/${part}.txt ${`${number} ${part}\n`.length}`);
    return found.join() === wanted.join() ? [] : [`run ${number} has the artifacts ${found.join(', ')}`];
  }
}
