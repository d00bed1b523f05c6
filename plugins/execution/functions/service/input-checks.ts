import { type DocumentWorkers, siblingModule, type WorkerScope } from '../../../platform/expressions/contract.ts';
import { withDoubles } from '../../../platform/schema/contract.ts';
import { functionsInvalid, inputInvalid } from '../errors.ts';
import { assertInput, findSchemaError, type InputFindings, MAX_SCHEMA_BYTES, toInputError } from './input-schema.ts';

/** A KiB of a schema takes up to ten milliseconds to compile. */
const MAX_INLINE_CHARS = 4096;
const IN_WORKER = siblingModule(import.meta.url, './in-worker');

/** Checks schemas and inputs at a server. Large schemas are compiled in a worker thread, because they hold the event loop. */
export class InputChecks {
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
      throw functionsInvalid(`the input schema of ${name} has ${bytes} bytes; the limit is ${MAX_SCHEMA_BYTES}`);
    const error = isSmall(text)
      ? findSchemaError(text)
      : await this.#run<string | undefined>(scope, 'findSchemaErrorInWorker', [text]);
    if (error !== undefined) throw functionsInvalid(`the input schema of ${name} is not accepted: ${error}`);
  }

  /** Throws `input_invalid` with the errors of an input. */
  async assertInput(scope: WorkerScope, schema: string, input: unknown): Promise<void> {
    if (isSmall(schema)) return assertInput(schema, input);
    const args = [schema, JSON.stringify(withDoubles(input))];
    const { errors, failure } = await this.#run<InputFindings>(scope, 'checkInputInWorker', args);
    if (failure !== undefined) throw inputInvalid(failure);
    if (errors.length > 0) throw toInputError(errors);
  }

  #run<T>({ org_id, project_id }: WorkerScope, name: string, args: readonly unknown[]): Promise<T> {
    return this.#workers().run<T>({ module: IN_WORKER, name, args, scope: { org_id, project_id } });
  }
}

const isSmall = (schema: string): boolean => schema.length <= MAX_INLINE_CHARS;
