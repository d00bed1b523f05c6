import { Errors, type Fault, type ServiceError } from '../../../../kernel/contracts/index.ts';
import {
  type CheckedDocument,
  includeTooLarge,
  largestOf,
  MAX_INCLUDED_BYTES,
  OWN_CAPABILITIES,
  REFERENCE_FORMS,
  type ReferenceForm,
  type SubmitRun,
} from '../contract.ts';
import { fileFaults } from '../domain/included-files.ts';
import { validateLine } from '../../../platform/schema/contract.ts';
import { timeoutFault } from '../domain/timeout.ts';
import { argumentFaults, credentialFaults, envFaults } from '../domain/variable-rules.ts';

/** Maximum bytes of a document in UTF-8. */
export const DOCUMENT_BYTES = 1024 * 1024;
/** Maximum bytes of the input as JSON. */
export const INPUT_BYTES = 2 * 1024 * 1024;
const TAGS = 64;
const TAG_LENGTH = 128;
const REQUIRES = 32;
const TEXT_LENGTH = 255;
const INTERPRETER_LENGTH = 1024;

const CAPABILITY = /^[A-Za-z0-9][A-Za-z0-9._:+-]{0,62}$/;

const CANCEL_ON = 32;
const EVENT_TYPE = /^[A-Za-z0-9._-]{1,64}$/;

/** What the rules check: a submit, or a document for a check only. */
export type Submitted = CheckedDocument & Pick<SubmitRun, 'idempotency_key'>;

/** Members that belong to each form, in addition to the common ones. */
const FORMS: Readonly<Record<ReferenceForm, readonly (keyof Submitted)[]>> = {
  source: ['kind', 'filename', 'interpreter', 'credentials', 'args', 'files'],
  graph: [],
  node: ['config'],
  function: ['credentials'],
};

/** The first form that is given. */
export const formOf = (run: CheckedDocument): ReferenceForm =>
  REFERENCE_FORMS.find((form) => run[form] !== undefined) ?? 'source';

function formFaults(run: Submitted): Fault[] {
  if (run.pinned) return [];
  const [form, another] = REFERENCE_FORMS.filter((one) => run[one] !== undefined);
  if (form === undefined) return [{ pointer: '/source', message: 'is missing: set source, graph, node or function' }];
  if (another !== undefined)
    return [
      {
        pointer: `/${another}`,
        message: `cannot be combined with ${form}; use one of source, graph, node and function`,
      },
    ];
  const named = new Set(REFERENCE_FORMS.flatMap((other) => FORMS[other]));
  return [...named]
    .filter((member) => !FORMS[form].includes(member) && run[member] !== undefined)
    .map((member) => {
      const others = REFERENCE_FORMS.filter((other) => FORMS[other].includes(member));
      return { pointer: `/${member}`, message: `can be combined with ${others.join(' and ')}, not with ${form}` };
    });
}

function lineFaults(pointer: string, text: string | undefined, length: number): Fault[] {
  const message = text === undefined ? undefined : validateLine(text, length);
  return message === undefined ? [] : [{ pointer, message }];
}

function requiresFaults(requires: readonly string[]): Fault[] {
  if (requires.length > REQUIRES)
    return [{ pointer: '/requires', message: `must contain at most ${REQUIRES} capabilities` }];
  return requires.flatMap((capability, i) =>
    CAPABILITY.test(capability) && !capability.startsWith(OWN_CAPABILITIES)
      ? []
      : [
          {
            pointer: `/requires/${i}`,
            message: 'is not a capability: [A-Za-z0-9][A-Za-z0-9._:+-]{0,62}, and not starting with svc:',
          },
        ],
  );
}

function cancelFaults(types: readonly string[]): Fault[] {
  if (types.length > CANCEL_ON) return [{ pointer: '/cancel_on', message: `must contain at most ${CANCEL_ON} types` }];
  return types.flatMap((type, i) =>
    EVENT_TYPE.test(type)
      ? []
      : [{ pointer: `/cancel_on/${i}`, message: 'is not an event type: 1 to 64 characters from A-Z a-z 0-9 . _ -' }],
  );
}

function timeoutFaults(timeout: string | undefined): Fault[] {
  const message = timeout === undefined ? undefined : timeoutFault(timeout);
  return message === undefined ? [] : [{ pointer: '/timeout', message }];
}

function tagFaults(tags: readonly string[]): Fault[] {
  if (tags.length > TAGS) return [{ pointer: '/tags', message: `must have at most ${TAGS} tags` }];
  return tags.flatMap((tag, i) => lineFaults(`/tags/${i}`, tag, TAG_LENGTH));
}

/** Faults that can be found without the kind, each with its pointer into the body. */
export function submitFaults(run: Submitted): Fault[] {
  return [
    ...formFaults(run),
    ...lineFaults('/filename', run.filename, TEXT_LENGTH),
    ...lineFaults('/interpreter', run.interpreter, INTERPRETER_LENGTH),
    ...argumentFaults(run.args ?? []),
    ...fileFaults(run.files ?? []),
    ...envFaults(run.env ?? {}),
    ...credentialFaults(run.credentials ?? {}),
    ...tagFaults(run.tags ?? []),
    ...lineFaults('/subject', run.subject, TEXT_LENGTH),
    ...requiresFaults(run.requires ?? []),
    ...cancelFaults(run.cancel_on ?? []),
    ...timeoutFaults(run.timeout),
    ...lineFaults('/idempotency_key', run.idempotency_key, TEXT_LENGTH),
  ];
}

/** `payload_too_large` or `include_too_large`, with the size and the limit. */
export function tooLarge(run: Submitted): ServiceError | undefined {
  const { source = JSON.stringify(run.config ?? {}) } = run.pinned ?? run;
  const document = Buffer.byteLength(source);
  if (document > DOCUMENT_BYTES)
    return Errors.payloadTooLarge(`the document is ${document} bytes long; the limit is ${DOCUMENT_BYTES}`);
  const included = (run.files ?? []).reduce((sum, { size }) => sum + size, 0);
  if (included > MAX_INCLUDED_BYTES)
    return includeTooLarge(
      `the included files total ${included} bytes; the limit is ${MAX_INCLUDED_BYTES}. The largest: ${largestOf(run.files!)}`,
    );
  if (run.input === undefined) return undefined;
  const input = Buffer.byteLength(JSON.stringify(run.input));
  if (input > INPUT_BYTES)
    return Errors.payloadTooLarge(`the input is ${input} bytes of JSON; the limit is ${INPUT_BYTES}`);
  return undefined;
}

/** The file's base name, or the kind. */
export function workflowName(filename: string | undefined, kind: string): string {
  const base = filename?.split(/[/\\]/).findLast((part) => part !== '');
  return base === undefined || base === '.' || base === '..' ? kind : base;
}
