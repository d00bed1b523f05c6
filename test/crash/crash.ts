import { join } from 'node:path';
import { pino } from 'pino';
import { until } from '../../features/support/process.ts';
import { startTarget, type Target } from '../../features/support/target.ts';
import { systemClock } from '../../kernel/boot/services/clock.ts';
import { createIds } from '../../kernel/boot/services/ids.ts';
import { openDatabase } from '../../kernel/database/index.ts';
import { checkInvariants } from '../../plugins/runs/store/invariants.ts';
import { Fleet, randomFrom, type Victim } from './chaos.ts';
import { readLedger } from './ledger.ts';
import { type Workload, workload } from './script.ts';

export interface CrashPlan {
  /** Absent: SQLite. */
  database_url?: string;
  servers: number;
  agents: number;
  steps: number;
  /** Kills of each victim. */
  kills: Record<Victim, number>;
  seed: number;
}

export interface CrashResult {
  status: string;
  /** What was struck for real; a strike that hit nobody does not count. */
  struck: Record<Victim, number>;
  /** Everything that is not as promised; empty when all is well. */
  violations: string[];
}

interface StepView {
  position: number;
  site: string;
  status: string;
}

/** Runs the workload while its parts are killed at random moments, then compares records, ledger and invariants. */
export async function crash(plan: CrashPlan): Promise<CrashResult> {
  const random = randomFrom(plan.seed);
  const target = await startTarget({
    agents: 0,
    env: { SVC_LEASE_MS: '1500' },
    ...(plan.database_url === undefined ? {} : { database_url: plan.database_url }),
  });
  const own = target.own!;
  const fleet = await Fleet.start(own, random, plan);
  try {
    const ledger = join(own.folder, 'ledger');
    const work = workload(plan.steps, ledger);
    const run = new CrashRun(target, work);
    await run.submit();
    const struck = await batter(plan, fleet, run, random);
    const status = await run.end();
    const violations = [
      ...(await run.violations()),
      ...(await ledgerViolations(ledger, work)),
      ...(await sqlViolations(own.env)),
    ];
    return { status, struck, violations };
  } finally {
    await fleet.stop();
    await target.close();
  }
}

/** Strikes until each victim was hit as often as planned, or the run has ended. */
async function batter(
  plan: CrashPlan,
  fleet: Fleet,
  run: CrashRun,
  random: () => number,
): Promise<CrashResult['struck']> {
  const struck = { script: 0, agent: 0, server: 0 };
  const left = (victim: Victim) => plan.kills[victim] - struck[victim];
  const total = plan.kills.script + plan.kills.agent + plan.kills.server;
  // A strike every so many records, so that they are spread over the whole run.
  const stride = Math.max(1, Math.floor((run.length * 0.9) / Math.max(1, total)));
  for (let strikes = 0; strikes < total; ) {
    await run.advance(strikes * stride);
    const victims = (['script', 'agent', 'server'] as const).filter((victim) => left(victim) > 0);
    const victim = victims[Math.floor(random() * victims.length)]!;
    await new Promise((resolve) => setTimeout(resolve, random() * 60));
    if (await fleet.strike(victim, run.run_id)) {
      struck[victim] += 1;
      strikes += 1;
    }
    if (await run.hasEnded()) break;
  }
  return struck;
}

/** The run under attack, seen over HTTP; whoever asks has patience, for servers come and go. */
class CrashRun {
  run_id = '';
  readonly #target: Target;
  readonly #work: Workload;
  readonly #sent = new Set<string>();

  constructor(target: Target, work: Workload) {
    this.#target = target;
    this.#work = work;
  }

  get length(): number {
    return this.#work.sites.length;
  }

  async submit(): Promise<void> {
    const { filename, source } = this.#work;
    const made = await this.#ask<{ run_id: string }>('POST', '/runs', { filename, source, idempotency_key: 'crash' });
    this.run_id = made.run_id;
  }

  /** Waits until so many steps are recorded, sending the signals that are waited for; the run may end before. */
  async advance(steps: number): Promise<void> {
    await until(`${steps} records`, 180_000, async () => {
      await this.#signal();
      return (await this.hasEnded()) || (await this.#steps()).length >= steps || undefined;
    });
  }

  async hasEnded(): Promise<boolean> {
    const { status } = await this.#ask<{ status: string }>('GET', `/runs/${this.run_id}`);
    return ['succeeded', 'failed', 'cancelled'].includes(status);
  }

  async end(): Promise<string> {
    await until('the end of the run', 180_000, async () => {
      await this.#signal();
      return (await this.hasEnded()) || undefined;
    });
    const { status, error } = await this.#ask<{ status: string; error?: { message: string } }>(
      'GET',
      `/runs/${this.run_id}`,
    );
    return error ? `${status}: ${error.message}` : status;
  }

  /** Every site once, in order, and nothing else. */
  async violations(): Promise<string[]> {
    const sites = (await this.#steps()).map(({ site }) => site);
    const wanted = this.#work.sites;
    const wrong = wanted.findIndex((site, index) => sites[index] !== site);
    if (wrong < 0 && sites.length === wanted.length) return [];
    return [`recorded ${sites.length} of ${wanted.length}; at ${wrong}: ${sites[wrong]} instead of ${wanted[wrong]}`];
  }

  /** A signal is sent once, when the run waits for it: a second one would stay in the queue. */
  async #signal(): Promise<void> {
    const { substate } = await this.#ask<{ substate?: { kind: string; name: string } | null }>(
      'GET',
      `/runs/${this.run_id}`,
    );
    if (substate?.kind !== 'signal' || this.#sent.has(substate.name)) return;
    this.#sent.add(substate.name);
    await this.#ask('POST', `/runs/${this.run_id}/signals/${substate.name}`, { n: Number(substate.name.slice(3)) });
  }

  async #steps(): Promise<StepView[]> {
    const steps: StepView[] = [];
    let cursor = '';
    do {
      const page = await this.#ask<{ steps: StepView[]; next_cursor?: string }>(
        'GET',
        `/runs/${this.run_id}/steps?limit=200${cursor}`,
      );
      steps.push(...page.steps.filter(({ status }) => status === 'recorded'));
      cursor = page.next_cursor === undefined ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`;
    } while (cursor !== '');
    return steps;
  }

  #ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { base_url, org, token } = this.#target;
    return until(`${method} ${path}`, 60_000, async () => {
      const response = await fetch(`${base_url}/api/v1/orgs/${org}/projects/main${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }).catch(() => undefined); // Nobody listens there right now.
      if (!response || response.status === 503) return undefined;
      const text = await response.text().catch(() => undefined); // It was killed while it answered.
      if (text === undefined) return undefined;
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return (text === '' ? {} : JSON.parse(text)) as T;
    });
  }
}

/** Every side effect happened, and with one idempotency key however often it was tried. */
async function ledgerViolations(path: string, work: Workload): Promise<string[]> {
  const ledger = await readLedger(path);
  const effects = work.sites
    .filter((site) => /^(s-\d+#0|flaky-\d+#\d)$/.test(site))
    .map((site) => site.replace(/^(s-\d+)#0$/, '$1'));
  const missing = effects.filter((site) => !ledger.has(site)).map((site) => `${site} was recorded but never done`);
  const several = [...ledger]
    .filter(([, { keys }]) => keys.size !== 1)
    .map(([site]) => `${site} was seen with several keys`);
  const keys = new Set([...ledger.values()].flatMap((entry) => [...entry.keys]));
  const shared = keys.size === ledger.size ? [] : ['two sites share an idempotency key'];
  return [...missing, ...several, ...shared];
}

async function sqlViolations(env: Record<string, string>): Promise<string[]> {
  const log = pino({ level: 'silent' });
  const handle = await openDatabase(
    { database_url: env.SVC_DATABASE_URL! },
    { clock: systemClock, log, ids: createIds(systemClock) },
  );
  try {
    return await checkInvariants(handle.database);
  } finally {
    await handle.close();
  }
}
