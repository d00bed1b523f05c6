import { randomBytes } from 'node:crypto';

/** A value that was planted, under the variable that jobs get it in. */
export interface Canary {
  variable: string;
  value: string;
  /** Texts that must not be seen either: the halves of a pair. */
  halves: string[];
  plant: { path: string; body: Record<string, string> };
}

export interface CanarySet {
  all: Canary[];
  /** For the submit. */
  credentials: Record<string, string>;
}

/** Distinct in every part of eight characters, so that a part found anywhere is a leak. */
const word = (bytes = 18): string => randomBytes(bytes).toString('base64url').replaceAll(/[-_]/g, 'Z');

/** One of every kind and of every sort of text. */
export function makeCanaries(): CanarySet {
  const secret = (variable: string, value: string): Canary => ({
    variable,
    value,
    halves: [],
    plant: { path: `secrets/${variable}`, body: { value } },
  });
  const user = word();
  const password = word();
  const credential = (
    variable: string,
    value: string,
    body: Record<string, string>,
    halves: string[] = [],
  ): Canary => ({
    variable,
    value,
    halves,
    plant: { path: `credentials/${variable.toLowerCase().replaceAll('_', '-')}`, body },
  });
  const [bearer, key, token] = [word(), word(), word()];
  const credentials = [
    credential('CRED_BEARER', bearer, { kind: 'bearer', token: bearer }),
    credential('CRED_KEY', key, { kind: 'api_key', header: 'X-Key', value: key }),
    credential('CRED_BASIC', `${user}:${password}`, { kind: 'basic', username: user, password }, [user, password]),
    credential('CRED_URL', token, { kind: 'url_token', token }),
  ];
  return {
    all: [
      secret('PLAIN', word()),
      secret('LINES', `${word()}\n${word()}\r\n${word()}`),
      secret('SYMBOLS', `${word(12)} "${word(12)}"/+<${word(12)}>&%\\${word(12)}`),
      secret('LETTERS', `${word(12)}äß€😀${word(12)}`),
      secret('LONG', word(1500)),
      ...credentials,
    ],
    credentials: Object.fromEntries(
      credentials.map(({ variable, plant }) => [variable, plant.path.slice('credentials/'.length)]),
    ),
  };
}

/** Parts of every form; whatever holds one of them leaked. Made without the service's own forms, which are on trial. */
export function needlesOf({ all }: CanarySet): Buffer[] {
  const texts = all.flatMap(({ value, halves }) => [value, ...halves, ...value.split(/\r?\n/)]);
  const forms = texts.flatMap((text) => {
    const bytes = Buffer.from(text);
    const shifted = [0, 1, 2].map((before) =>
      Buffer.concat([Buffer.alloc(before), bytes])
        .toString('base64')
        .slice(4, -6),
    );
    return [
      text,
      ...shifted,
      ...shifted.map((one) => one.replaceAll('+', '-').replaceAll('/', '_')),
      bytes.toString('hex'),
      encodeURIComponent(text),
      new URLSearchParams({ x: text }).toString().slice(2),
      JSON.stringify(text).slice(1, -1),
    ];
  });
  const needles = new Set<string>();
  for (const form of forms) for (const part of partsOf(form)) needles.add(part);
  return [...needles].map((text) => Buffer.from(text));
}

const PART = 8;

/** Every eighth place: any fifteen characters of the form hold one of them. A long form is looked for here and there. */
function partsOf(form: string): string[] {
  const step = form.length > 400 ? 200 : PART;
  const parts: string[] = [];
  for (let at = 0; at + PART <= form.length; at += step) parts.push(form.slice(at, at + PART));
  return parts;
}
