import { type DocumentWorkers, siblingModule, type WorkerScope } from '../../../platform/expressions/contract.ts';
import { findSchemaError } from '../../../platform/schema/contract.ts';
import { functionsInvalid } from '../errors.ts';

const MAX_SCHEMA_BYTES = 64 * 1024;
/** A KiB of a schema takes up to ten milliseconds to compile. */
const MAX_INLINE_CHARS = 4096;
const IN_WORKER = siblingModule(import.meta.url, './in-worker');

/** Checks the schemas that workers register. Large ones are compiled in a worker thread, because they hold the event loop. */
export class SchemaChecks {
  readonly #workers: () => DocumentWorkers;

  constructor(workers: () => DocumentWorkers) {
    this.#workers = workers;
  }

  /** Throws `functions_invalid` for a schema that nothing can be checked with. */
  async assertSchema(scope: WorkerScope, name: string, schema: unknown): Promise<void> {
    if (schema === undefined) return;
    const text = JSON.stringify(schema);
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_SCHEMA_BYTES)
      throw functionsInvalid(`the input schema of ${name} is ${bytes} bytes long; the limit is ${MAX_SCHEMA_BYTES}`);
    const error = text.length <= MAX_INLINE_CHARS ? findSchemaError(text) : await this.#findInWorker(scope, text);
    if (error !== undefined) throw functionsInvalid(`the input schema of ${name} is not accepted: ${error}`);
  }

  #findInWorker({ org_id, project_id }: WorkerScope, text: string): Promise<string | undefined> {
    const scope = { org_id, project_id };
    return this.#workers().run({ module: IN_WORKER, name: 'findSchemaErrorInWorker', args: [text], scope });
  }
}
