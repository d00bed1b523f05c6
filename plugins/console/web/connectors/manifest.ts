import type { ConnectorManifest, ManifestAction, ManifestExample } from '../../../../cli/generated/api.ts';

type Hook = NonNullable<ConnectorManifest['hook']>;

/** Does a connector fit what somebody looks for? Its words, its actions and their titles count. */
export function fitsWords(manifest: ConnectorManifest, words: string): boolean {
  const { name, title, description = '', actions = {} } = manifest;
  const all = [name, title, description, ...Object.entries(actions).flatMap(([key, one]) => [key, one.title ?? ''])];
  const text = all.join(' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The examples of an action, in the order of the manifest. */
export const examplesOf = ({ examples = [] }: ConnectorManifest, action: string): ManifestExample[] =>
  examples.filter((one) => one.action === action);

/** How the far end proves its deliveries, in words. */
export function proofOf({ signature, token }: Hook): string {
  if (signature) return `by a signature (${signature.algorithm}) in the header ${signature.header}`;
  return token ? `by a token in the header ${token.header}` : 'by nothing';
}

/** The command that prints the request of an action, with what an example fills in. */
export function renderCommand(
  connector: string,
  action: string,
  example: ManifestExample | undefined,
  quote: (text: string) => string,
): string {
  const given = (flag: string, value: object | undefined) =>
    value ? [`--${flag} ${quote(JSON.stringify(value))}`] : [];
  return [
    `svc connector render ${connector}.${action}`,
    ...given('with', example?.with),
    ...given('input', example?.input),
  ].join(' ');
}

/** `POST https://…`, as the manifest has it: with its holes. */
export const requestLine = ({ request: { method, url } }: ManifestAction): string => `${method} ${url}`;
