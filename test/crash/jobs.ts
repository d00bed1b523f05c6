import { until } from '../../features/support/process.ts';
import type { OwnTarget, Target } from '../../features/support/target.ts';
import { type Fleet, underAttack } from './chaos.ts';
import { readLedger } from './ledger.ts';
import { askPatiently } from './patient-api.ts';
import { ledgerOf, sqlViolations } from './verdict.ts';

export interface JobsPlan {
  /** Absent: SQLite. */
  database_url?: string;
  servers: number;
  agents: number;
  /** Kills of agents and servers together; the jobs go on as far between two of them. */
  kills: number;
  seed: number;
}

export interface JobsResult {
  status: string;
  struck: { agent: number; server: number };
  /** Everything that is not as promised; empty when all is well. */
  violations: string[];
}

const JOBS = ['one', 'two'];
const ENDED = ['succeeded', 'failed', 'cancelled'];

interface CallView {
  activity: string;
  site: string;
  kind: string;
  status: string;
}

/** Both jobs run this script: a step with a side effect, a sleep and a signal in each round, all with the same names. */
const pipelineOf = (rounds: number, ledger: string): string =>
  JSON.stringify({
    files: {
      'work.sh': [
        `for n in $(seq 0 ${rounds - 1}); do`,
        `  svc step work -- sh -c 'echo "$0 $SVC_IDEMPOTENCY_KEY" >> "$1"' "$JOB-$n" '${ledger}'`,
        '  svc sleep 20ms',
        '  svc wait-signal go > /dev/null',
        'done',
        'svc output set rounds:="$n"',
        '',
      ].join('\n'),
    },
    outputs: { rounds: `\${{ [${JOBS.map((job) => `jobs.${job}.outputs.rounds`).join(', ')}] }}` },
    jobs: Object.fromEntries(JOBS.map((job) => [job, { workflow: './work.sh', env: { JOB: job } }])),
  });

const sitesOf = (rounds: number): string[] =>
  Array.from({ length: rounds }, (_, n) => [`work#${n}`, `sleep#${n}`, `go#${n}`]).flat();

/** A pipeline of two scripts, while agents and servers are killed at random moments. */
export const crashJobs = (plan: JobsPlan): Promise<JobsResult> =>
  underAttack(plan, async ({ target, own, fleet, random }) => {
    const rounds = Math.ceil(plan.kills / JOBS.length);
    const ledger = ledgerOf(own, 'jobs-ledger');
    const source = pipelineOf(rounds, ledger);
    const body = { filename: 'jobs.yml', source, idempotency_key: 'jobs' };
    const { run_id } = await askPatiently<{ run_id: string }>(target, 'POST', '/runs', body);
    const run = new JobsRun(target, run_id);
    const struck = await batter(plan, fleet, run, { random, signals: rounds * JOBS.length });
    const { status, output } = await run.end();
    const last = JSON.stringify({ rounds: JOBS.map(() => rounds - 1) });
    return {
      status,
      struck,
      violations: [
        ...(JSON.stringify(output) === last ? [] : [`the output is ${JSON.stringify(output)}, not ${last}`]),
        ...(await run.violations(rounds)),
        ...(await ledgerViolations(own, ledger, rounds)),
      ],
    };
  });

/** One strike for each signal, so that the strikes meet every round of both jobs. */
async function batter(
  plan: JobsPlan,
  fleet: Fleet,
  run: JobsRun,
  { random, signals }: { random: () => number; signals: number },
): Promise<JobsResult['struck']> {
  const struck = { agent: 0, server: 0 };
  for (let n = 0; n < signals; n += 1) {
    await run.signal(n);
    if (struck.agent + struck.server < plan.kills) {
      const victim = random() < 0.5 ? 'agent' : 'server';
      await new Promise((resolve) => setTimeout(resolve, random() * 80));
      if (await fleet.strike(victim)) struck[victim] += 1;
    }
    await run.taken(n + 1);
  }
  return struck;
}

/** The run under attack, seen over HTTP. */
class JobsRun {
  readonly #target: Target;
  readonly #path: string;

  constructor(target: Target, run_id: string) {
    this.#target = target;
    this.#path = `/runs/${run_id}`;
  }

  /** With a key, so that a repeat after a lost answer is no second one. */
  async signal(n: number): Promise<void> {
    await askPatiently(this.#target, 'POST', `${this.#path}/signals/go`, { n }, `go-${n}`);
  }

  /** So many signals are in the journals. */
  async taken(count: number): Promise<void> {
    await until(`${count} signals to be taken`, 180_000, async () => {
      const calls = await this.#calls();
      return calls.filter(({ kind }) => kind === 'wait-signal').length >= count || (await this.#over()) || undefined;
    });
  }

  async end(): Promise<{ status: string; output: unknown }> {
    await until('the end of the run', 180_000, async () => (await this.#over()) || undefined);
    return this.#record();
  }

  /** Each job has every site once, in order, and nothing else. */
  async violations(rounds: number): Promise<string[]> {
    const calls = await this.#calls();
    const wanted = sitesOf(rounds).join(' ');
    return JOBS.flatMap((job) => {
      const found = calls.filter(({ activity }) => activity === job).map(({ site }) => site);
      return found.join(' ') === wanted ? [] : [`the job ${job} has recorded ${found.join(' ')}`];
    });
  }

  async #over(): Promise<boolean> {
    return ENDED.includes((await this.#record()).status);
  }

  #record(): Promise<{ status: string; output: unknown }> {
    return askPatiently(this.#target, 'GET', this.#path);
  }

  async #calls(): Promise<CallView[]> {
    const found: CallView[] = [];
    for (let cursor = ''; ; ) {
      const page = await askPatiently<{ steps: CallView[]; next_cursor?: string }>(
        this.#target,
        'GET',
        `${this.#path}/steps?calls=true&limit=200${cursor}`,
      );
      found.push(...page.steps.filter(({ status }) => status === 'recorded'));
      if (page.next_cursor === undefined) return found;
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
    }
  }
}

/** Each side effect happened, with one key however often it was tried, and no two share one. */
async function ledgerViolations(own: OwnTarget, path: string, rounds: number): Promise<string[]> {
  const ledger = await readLedger(path);
  const effects = JOBS.flatMap((job) => Array.from({ length: rounds }, (_, n) => `${job}-${n}`));
  const keys = new Set([...ledger.values()].flatMap((entry) => [...entry.keys]));
  return [
    ...effects.filter((effect) => !ledger.has(effect)).map((effect) => `${effect} was never done`),
    ...[...ledger]
      .filter(([, entry]) => entry.keys.size !== 1)
      .map(([effect]) => `${effect} was seen with several keys`),
    ...(keys.size === ledger.size ? [] : ['two steps share an idempotency key']),
    ...(await sqlViolations(own.env)),
  ];
}
