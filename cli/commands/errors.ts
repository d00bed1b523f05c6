import type { Run } from '../command.ts';
import { usageError } from '../errors.ts';
import { nearest } from '../find.ts';
import { ERROR_CODES, type ErrorCode } from '../generated/error-codes.ts';

/** The codes of the command line itself, which no server answers with. */
const CLI_CODES: readonly ErrorCode[] = [
  ['artifact_changed', 0, 'The file changed while it was read.', 'Wait until it is complete and send it again.'],
  [
    'file_refused',
    0,
    'A file cannot be used.',
    'The message names the file and the reason: its owner, its permissions or its path.',
  ],
  [
    'not_authenticated',
    0,
    'There is no valid token for this server.',
    'Sign in with `svc login`, or set SVC_URL and SVC_TOKEN together.',
  ],
  ['profile_invalid', 0, 'The file of the profile cannot be used.', 'Sign in again with `svc login`.'],
  [
    'unreachable',
    0,
    'The server does not respond.',
    'Check that it is running, and check the address that `svc whoami` shows.',
  ],
  ['usage', 0, 'The command has invalid arguments.', '`svc help <command>` shows its flags and examples.'],
];

const ALL = [
  ...ERROR_CODES,
  ...CLI_CODES.filter(([code]) => !ERROR_CODES.some(([server_code]) => server_code === code)),
].sort(([a], [b]) => (a < b ? -1 : 1));

export const errorCodes = (): readonly ErrorCode[] => ALL;

const view = ([code, status, title, next]: ErrorCode) => ({
  code,
  ...(status > 0 && { status }),
  title,
  next,
  docs: `/docs/errors#${code}`,
});

/** `svc errors [<code>]`. */
export const run: Run = async ({ args: [requested], output }) => {
  if (requested === undefined) {
    const rows = ALL.map(([code, status, title]) => [code, status > 0 ? String(status) : '', title]);
    output.data({ errors: ALL.map(view) }, () => output.table(['code', 'status', 'meaning'], rows));
    return undefined;
  }
  const entry = ALL.find(([code]) => code === requested);
  if (!entry) throw unknownCode(requested);
  const [code, status, title, next] = entry;
  output.data(
    view(entry),
    () =>
      `${code}${status > 0 ? ` (HTTP ${status})` : ''}\n  ${title}\n  → ${next}\n  → \`svc docs ${code}\` prints the address of its page\n`,
  );
  return undefined;
};

function unknownCode(requested: string) {
  const suggestions = nearest(
    requested,
    ALL.map(([code]) => code),
  );
  return usageError(
    `there is no error code "${requested}"`,
    suggestions.length > 0
      ? `did you mean ${suggestions.map((code) => `\`svc errors ${code}\``).join(' or ')}?`
      : '`svc errors` lists all codes; the README of a plugin lists its own codes',
  );
}
