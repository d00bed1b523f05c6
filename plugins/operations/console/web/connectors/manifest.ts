import type {
  ConnectorManifest,
  ManifestAction,
  ManifestExample,
  ManifestValue,
} from '../../../../../cli/generated/api.ts';

import { brandOf } from './names.ts';

type Hook = NonNullable<ConnectorManifest['hook']>;

/** Does a connector fit what somebody looks for? Its names, its actions and their titles count. */
export function fitsWords(manifest: ConnectorManifest, words: string): boolean {
  const { name, title, description = '', actions = {} } = manifest;
  const brand = brandOf(manifest);
  const all = [
    name,
    title,
    brand.title,
    brand.category,
    ...brand.aliases,
    description,
    ...Object.entries(actions).flatMap(([key, one]) => [key, one.title ?? '']),
  ];
  const text = all.join(' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** By the names that people know. */
export const byBrand = (a: ConnectorManifest, b: ConnectorManifest): number =>
  brandOf(a).title.localeCompare(brandOf(b).title, 'en');

/** What one can do with it, in a line: `Chat · post a message · takes deliveries`. */
export function wordsAbout(manifest: ConnectorManifest): string {
  const { actions = {}, hook } = manifest;
  const titles = Object.entries(actions).map(
    ([key, { title = key }]) => title.charAt(0).toLowerCase() + title.slice(1),
  );
  return [brandOf(manifest).category, ...titles, ...(hook ? ['deliveries'] : [])].join(' · ');
}

/** The examples of an action, in the order of the manifest. */
export const examplesOf = ({ examples = [] }: ConnectorManifest, action: string): ManifestExample[] =>
  examples.filter((one) => one.action === action);

/** How the far end proves its deliveries, in words. */
export function proofOf({ signature, token }: Hook): string {
  if (signature) return `Verified by a signature (${signature.algorithm}) in the ${signature.header} header`;
  return token ? `Verified by a token in the ${token.header} header` : 'Not verified';
}

/** Values for an action. */
export interface Filled {
  with: Record<string, unknown>;
  input: Record<string, unknown>;
}

/** Values to begin with: those of an example, else an empty one for each that is required. */
export function filledIn(
  fields: readonly ManifestValue[],
  inputs: readonly ManifestValue[],
  example: ManifestExample | undefined,
): Filled {
  return { with: { ...emptyOf(fields), ...example?.with }, input: { ...emptyOf(inputs), ...example?.input } };
}

const EMPTY: Partial<Record<ManifestValue['type'], unknown>> = { integer: 0, number: 0, boolean: false };

const emptyOf = (values: readonly ManifestValue[]): Record<string, unknown> =>
  Object.fromEntries(
    values.flatMap(({ name, type, required }) => (required === true ? [[name, EMPTY[type] ?? '']] : [])),
  );

/** The command that prints the request of an action, with what an example fills in. */
export function renderCommand(
  connector: string,
  action: string,
  example: Partial<Filled> | undefined,
  quote: (text: string) => string,
): string {
  const given = (flag: string, value: object | undefined) =>
    value && Object.keys(value).length > 0 ? [`--${flag} ${quote(JSON.stringify(value))}`] : [];
  return [
    `svc connector render ${connector}.${action}`,
    ...given('with', example?.with),
    ...given('input', example?.input),
  ].join(' ');
}

/** `POST https://…`, as the manifest has it: with its holes. */
export const requestLine = ({ request: { method, url } }: ManifestAction): string => `${method} ${url}`;
