import { randomFrom } from '../../crash/chaos.ts';
import { readLedger } from '../../crash/ledger.ts';
import { until } from '../../../features/support/process.ts';
import { type Client, Refusal, type RunView } from '../client.ts';
import type { Galera } from '../galera.ts';
import { ClusterPlace } from '../place.ts';
import { pause } from '../races/race.ts';
import { brokenOnNodes, differences } from '../verdict.ts';
import { Progress } from './progress.ts';
import { echo, mixedRun } from './script.ts';
import { type Strike, type Struck, strike } from './strikes.ts';

export interface MixedPlan {
  /** At least so many; more are begun while strikes go on. */
  runs: number;
  strikes: readonly Strike[];
  nats_url?: string | undefined;
  seed: number;
  say(line: string): void;
}

export interface MixedResult {
  runs: number;
  struck: Struck[];
  violations: string[];
}

const AT_ONCE = 10;
const RUN_MS = 150_000;
const TAG = 'mixed';
const OVER = ['succeeded', 'failed', 'cancelled'];

/** Mixed runs on three servers with nodes of their own, while nodes, servers, agents and the network are struck. */
export async function mixed(cluster: Galera, plan: MixedPlan): Promise<MixedResult> {
  const { nats_url } = plan;
  const place = await ClusterPlace.open(cluster, { servers: [0, 1, 2], agents: 3, nats_url });
  const load = new Load(place, plan);
  try {
    await load.begin();
    const struck = await load.endure();
    const violations = await load.violations();
    await place.stopAll();
    violations.push(...(await brokenOnNodes(cluster, place.database)));
    violations.push(...(await differences(cluster, place.database)));
    return { runs: load.begun, struck, violations };
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${place.logs(1500)}`, { cause: error });
  } finally {
    await load.close();
    await place.close();
  }
}

/** A node may be a moment behind the one that the run was submitted on: then it is not there yet. */
const viewOf = (client: Client, run_id: string): Promise<RunView> =>
  client.run(run_id).catch((error: unknown) => {
    if (error instanceof Refusal && error.status === 404) return { run_id, status: 'unknown' };
    throw error;
  });

class Load {
  begun = 0;
  readonly #place: ClusterPlace;
  readonly #plan: MixedPlan;
  readonly #ledger: string;
  readonly #progress: Progress;
  readonly #wrong: string[] = [];
  #ended = 0;
  #over = false;

  constructor(place: ClusterPlace, plan: MixedPlan) {
    this.#place = place;
    this.#plan = plan;
    this.#ledger = place.ledger('mixed');
    this.#progress = new Progress(this.#ledger);
  }

  async begin(): Promise<void> {
    await this.#place.at(0).ask('PUT', 'handlers/echo', echo(this.#ledger));
  }

  /** Runs and strikes side by side. */
  async endure(): Promise<Struck[]> {
    const workers = Array.from({ length: AT_ONCE }, () => this.#work());
    const struck = this.#strikes().finally(() => {
      this.#over = true;
    });
    await Promise.all([...workers, struck]);
    return struck;
  }

  async close(): Promise<void> {
    await this.#progress.close();
  }

  /** What callers and the ledger say. */
  async violations(): Promise<string[]> {
    const client = this.#place.anywhere();
    const open = await until('handler runs to end', 60_000, async () => {
      const found = await client.all('runs?status=queued,running,waiting&', 'runs');
      return found.length === 0 || undefined;
    }).then(
      () => [],
      () => ['handler runs are open still'],
    );
    const { length } = await client.tagged(TAG);
    const counted = length === this.begun ? [] : [`${length} runs of ${this.begun} keys`];
    return [...this.#wrong, ...open, ...counted, ...(await this.#ledgerViolations())];
  }

  async #strikes(): Promise<Struck[]> {
    const random = randomFrom(this.#plan.seed);
    const struck: Struck[] = [];
    for (const what of this.#plan.strikes) {
      await this.#some(struck.length);
      const victim = Math.floor(random() * this.#place.servers.length);
      const one = await strike(what, victim, this.#place, this.#progress);
      this.#plan.say(
        `  ${what} ${victim}: ${one.stall.toFixed(1)} s without progress, ${one.back.toFixed(1)} s while it came back`,
      );
      struck.push(one);
    }
    return struck;
  }

  /** Strikes are spread over the runs. */
  async #some(strikes: number): Promise<void> {
    const wanted = Math.min(((strikes + 1) * this.#plan.runs) / (this.#plan.strikes.length + 1), this.#ended + 40);
    await until(`${wanted} runs to end`, 300_000, async () => this.#ended >= wanted || undefined);
  }

  async #work(): Promise<void> {
    while (this.begun < this.#plan.runs || !this.#over) {
      const n = this.begun;
      this.begun += 1;
      await this.#drive(n).catch((error: unknown) => this.#wrong.push(`run ${n}: ${String(error)}`));
      this.#ended += 1;
    }
  }

  async #drive(n: number): Promise<void> {
    const client = this.#place.anywhere(n);
    const run_id = await client.submit({ source: mixedRun(n, this.#ledger).source, tags: [TAG] }, `mixed-${n}`);
    const until = performance.now() + RUN_MS;
    for (let told = false; performance.now() < until; await pause(150)) {
      const { status, substate, error } = await viewOf(client, run_id);
      if (status === 'succeeded') return;
      if (OVER.includes(status)) throw new Error(`${run_id} is ${status}: ${error?.message}`);
      if (!told && substate) told = await this.#tell(n, run_id, substate.kind);
    }
    const { status, substate } = await viewOf(client, run_id);
    await client.cancel(run_id);
    throw new Error(`${run_id} hangs: ${status} ${JSON.stringify(substate)}`);
  }

  /** What the run waits for; with a key, for the answer may be lost. */
  async #tell(n: number, run_id: string, kind: string): Promise<boolean> {
    const client = this.#place.anywhere(n + 1);
    if ((await viewOf(client, run_id)).status === 'unknown') return false;
    if (kind === 'signal') await client.ask('POST', `runs/${run_id}/signals/go-${n}`, { n }, `go-${n}`);
    else if (kind === 'event') await client.emit(`mixed.go-${n}`, { n }, `go-${n}`);
    else return false;
    return true;
  }

  /** Each side effect happened, and with one key however often it was tried. */
  async #ledgerViolations(): Promise<string[]> {
    const ledger = await readLedger(this.#ledger);
    const sites = Array.from({ length: this.begun }, (_, n) => mixedRun(n, this.#ledger).sites).flat();
    const missing = sites.filter((site) => !ledger.has(site));
    const several = [...ledger].filter(([, { keys }]) => keys.size !== 1).map(([site]) => site);
    return [
      ...(missing.length === 0 ? [] : [`${missing.length} side effects are missing: ${missing.slice(0, 5).join(' ')}`]),
      ...(several.length === 0 ? [] : [`with several keys: ${several.slice(0, 5).join(' ')}`]),
    ];
  }
}
