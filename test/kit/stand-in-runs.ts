import type { Resolve, Scope } from '../../kernel/contracts/index.ts';
import {
  type Claimed,
  type ClaimRef,
  type Completion,
  ISOLATES,
  type JobEnvironmentLayers,
  RunStore,
  type SubmitRun,
  type WorkflowKind,
} from '../../plugins/engine/runs/contract.ts';
import { SCOPE } from './role-tokens.ts';

const LEASE_MS = 600_000;

/** Takes any source as a script of one activity; `bad` in the source is a problem. */
export const anyScript: WorkflowKind = {
  kind: 'script',
  type: 'svc/script/v1',
  marks: { anything: true },
  takes_credentials: true,
  replays: true,
  check: async (_scope, { source }) =>
    source.includes('bad') ? [{ line: 1, column: 1, message: 'it is bad', code: 'script_bad' }] : [],
  plan: async (_on, _scope, { source, requires }) => ({
    activities: [{ name: 'main', executor: 'script', spec: { source }, requires }],
  }),
};

/** What somebody submits by hand. */
export const submission = (more: Partial<SubmitRun> = {}, scope: Scope = SCOPE): SubmitRun => ({
  ...scope,
  source: 'true',
  trigger: { type: 'manual' },
  trusted: true,
  generation: 0,
  ...more,
});

/** Claims work as an agent does, and runs nothing: a test says what comes of it. */
export class StandInAgent {
  readonly #store: RunStore;
  readonly #by: { agent_id: string; org_id?: string; capabilities: readonly string[] };

  constructor(use: Resolve, by: { agent_id?: string; org_id?: string; capabilities?: readonly string[] } = {}) {
    this.#store = use(RunStore);
    this.#by = { agent_id: 'agt_1', capabilities: ['linux', ISOLATES], ...by };
  }

  claim(limit = 50): Promise<Claimed[]> {
    return this.#store.claim(this.#by, limit, LEASE_MS);
  }

  /** Claims the one activity that there is; throws when there is none. */
  async claimOne(): Promise<Claimed> {
    const [claimed] = await this.claim(1);
    if (!claimed) throw new Error('there was nothing to claim');
    return claimed;
  }

  /** Ends what was claimed, in success unless told otherwise. */
  end({ activity_id, epoch }: ClaimRef, completion: Completion = { status: 'succeeded', output: null }): Promise<void> {
    return this.#store.complete({ activity_id, epoch }, completion);
  }

  /** Claims at most so much and ends it; answers the runs in the order of claims. */
  async work(limit = 50): Promise<string[]> {
    const claimed = await this.claim(limit);
    for (const claim of claimed) await this.end(claim);
    return claimed.map(({ run_id }) => run_id);
  }
}

/** What a program of the job finds in its environment: a later layer wins. */
export function variablesOf({ below, workflow, above }: JobEnvironmentLayers): Record<string, string> {
  const values = (variables: JobEnvironmentLayers['below']) =>
    Object.fromEntries(variables.map(({ name, value }) => [name, value]));
  return { ...values(below), ...workflow, ...values(above) };
}
