import {
  type ArmWait,
  type Capabilities,
  type Claimed,
  type ClaimRef,
  ISOLATES,
  type JournaledCall,
  type JournalRecord,
  type Json,
  type NewRun,
} from '../../../plugins/engine/runs/contract.ts';
import type { RunTransitions } from '../../../plugins/engine/runs/store/run-store.ts';
import { createIds, systemClock } from '../../kit/index.ts';
import { forget, type Server } from './server.ts';

/** Everything of one scenario lives in an org of its own, so that claims of scenarios never meet. */
export class Scenario {
  readonly servers: readonly Server[];
  readonly ids = createIds(systemClock);
  readonly org_id: string;
  readonly project_id: string;

  constructor(servers: readonly Server[], scope?: { org_id: string; project_id: string }) {
    this.servers = servers;
    this.org_id = scope?.org_id ?? this.ids.next('org');
    this.project_id = scope?.project_id ?? this.ids.next('prj');
    servers.forEach(forget);
  }

  get first(): Server {
    return this.servers[0]!;
  }

  get store(): RunTransitions {
    return this.first.store;
  }

  /** Another server on the same database, where the database takes one; else the same. */
  get other(): Server {
    return this.servers.at(-1)!;
  }

  newRun(over: Partial<NewRun> = {}, activities = 1): NewRun {
    return {
      run_id: this.ids.next('run'),
      org_id: this.org_id,
      project_id: this.project_id,
      org: 'acme',
      project: 'main',
      kind: 'script',
      workflow: 'build.sh',
      filename: 'build.sh',
      source: 'echo',
      trigger: { type: 'manual' },
      trusted: true,
      generation: 0,
      activities: Array.from({ length: activities }, (_, i) => ({
        activity_id: this.ids.next('act'),
        name: `job-${i}`,
        executor: 'script',
        spec: { source: 'echo' },
        requires: over.requires ?? [],
      })),
      ...over,
    };
  }

  async submit(over: Partial<NewRun> = {}, activities = 1): Promise<NewRun> {
    const run = this.newRun(over, activities);
    await this.store.createRun(run);
    return run;
  }

  agent(capabilities: readonly string[] = [], agent_id = 'agt_one'): Capabilities {
    return { agent_id, org_id: this.org_id, capabilities: [...capabilities, ISOLATES] };
  }

  /** Claims the one activity that there is. */
  async claim(agent_id = 'agt_one', lease_ms = 600_000): Promise<Claimed> {
    const [claimed, ...rest] = await this.store.claim(this.agent([], agent_id), 2, lease_ms);
    if (!claimed || rest.length > 0) throw new Error(`${rest.length + (claimed ? 1 : 0)} claims instead of one`);
    return claimed;
  }

  async started(over: Partial<NewRun> = {}): Promise<Claimed> {
    await this.submit(over);
    return this.claim();
  }

  run(run_id: string) {
    return { org_id: this.org_id, project_id: this.project_id, run_id };
  }

  signal(run_id: string, name: string, payload: Json = null) {
    return this.store.sendSignal({ ...this.run(run_id), name, payload });
  }

  /** How many transitions of these types its servers have announced, each after its commit. */
  announced(...types: string[]): number {
    return [...new Set(this.servers)]
      .flatMap(({ heard }) => heard.transitions)
      .filter(({ type, project_id }) => project_id === this.project_id && types.includes(type)).length;
  }

  async count(table: string, where: string, params: string[]): Promise<number> {
    const rows = await this.first.database.read<{ n: number }>(
      `SELECT COUNT(*) AS n FROM ${table} WHERE ${where}`,
      params,
    );
    return Number(rows[0]!.n);
  }
}

export const refOf = ({ activity_id, epoch }: ClaimRef): ClaimRef => ({ activity_id, epoch });

export function step(position: number, over: Partial<JournalRecord> = {}): JournalRecord {
  return {
    position,
    kind: 'step',
    name: `step-${position}`,
    ordinal: 0,
    digest: '',
    exit_code: 0,
    output: Buffer.from(`out ${position}\n`).toString('base64'),
    started_at: 1_700_000_000_000 + position,
    ...over,
  };
}

export function call(position: number, over: Partial<JournaledCall> = {}): JournaledCall {
  const { exit_code: _, output: __, ...site } = step(position);
  return { ...site, args: null, ...over };
}

export function waitFor(position: number, name: string, over: Partial<ArmWait> = {}): ArmWait {
  return {
    position,
    kind: 'wait-signal',
    name,
    ordinal: 0,
    digest: '',
    args: null,
    started_at: 1_700_000_000_000,
    ...over,
  };
}

/** Asks until it is true; for what happens by the database's clock. Never gives up sooner than a test's bound. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}

/** The code of the error that something rejects with; undefined when it does not. */
export async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

/** Every output of a record, decoded. */
export const text = (record: JournalRecord): string => Buffer.from(record.output, 'base64').toString();
