import { Errors, type Fault } from '../../../kernel/contracts/index.ts';
import { CREDENTIAL_KINDS, type CredentialFields, type CredentialKind } from '../contract.ts';
import type { PutCredential } from '../generated/put-credential.ts';
import { headerFault, headerTextFault, pairTextFault, urlTextFault } from './texts.ts';

/** A shorter value cannot be masked: it would also occur in ordinary text. */
export const MIN_CHARACTERS = 4;
/** Maximum bytes of a token, a key, a username or a password in UTF-8. */
export const MAX_BYTES = 48 * 1024;

interface FieldRule {
  name: Exclude<keyof PutCredential, 'kind'>;
  /** This field is masked, so it must be long enough. */
  secret: boolean;
  fault(text: string): string | undefined;
}

const secret = (name: FieldRule['name'], fault: FieldRule['fault']): FieldRule => ({ name, secret: true, fault });

/** The fields of each kind, in the order of reported faults. */
export const KIND_FIELDS: Readonly<Record<CredentialKind, readonly FieldRule[]>> = {
  bearer: [secret('token', headerTextFault)],
  api_key: [{ name: 'header', secret: false, fault: headerFault }, secret('value', headerTextFault)],
  basic: [
    {
      name: 'username',
      secret: false,
      fault: (text) =>
        text.includes(':')
          ? 'must not contain a colon, because a colon separates the username from the password'
          : pairTextFault(text),
    },
    secret('password', pairTextFault),
  ],
  url_token: [secret('token', urlTextFault)],
};

/** The kind in either spelling; undefined for any other text. */
export function kindOf(text: string): CredentialKind | undefined {
  return CREDENTIAL_KINDS.find((kind) => kind === text || kind.replace('_', '-') === text);
}

/** Checks a body and returns its fields. Throws `invalid_request` with every fault; no message repeats a value. */
export function readFields(given: PutCredential): CredentialFields {
  const kind = kindOf(given.kind);
  if (kind === undefined)
    throw invalid([{ pointer: '/kind', message: `must be one of ${CREDENTIAL_KINDS.join(', ')}` }]);
  const rules = KIND_FIELDS[kind];
  const faults = [
    ...Object.keys(given)
      .filter((name) => name !== 'kind' && !rules.some((rule) => rule.name === name))
      .map((name) => ({ pointer: `/${name}`, message: `is not a field of ${kind}; its fields are ${wanted(kind)}` })),
    ...rules.flatMap((rule) => faultsOf(rule, given[rule.name], kind)),
  ];
  if (faults.length > 0) throw invalid(faults);
  const large = rules.find(({ name }) => Buffer.byteLength(given[name]!) > MAX_BYTES);
  if (large) throw Errors.payloadTooLarge(`the ${large.name} has more than ${MAX_BYTES} bytes`);
  return { ...Object.fromEntries(rules.map(({ name }) => [name, given[name]])), kind } as CredentialFields;
}

const wanted = (kind: CredentialKind): string => KIND_FIELDS[kind].map(({ name }) => name).join(' and ');

function faultsOf({ name, secret: masked, fault }: FieldRule, text: string | undefined, kind: string): Fault[] {
  const pointer = `/${name}`;
  if (text === undefined) return [{ pointer, message: `is missing; ${kind} needs it` }];
  if (text === '') return [{ pointer, message: 'must not be empty' }];
  // A huge text is refused by its size before it is scanned.
  if (text.length > MAX_BYTES) return [];
  if (!text.isWellFormed()) return [{ pointer, message: 'must be valid Unicode' }];
  const wrong = fault(text);
  if (wrong !== undefined) return [{ pointer, message: wrong }];
  if (!masked || [...text].length >= MIN_CHARACTERS) return [];
  return [
    { pointer, message: `must have at least ${MIN_CHARACTERS} characters: shorter values cannot be masked in logs` },
  ];
}

function invalid(errors: Fault[]) {
  const detail = errors.map(({ pointer, message }) => `${pointer} ${message}`).join('; ');
  return Errors.invalidRequest(detail, { errors });
}
