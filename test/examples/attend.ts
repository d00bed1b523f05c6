import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clone, type Target } from '../../features/support/target.ts';
import { until } from '../../features/support/process.ts';
import { askPatiently } from '../crash/patient-api.ts';
import type { Example, Place, Reaction } from './catalog.ts';

const ENDED = ['succeeded', 'failed', 'cancelled'];
const BOUND_MS = 180_000;

interface RunView {
  status: string;
  substate?: { kind: string; name: string };
  output?: Record<string, unknown>;
  error?: { code: string; message: string };
}

interface StepView {
  site: string;
  name: string;
  activity_id: string;
  status: 'recorded' | 'waiting';
}

/** One example on a server, seen over HTTP by somebody with patience, for servers come and go. */
export class Attended {
  run_id = '';
  source = '';
  readonly #target: Target;
  readonly #example: Example;
  readonly #place: Place;
  readonly #done = new Set<Reaction>();

  private constructor(target: Target, example: Example, place: Place) {
    this.#target = target;
    this.#example = example;
    this.#place = place;
  }

  static async submit(target: Target, example: Example, place: Place): Promise<Attended> {
    const one = new Attended(target, example, place);
    await mkdir(place.folder, { recursive: true });
    await example.prepare?.(place);
    const { name, file, interpreter, input } = example;
    one.source = await readFile(join(clone, 'features/examples', name, file), 'utf8');
    const made = await one.#ask<{ run_id: string }>('POST', '/runs', {
      filename: file,
      source: one.source,
      env: example.env(place),
      idempotency_key: place.folder,
      ...(interpreter === undefined ? {} : { interpreter }),
      ...(input === undefined ? {} : { input }),
    });
    one.run_id = made.run_id;
    return one;
  }

  /** Reacts until the run ends; answers what is not as the example promises. */
  async end(): Promise<string[]> {
    const run = await until(`the end of ${this.#example.name} (${this.run_id})`, BOUND_MS, async () => {
      const seen = await this.#ask<RunView>('GET', `/runs/${this.run_id}`);
      if (ENDED.includes(seen.status)) return seen;
      await this.#react(seen);
      return undefined;
    });
    const found = [...this.#outcome(run), ...this.#sites(await this.#steps())];
    if (run.status === 'succeeded') found.push(...((await this.#example.outside?.(this.#place)) ?? []));
    return found.map((text) => `${this.#example.name}: ${text}`);
  }

  async #react(run: RunView): Promise<void> {
    const left = (this.#example.reactions ?? []).filter((reaction) => !this.#done.has(reaction));
    if (left.length === 0) return;
    const steps = await this.#steps();
    for (const reaction of left) {
      if (!isTime(reaction, run, steps)) continue;
      this.#done.add(reaction);
      const { signal, emit } = reaction;
      const key = `${this.run_id} ${this.#done.size}`;
      if (signal) await this.#ask('POST', `/runs/${this.run_id}/signals/${signal.name}`, signal.payload, key);
      if (emit) await this.#ask('POST', '/events', emit, key);
    }
  }

  #outcome({ status, error, output = {} }: RunView): string[] {
    if (status !== 'succeeded') return [`it has ${status}: ${error?.message}`];
    return Object.entries(this.#example.output).flatMap(([key, wanted]) => {
      const found = output[key];
      return sorted(found) === sorted(wanted) ? [] : [`${key} is ${sorted(found)} instead of ${sorted(wanted)}`];
    });
  }

  #sites(steps: readonly StepView[]): string[] {
    const own = steps.filter(({ activity_id }) => activity_id === steps[0]?.activity_id).map(({ site }) => site);
    const { sites } = this.#example;
    const text = own.join(' ');
    const fine = sites instanceof RegExp ? sites.test(text) : text === sites.join(' ');
    return fine ? [] : [`it recorded ${text}`];
  }

  async #steps(): Promise<StepView[]> {
    const { steps } = await this.#ask<{ steps: StepView[] }>('GET', `/runs/${this.run_id}/steps?limit=200`);
    return steps;
  }

  #ask<T>(method: string, path: string, body?: unknown, key?: string): Promise<T> {
    return askPatiently(this.#target, method, path, body, key);
  }
}

/** Is it waiting for that, or has it recorded that? */
function isTime({ when }: Reaction, run: RunView, steps: readonly StepView[]): boolean {
  if ('recorded' in when) return steps.some(({ site, status }) => site === when.recorded && status === 'recorded');
  const { waits_for, nth = 0 } = when;
  return (
    run.substate?.name === waits_for &&
    steps.some(({ site, status }) => site === `${waits_for}#${nth}` && status === 'waiting')
  );
}

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? 'absent';
