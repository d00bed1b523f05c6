import { Errors, type Fault } from '../../../../kernel/contracts/index.ts';
import { CREDENTIAL_KINDS, type CredentialFields, type CredentialKind } from '../contract.ts';
import type { PutCredential } from '../generated/put-credential.ts';
import { validateHeaderName, validateHeaderText, validatePairText, validateUrlText } from './texts.ts';

/** Shorter values cannot be masked, because they also occur in ordinary text. */
export const MIN_CHARACTERS = 4;
/** The maximum bytes of UTF-8 of a token, a key, a username or a password. */
export const MAX_BYTES = 48 * 1024;

interface FieldRule {
  name: Exclude<keyof PutCredential, 'kind' | 'hosts' | 'from'>;
  /** True for a field that is masked and must therefore be long enough. */
  secret: boolean;
  validate(text: string): string | undefined;
}

const secret = (name: FieldRule['name'], validate: FieldRule['validate']): FieldRule => ({
  name,
  secret: true,
  validate,
});

/** The fields of each kind, in the order in which errors are reported. */
export const KIND_FIELDS: Readonly<Record<CredentialKind, readonly FieldRule[]>> = {
  bearer: [secret('token', validateHeaderText)],
  api_key: [{ name: 'header', secret: false, validate: validateHeaderName }, secret('value', validateHeaderText)],
  basic: [
    {
      name: 'username',
      secret: false,
      validate: (text) =>
        text.includes(':')
          ? 'must not contain a colon, because a colon separates the username from the password'
          : validatePairText(text),
    },
    secret('password', validatePairText),
  ],
  url_token: [secret('token', validateUrlText)],
};

/** Parses a kind in either spelling; undefined for any other text. */
export function kindOf(text: string): CredentialKind | undefined {
  return CREDENTIAL_KINDS.find((kind) => kind === text || kind.replace('_', '-') === text);
}

/** The fields of a credential, of which a secret store may have the secret one. */
export type StoredFields = { kind: CredentialKind } & Readonly<Partial<Record<FieldRule['name'], string>>>;

/** The field of a kind that a secret store can have. */
export const secretFieldOf = (kind: CredentialKind): FieldRule => KIND_FIELDS[kind].find(({ secret: one }) => one)!;

/** Adds the value that a secret store has. */
export const completeFields = (stored: StoredFields, value: string): CredentialFields =>
  ({ ...stored, [secretFieldOf(stored.kind).name]: value }) as CredentialFields;

/**
 * Validates a body and returns its fields, without the secret one if a secret store has it. Throws `invalid_request` with every
 * error; no message contains a value.
 */
export function readFields({ from, ...body }: Omit<PutCredential, 'hosts'>): StoredFields {
  const kind = kindOf(body.kind);
  if (kind === undefined)
    throw invalid([{ pointer: '/kind', message: `must be one of ${CREDENTIAL_KINDS.join(', ')}` }]);
  const rules = KIND_FIELDS[kind].filter((rule) => from === undefined || !rule.secret);
  const errors = [
    ...Object.keys(body)
      .filter((name) => name !== 'kind' && !rules.some((rule) => rule.name === name))
      .map((name) => ({ pointer: `/${name}`, message: explainOther(name, kind) })),
    ...rules.flatMap((rule) => validateField(rule, body[rule.name], kind)),
  ];
  if (errors.length > 0) throw invalid(errors);
  const large = rules.find(({ name }) => Buffer.byteLength(body[name]!) > MAX_BYTES);
  if (large) throw Errors.payloadTooLarge(`the ${large.name} has more than ${MAX_BYTES} bytes`);
  return { ...Object.fromEntries(rules.map(({ name }) => [name, body[name]])), kind };
}

const explainOther = (name: string, kind: CredentialKind): string =>
  name === secretFieldOf(kind).name
    ? 'cannot be combined with from; keep one of the two'
    : `is not a field of ${kind}; its fields are ${fieldNames(kind)}`;

const fieldNames = (kind: CredentialKind): string => KIND_FIELDS[kind].map(({ name }) => name).join(' and ');

function validateField(
  { name, secret: masked, validate: fault }: FieldRule,
  text: string | undefined,
  kind: string,
): Fault[] {
  const pointer = `/${name}`;
  if (text === undefined) return [{ pointer, message: `is missing; ${kind} needs it` }];
  if (text === '') return [{ pointer, message: 'must not be empty' }];
  // The size of a huge text is reported without scanning it.
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
