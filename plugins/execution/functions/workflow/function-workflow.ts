import type { Scope } from '../../../../kernel/contracts/index.ts';
import type { Json, Reading, WorkflowDocument, WorkflowKind, WorkflowPin } from '../../../engine/runs/contract.ts';
import { readJsonText } from '../../../platform/schema/contract.ts';
import { capabilityOf, FUNCTION_EXECUTOR, versionCapability } from '../domain/registration.ts';
import { functionUntrusted } from '../errors.ts';
import type { InputChecks } from '../service/input-checks.ts';
import type { FunctionDirectory } from '../service/directory.ts';
import type { FunctionRow } from '../store/function-table.ts';

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
export function functionWorkflow(directory: FunctionDirectory, checks: InputChecks): WorkflowKind {
  /** What `resolve` has read, for the plan and the check of the same submit. Each submit by name has a pin of its own. */
  const resolved = new WeakMap<WorkflowPin, FunctionRow>();
  const registered = async (on: Reading, scope: Scope, { pin, source }: WorkflowDocument) =>
    (pin && resolved.get(pin)) ?? (await directory.current(on, scope, readDocument(source)!.name));
  return {
    kind: 'function',
    type: 'svc/function/v1',
    marks: { versions: [VERSION] },
    references: ['function'],
    takes_credentials: true,
    replays: true,
    executor: FUNCTION_EXECUTOR,
    async resolve(on, scope, { function: name = '' }) {
      const row = await directory.current(on, scope, name);
      const pin: WorkflowPin = { form: 'function', name };
      resolved.set(pin, row);
      const document = { version: VERSION, name, ...(row.versions === 'pinned' && { pinned: row.version }) };
      return { source: JSON.stringify(document), workflow: name, pin };
    },
    async check(_scope, { source }) {
      if (readDocument(source) !== undefined) return [];
      const message = `must be {"version": "${VERSION}", "name": "<workflow of a worker>"}`;
      return [{ line: 1, column: 1, message, code: 'function_invalid' }];
    },
    async checkInput(on, scope, document, input) {
      const { input: schema } = await registered(on, scope, document);
      if (schema !== null) await checks.assertInput(scope, schema, input ?? null);
    },
    async plan(on, scope, document) {
      const { name, pinned } = readDocument(document.source)!;
      if (document.start?.trusted === false)
        throw functionUntrusted(`an untrusted run cannot start the function ${JSON.stringify(name)}`);
      const { timeout } = await registered(on, scope, document);
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
  };
}

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
