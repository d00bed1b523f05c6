import type { WorkflowDocument, WorkflowKind, Json } from '../../../engine/runs/contract.ts';
import { readJsonText } from '../../../platform/schema/contract.ts';
import { capabilityOf, versionCapability } from '../domain/registration.ts';
import { functionUntrusted } from '../errors.ts';
import { assertInput } from '../service/input-schema.ts';
import type { FunctionDirectory } from '../service/directory.ts';

export const FUNCTION_EXECUTOR = 'function';
const VERSION = 'svc-function/v1';

/** What a run of a function stores as its document. */
interface FunctionDocument {
  name: string;
  /** Only this version continues the run. */
  pinned?: string;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;
/** A run requires its version of an agent, and each list of runs has what they require. */
const PINNED = /^[A-Za-z0-9._-]{1,40}$/;

/** `svc/function/v1`: a function of a program that a worker keeps running. */
export const functionWorkflow = (directory: FunctionDirectory): WorkflowKind => ({
  kind: 'function',
  type: 'svc/function/v1',
  marks: { versions: [VERSION] },
  references: ['function'],
  takes_credentials: true,
  replays: true,
  executor: FUNCTION_EXECUTOR,
  async resolve(on, scope, { function: name = '' }) {
    const { version, versions } = await directory.current(on, scope, name);
    const document = { version: VERSION, name, ...(versions === 'pinned' && { pinned: version }) };
    return { source: JSON.stringify(document), workflow: name, pin: { form: 'function', name } };
  },
  async check(_scope, { source }) {
    if (readDocument(source) !== undefined) return [];
    const message = `must be {"version": "${VERSION}", "name": "<workflow of a worker>"}`;
    return [{ line: 1, column: 1, message, code: 'function_invalid' }];
  },
  async checkInput(on, scope, document, input) {
    const { input: schema } = await directory.current(on, scope, readDocument(document.source)!.name);
    if (schema !== null) assertInput(schema, input ?? null);
  },
  async plan(on, scope, document) {
    const { name, pinned } = readDocument(document.source)!;
    if (document.start?.trusted === false)
      throw functionUntrusted(`an untrusted run cannot start the function ${JSON.stringify(name)}`);
    const { timeout } = await directory.current(on, scope, name);
    const served = pinned === undefined ? capabilityOf(name) : versionCapability(name, pinned);
    return {
      activities: [
        {
          name: 'main',
          executor: FUNCTION_EXECUTOR,
          spec: { function: name, version: pinned ?? null },
          requires: [...new Set([...document.requires, served])],
        },
      ],
      about: { workflow: name, timeout: timeout ?? undefined, requires: [served] },
    };
  },
});

/** Returns undefined for a text that is no such document. */
function readDocument(source: WorkflowDocument['source']): FunctionDocument | undefined {
  const read = readJsonText(source);
  const document = 'value' in read ? (read.value as Json) : null;
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return undefined;
  const { version, name, pinned } = document;
  if (version !== VERSION || typeof name !== 'string' || !NAME.test(name)) return undefined;
  if (pinned !== undefined && (typeof pinned !== 'string' || !PINNED.test(pinned))) return undefined;
  return { name, pinned };
}
