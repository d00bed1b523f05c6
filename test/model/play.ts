import { until } from '../../features/support/process.ts';
import type { Target } from '../../features/support/target.ts';
import { expect, type Expected, type Outcome } from './model.ts';
import { bashOf, type Program } from './program.ts';

const ENDED = ['succeeded', 'failed', 'cancelled'];
const BOUND_MS = 120_000;

interface RunView {
  status: string;
  substate?: { kind: string; name: string } | null;
  output?: Record<string, string> | null;
  error?: { code: string; message: string };
  annotations: string[];
}

interface StepView {
  kind: string;
  site: string;
  activity: string;
  status: string;
  exit_code?: number;
  stdout?: string;
}

/** Runs a program on a server as anybody would, and answers what differs from the model. */
export async function play(target: Target, program: Program): Promise<string[]> {
  const client = new Client(target);
  const source = bashOf(program);
  const wanted = expect(program);
  const { run_id } = await client.ask<{ run_id: string }>('POST', '/runs', { filename: 'model.sh', source });
  for (const { name, payload } of program.signals) await client.ask('POST', `/runs/${run_id}/signals/${name}`, payload);
  const run = await attend(client, run_id, wanted);
  const differences = [
    ...(run.status === wanted.status ? [] : [`the run is ${run.status}: ${JSON.stringify(run.error)}`]),
    ...differ('output', wanted.output, run.status === 'succeeded' ? (run.output ?? {}) : {}),
    ...notes(wanted.notes, run.annotations),
    ...records(wanted.records, await client.steps(run_id)),
    ...(await around(client, run_id, wanted)),
  ];
  return differences.map((text) => `seed ${program.seed}: ${text}`);
}

/** Until the run ends; gives it the events that it waits for, each when it does. */
async function attend(client: Client, run_id: string, wanted: Outcome): Promise<RunView> {
  const given = new Set<string>();
  return until(`the end of ${run_id}`, BOUND_MS, async () => {
    const run = await client.ask<RunView>('GET', `/runs/${run_id}`);
    if (ENDED.includes(run.status)) return run;
    const name = run.substate?.kind === 'event' ? run.substate.name : undefined;
    const event = wanted.awaited.find(({ type }) => type === name);
    if (event && !given.has(event.type)) {
      given.add(event.type);
      await client.ask('POST', '/events', event);
    }
    return undefined;
  });
}

function differ(what: string, wanted: unknown, found: unknown): string[] {
  const [a, b] = [sorted(wanted), sorted(found)];
  return a === b ? [] : [`${what} is ${b} instead of ${a}`];
}

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

/** The service may add notes of its own, about children that nobody asked for. */
function notes(wanted: readonly string[], found: readonly string[]): string[] {
  const own = found.filter((text) => text.startsWith('note-'));
  return differ('the notes', wanted, own);
}

function records(wanted: readonly Expected[], all: readonly StepView[]): string[] {
  const found = all.filter(({ activity }) => activity === all[0]?.activity);
  if (found.length !== wanted.length)
    return [`${found.length} records instead of ${wanted.length}: ${found.map(({ site }) => site).join(' ')}`];
  return wanted.flatMap((expected, index) => {
    const { kind, site, exit_code, stdout = '' } = found[index]!;
    const same = typeof expected.stdout === 'string' ? stdout === expected.stdout : expected.stdout.test(stdout);
    if (same && kind === expected.kind && site === expected.site && exit_code === expected.exit) return [];
    return [`record ${index} is ${JSON.stringify(found[index])} instead of ${JSON.stringify(expected)}`];
  });
}

/** What lies outside of the run: its events, its children, its cells. */
async function around(client: Client, run_id: string, wanted: Outcome): Promise<string[]> {
  const found: string[] = [];
  for (const type of new Set(wanted.emitted.map((event) => event.type))) {
    const payloads = wanted.emitted.filter((event) => event.type === type).map(({ payload }) => payload);
    const { events } = await client.ask<{ events: { event: string }[] }>('GET', `/events?type=${type}&limit=200`);
    found.push(...differ(`the events ${type}`, payloads, await client.payloads(events)));
  }
  for (const { tag, status } of wanted.spawned) {
    const child = await until(`the child ${tag}`, BOUND_MS, async () => {
      const { runs } = await client.ask<{ runs: { status: string; parent?: string }[] }>('GET', `/runs?tag=${tag}`);
      return runs.length > 0 && runs.every((run) => ENDED.includes(run.status)) ? runs : undefined;
    });
    found.push(
      ...differ(
        `the child ${tag}`,
        [[status, run_id]],
        child.map((run) => [run.status, run.parent]),
      ),
    );
  }
  return found;
}

class Client {
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  async ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { base_url, org, token } = this.#target;
    const response = await fetch(`${base_url}/api/v1/orgs/${org}/projects/main${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as T;
  }

  /** Every record of the run's own script. */
  async steps(run_id: string): Promise<StepView[]> {
    const steps: StepView[] = [];
    let cursor = '';
    do {
      const page = await this.ask<{ steps: StepView[]; next_cursor?: string }>(
        'GET',
        `/runs/${run_id}/steps?limit=200${cursor}`,
      );
      steps.push(...page.steps);
      cursor = page.next_cursor === undefined ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`;
    } while (cursor !== '');
    return steps;
  }

  async payloads(events: readonly { event: string }[]): Promise<unknown[]> {
    const whole = await Promise.all(
      events.map(({ event }) => this.ask<{ payload: unknown }>('GET', `/events/${event}`)),
    );
    return whole.map(({ payload }) => payload);
  }
}
