import type { Run } from '../command.ts';
import { usageError } from '../errors.ts';
import { nearest } from '../find.ts';
import { ERROR_CODES, type ErrorCode } from '../generated/error-codes.ts';

/** The codes of the command line itself, which no server answers with. */
const CLI_CODES: readonly ErrorCode[] = [
  ['artifact_changed', 0, 'The file changed while it was being read.', 'Wait until it is complete and send it again.'],
  [
    'command_defined_twice',
    0,
    'Two plugins have the same command.',
    'Rename one of the commands, or remove one of the plugins from SVC_PLUGINS.',
  ],
  [
    'connector_differs',
    0,
    'The server has another version of the connector than the file.',
    'Start the server with the file in SVC_CONNECTORS, then record again. Nothing was sent.',
  ],
  [
    'docs_not_built',
    0,
    'The page is generated and has not been built in this clone.',
    'Build the documentation with `npm run docs`.',
  ],
  [
    'file_refused',
    0,
    'A file cannot be used.',
    'The message shows the file and the reason: its owner, its permissions or its path.',
  ],
  [
    'home_in_use',
    0,
    'Another `svc dev` is using this folder or this database.',
    'Use that one, stop it, or start this one in another folder (--home).',
  ],
  ['home_unusable', 0, 'svc cannot write to its folder.', 'Choose a folder that you can write to with --home.'],
  ['jq_failed', 0, 'The jq filter failed.', 'See https://jqlang.org/manual; put the filter in single quotes.'],
  [
    'key_missing',
    0,
    'The signing key of a hook is neither in the project folder nor in the environment.',
    'Add `key_env: <variable>` to the file of the hook, and set the variable to the key.',
  ],
  [
    'member_kept',
    0,
    'A project folder does not change your own role or the last admin.',
    'To change them anyway, use `svc member set` or `svc member rm`.',
  ],
  [
    'not_authenticated',
    0,
    'There is no valid token for this server.',
    'Sign in with `svc login`, or set SVC_URL and SVC_TOKEN together.',
  ],
  [
    'not_in_a_script_run',
    0,
    'The verb works only in a script run, and not inside a step body.',
    'Call the verb in a script, then submit the script with `svc submit <file>` or run it here with `svc run <file>`.',
  ],
  ['not_svc', 0, 'The server at this address is not an svc server.', 'Correct the address, which `svc whoami` shows.'],
  [
    'plugin_commands_invalid',
    0,
    'The commands of a plugin cannot be loaded.',
    'Correct the plugin, or remove it from SVC_PLUGINS.',
  ],
  [
    'plugin_link_taken',
    0,
    "Another copy of svc is installed in the plugin's node_modules, and tools use that copy.",
    'To use this svc, remove the other copy first: `npm uninstall svc`.',
  ],
  [
    'project_files_invalid',
    0,
    'The files of a project folder have problems. Nothing was changed.',
    'Correct the files; `svc schema <kind>` prints what they can contain.',
  ],
  ['profile_invalid', 0, 'The profile file cannot be used.', 'Sign in again with `svc login`.'],
  [
    'profile_open',
    0,
    'A file contains a token, and other users can read or write it.',
    'Run `chmod 600` on it. If other users had access to this machine, replace the token.',
  ],
  [
    'redirected',
    0,
    'The server redirects to another address, and the token is not sent there.',
    'If that is your server, sign in to it with `svc login`; otherwise, correct the address.',
  ],
  [
    'set_by_people',
    0,
    'The project needs an object whose secret a file does not contain.',
    'Set it with the command that the error shows, then apply the folder again.',
  ],
  [
    'unexpected_answer',
    0,
    'The server returned an unexpected response.',
    'Check with `svc doctor` that the address belongs to an svc server with the same version as the CLI.',
  ],
  [
    'reach_forbidden',
    0,
    'The event could reach what an assertion forbids.',
    'Follow the path in the message, and change one of its workflows, or the assertion.',
  ],
  [
    'reach_incomplete',
    0,
    'The event reaches more than one answer can hold, so no assertion holds for certain.',
    'Raise `--depth`, or assert about an event that reaches less.',
  ],
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
    `unknown error code "${requested}"`,
    suggestions.length > 0
      ? `did you mean ${suggestions.map((code) => `\`svc errors ${code}\``).join(' or ')}?`
      : '`svc errors` lists all codes; the README of a plugin lists its own codes',
  );
}
