import type { Expressions, Scope } from '../../../../kernel/contracts/index.ts';
import {
  type Json,
  type Problem,
  type Reading,
  type WorkflowDocument,
  workflowInvalid,
  type WorkflowKind,
  type WorkflowPin,
} from '../../../engine/runs/contract.ts';
import { readJsonText } from '../../../platform/schema/contract.ts';
import { computeFlow, type FunctionFlow } from '../domain/flow.ts';
import { capabilityOf, FUNCTION_EXECUTOR, versionCapability } from '../domain/registration.ts';
import { functionUntrusted } from '../errors.ts';
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
export function functionWorkflow(directory: FunctionDirectory, expressions: Expressions): WorkflowKind {
  /** What `resolve` has read, for the plan and the check of the same submit. Each submit by name has a pin of its own. */
  const resolved = new WeakMap<WorkflowPin, FunctionRow>();
  const registered = async (on: Reading, scope: Scope, { pin, source }: WorkflowDocument) =>
    (pin && resolved.get(pin)) ?? (await directory.current(on, scope, requireDocument(source).name));
  const resolveConcurrency = async (flow: string, name: string, input: () => Promise<Json>) =>
    computeFlow(expressions, name, JSON.parse(flow) as FunctionFlow, await input());
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
      return readDocument(source) === undefined ? [INVALID] : [];
    },
    async outline(_scope, { source }) {
      const { name } = requireDocument(source);
      return [{ does: 'program' }, { does: 'unknown', what: `the code of the function ${name} is in its worker` }];
    },
    async inputSchema(on, scope, document) {
      const { input } = await registered(on, scope, document);
      return input ?? undefined;
    },
    async plan(on, scope, document) {
      const { name, pinned } = requireDocument(document.source);
      if (document.start?.trusted === false)
        throw functionUntrusted(`an untrusted run cannot start the function ${JSON.stringify(name)}`);
      const { timeout, flow } = await registered(on, scope, document);
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
        about: {
          workflow: name,
          timeout: timeout ?? undefined,
          requires: [served],
          ...(flow !== null && document.start?.input && (await resolveConcurrency(flow, name, document.start.input))),
        },
      };
    },
  };
}

const INVALID: Problem = {
  line: 1,
  column: 1,
  message: `must be {"version": "${VERSION}", "name": "<workflow of a worker>"}`,
  code: 'function_invalid',
};

/** Throws `workflow_invalid`. */
function requireDocument(source: WorkflowDocument['source']): FunctionDocument {
  const document = readDocument(source);
  if (document !== undefined) return document;
  throw workflowInvalid(`the function has a problem: 1:1 ${INVALID.message}`, { data: { problems: [INVALID] } });
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
