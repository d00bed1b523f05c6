import { Errors, type Fault, type ServiceError } from '../../../kernel/contracts/index.ts';
import { type SubmitRun, variableFault } from '../contract.ts';
import { lineFault } from '../domain/line.ts';

/** A document: exactly this many bytes of UTF-8 are accepted. */
export const DOCUMENT_BYTES = 1024 * 1024;
/** The input, as JSON. */
export const INPUT_BYTES = 2 * 1024 * 1024;
const TAGS = 64;
const TAG_LENGTH = 128;
const REQUIRES = 32;
const ENV_NAMES = 256;
const ENV_VALUE_LENGTH = 65_536;
const TEXT_LENGTH = 255;
const INTERPRETER_LENGTH = 1024;
const CREDENTIALS = 64;

const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const CREDENTIAL = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
const CAPABILITY = /^[A-Za-z0-9][A-Za-z0-9._:+-]{0,62}$/;

const CANCEL_ON = 32;
const EVENT_TYPE = /^[A-Za-z0-9._-]{1,64}$/;

/** What the rules look at: a submit, or a document that is only checked. */
export type Submitted = Pick<SubmitRun, 'source'> &
  Partial<
    Pick<
      SubmitRun,
      | 'filename'
      | 'interpreter'
      | 'input'
      | 'env'
      | 'credentials'
      | 'tags'
      | 'subject'
      | 'requires'
      | 'cancel_on'
      | 'idempotency_key'
    >
  >;

/** A JSON pointer segment. */
const segment = (text: string): string => text.replaceAll('~', '~0').replaceAll('/', '~1');

function lineFaults(pointer: string, text: string | undefined, length: number): Fault[] {
  const message = text === undefined ? undefined : lineFault(text, length);
  return message === undefined ? [] : [{ pointer, message }];
}

function envFaults(env: Record<string, string>): Fault[] {
  const names = Object.keys(env);
  if (names.length > ENV_NAMES) return [{ pointer: '/env', message: `must have at most ${ENV_NAMES} variables` }];
  return names.flatMap((name): Fault[] => {
    const pointer = `/env/${segment(name)}`;
    if (!ENV_NAME.test(name)) return [{ pointer, message: 'is no name of a variable: [A-Za-z_][A-Za-z0-9_]{0,127}' }];
    if (name.startsWith('SVC_')) return [{ pointer, message: 'SVC_* belongs to the service; choose another name' }];
    if (env[name]!.includes('\0')) return [{ pointer, message: 'must hold no NUL' }];
    if (env[name]!.length > ENV_VALUE_LENGTH)
      return [{ pointer, message: `must have at most ${ENV_VALUE_LENGTH} characters` }];
    return [];
  });
}

function credentialFaults(credentials: Record<string, string>): Fault[] {
  const names = Object.keys(credentials);
  if (names.length > CREDENTIALS) return [{ pointer: '/credentials', message: `must name at most ${CREDENTIALS}` }];
  return names.flatMap((name): Fault[] => {
    const pointer = `/credentials/${segment(name)}`;
    const message = variableFault(name);
    if (message !== undefined) return [{ pointer, message }];
    if (CREDENTIAL.test(credentials[name]!)) return [];
    return [{ pointer, message: 'must be the name of a credential: [A-Za-z0-9][A-Za-z0-9_-]{0,62}' }];
  });
}

function requiresFaults(requires: readonly string[]): Fault[] {
  if (requires.length > REQUIRES) return [{ pointer: '/requires', message: `must name at most ${REQUIRES}` }];
  return requires.flatMap((capability, i) =>
    CAPABILITY.test(capability)
      ? []
      : [{ pointer: `/requires/${i}`, message: 'is no capability: [A-Za-z0-9][A-Za-z0-9._:+-]{0,62}' }],
  );
}

function cancelFaults(types: readonly string[]): Fault[] {
  if (types.length > CANCEL_ON) return [{ pointer: '/cancel_on', message: `must name at most ${CANCEL_ON} types` }];
  return types.flatMap((type, i) =>
    EVENT_TYPE.test(type)
      ? []
      : [{ pointer: `/cancel_on/${i}`, message: 'is no type of an event: 1 to 64 characters from A-Z a-z 0-9 . _ -' }],
  );
}

function tagFaults(tags: readonly string[]): Fault[] {
  if (tags.length > TAGS) return [{ pointer: '/tags', message: `must hold at most ${TAGS} tags` }];
  return tags.flatMap((tag, i) => lineFaults(`/tags/${i}`, tag, TAG_LENGTH));
}

/** The faults that need no knowledge of the kind, each with its pointer into the body. */
export function submitFaults(run: Submitted): Fault[] {
  return [
    ...lineFaults('/filename', run.filename, TEXT_LENGTH),
    ...lineFaults('/interpreter', run.interpreter, INTERPRETER_LENGTH),
    ...envFaults(run.env ?? {}),
    ...credentialFaults(run.credentials ?? {}),
    ...tagFaults(run.tags ?? []),
    ...lineFaults('/subject', run.subject, TEXT_LENGTH),
    ...requiresFaults(run.requires ?? []),
    ...cancelFaults(run.cancel_on ?? []),
    ...lineFaults('/idempotency_key', run.idempotency_key, TEXT_LENGTH),
  ];
}

/** `payload_too_large` when the document or the input is, with the size it has and the size it may have. */
export function tooLarge(run: Submitted): ServiceError | undefined {
  const document = Buffer.byteLength(run.source);
  if (document > DOCUMENT_BYTES)
    return Errors.payloadTooLarge(`the document has ${document} bytes; at most ${DOCUMENT_BYTES} are taken`);
  if (run.input === undefined) return undefined;
  const input = Buffer.byteLength(JSON.stringify(run.input));
  if (input > INPUT_BYTES)
    return Errors.payloadTooLarge(`the input has ${input} bytes of JSON; at most ${INPUT_BYTES} are taken`);
  return undefined;
}

/** The file's base name, or the kind. */
export function workflowName(filename: string | undefined, kind: string): string {
  const base = filename?.split(/[/\\]/).findLast((part) => part !== '');
  return base === undefined || base === '.' || base === '..' ? kind : base;
}
