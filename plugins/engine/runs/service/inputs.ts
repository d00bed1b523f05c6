import type { JsonSchema } from '../../../../kernel/contracts/index.ts';
import { type DocumentWorkers, siblingModule, type WorkerScope } from '../../../platform/expressions/contract.ts';
import { parseExact } from '../../../platform/schema/contract.ts';
import {
  acceptFindings,
  acceptInput,
  type EnvelopeSource,
  type InputFindings,
  type Json,
  type Reading,
  type SubmitRun,
} from '../contract.ts';
import { resolveReference } from '../store/rows/runs.ts';

/** A KiB of a schema takes up to ten milliseconds to compile. What a document declares is smaller. */
const MAX_INLINE_CHARS = 8192;
const IN_WORKER = siblingModule(import.meta.url, './inputs-in-worker');

export interface RunInputsDeps {
  workers: () => DocumentWorkers;
  envelope_sources: () => readonly EnvelopeSource[];
}

interface Declared {
  schema: string;
  /** The payload of the event that starts the run, if the bus does not have it yet. */
  event_payload: Json | undefined;
}

/** Where the input of a run comes from. */
interface InputSource {
  value: Json;
  /** It is a member of its own beside the event that started the run. */
  has_event: boolean;
}

/** Checks what runs are given against what their workflows declare. */
export class RunInputs {
  readonly #deps: RunInputsDeps;

  constructor(deps: RunInputsDeps) {
    this.#deps = deps;
  }

  /**
   * The run with its checked input, defaults included, so that every pass and every rerun gets the same. Reads only through
   * `on`. Throws `input_invalid`.
   */
  async accept<Run extends SubmitRun>(on: Reading, run: Run, { schema, event_payload }: Declared): Promise<Run> {
    const { value, has_event } = await this.#sourceOf(on, run, event_payload);
    const provided = value === null && requiresObject(schema) ? {} : value;
    const input = await this.#check(on, run, schema, provided);
    if (!has_event) return { ...run, input };
    // Whoever reads the event finds what was sent; the inputs stand beside it.
    return { ...run, envelope: { ...run.envelope!, inputs: input } };
  }

  /** What a planned run is given. Reads only through `on`. */
  async valueOf(on: Reading, run: SubmitRun, event_payload: Json | undefined): Promise<Json> {
    return run.envelope?.inputs ?? (await this.#sourceOf(on, run, event_payload)).value;
  }

  async #sourceOf(on: Reading, run: SubmitRun, event_payload: Json | undefined): Promise<InputSource> {
    const { input = null, envelope, trigger } = run;
    const by_event = envelope !== undefined && envelope.type !== TICK;
    if (input !== null || !by_event) return { value: input, has_event: by_event };
    // What a forge delivers is no input of a workflow that a person may start too: its inputs have their defaults.
    if (trigger.forge !== undefined || trigger.type === 'push') return { value: null, has_event: true };
    if (event_payload !== undefined) return { value: event_payload, has_event: true };
    const resolved = await resolveReference({ envelope_sources: this.#deps.envelope_sources() }, envelope, run, on);
    return { value: resolved.payload ?? null, has_event: true };
  }

  async #check(on: Reading, scope: WorkerScope, schema: string, input: Json): Promise<Json> {
    if (schema.length <= MAX_INLINE_CHARS) return acceptInput(schema, input);
    // No transaction may wait for a thread. The worker of a function checks its input again when it starts.
    if (!('transaction' in on)) return input;
    const { org_id, project_id } = scope;
    const args = [schema, JSON.stringify(input)];
    const task = { module: IN_WORKER, name: 'checkInputInWorker', args, scope: { org_id, project_id } };
    return acceptFindings(parseExact(await this.#deps.workers().run<string>(task)) as InputFindings);
  }
}

const TICK = 'schedule.tick';

/** Whoever gives no input to a workflow that declares members gives none of them. */
const requiresObject = (schema: string): boolean => (JSON.parse(schema) as JsonSchema).type === 'object';
