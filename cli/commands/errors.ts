import type { Run } from '../command.ts';
import { usageError } from '../errors.ts';
import { nearest } from '../find.ts';
import { ERROR_CODES, type ErrorCode } from '../generated/error-codes.ts';

/** What only the command line says: these stand in no answer of a server. */
const OWN: readonly ErrorCode[] = [
  ['artifact_changed', 0, 'The file changed while it was read.', 'Wait until it is complete and send it again.'],
  [
    'file_refused',
    0,
    'A file cannot be used as it is.',
    'The message names the file and the reason: its owner, its permissions or its path.',
  ],
  [
    'not_authenticated',
    0,
    'There is no valid token for this server.',
    'Sign in with `svc login`, or set SVC_URL and SVC_TOKEN together.',
  ],
  ['profile_invalid', 0, 'The file of the profile cannot be used.', 'Sign in again with `svc login`.'],
  ['unreachable', 0, 'The server does not answer.', 'Check that it runs, and the address that `svc whoami` shows.'],
  [
    'usage',
    0,
    'The command was not called as it is meant to be.',
    '`svc help <command>` shows its flags and examples.',
  ],
];

const ALL = [...ERROR_CODES, ...OWN.filter(([code]) => !ERROR_CODES.some(([known]) => known === code))].sort(
  ([a], [b]) => (a < b ? -1 : 1),
);

export const codes = (): readonly ErrorCode[] => ALL;

const view = ([code, status, title, next]: ErrorCode) => ({ code, ...(status > 0 && { status }), title, next });

/** `svc errors [<code>]`. */
export const run: Run = async ({ args: [wanted], output }) => {
  if (wanted === undefined) {
    const rows = ALL.map(([code, status, title]) => [code, status > 0 ? String(status) : '', title]);
    output.data({ errors: ALL.map(view) }, () => output.table(['code', 'status', 'meaning'], rows));
    return undefined;
  }
  const found = ALL.find(([code]) => code === wanted);
  if (!found) throw unknown(wanted);
  const [code, status, title, next] = found;
  output.data(view(found), () => `${code}${status > 0 ? ` (HTTP ${status})` : ''}\n  ${title}\n  → ${next}\n`);
  return undefined;
};

function unknown(wanted: string) {
  const near = nearest(
    wanted,
    ALL.map(([code]) => code),
  );
  return usageError(
    `there is no error code "${wanted}"`,
    near.length > 0
      ? `did you mean ${near.map((code) => `\`svc errors ${code}\``).join(' or ')}?`
      : '`svc errors` lists all codes; the codes of a plugin of others stand in its own README',
  );
}
