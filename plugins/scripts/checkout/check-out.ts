import type { Assignment } from '../../agents/contract.ts';
import { CHECKOUT_VARIABLE } from '../../runs/contract.ts';
import { type CheckoutWork, shownCommit } from '../contract/checkout.ts';
import type { CheckoutRequest, ProgramPlace } from '../contract/programs.ts';
import { checkoutFailed } from '../errors.ts';
import { addressFault, gitEnvironment, isCommit, pathFault, refFault } from './git-settings.ts';

/** What git needs of the environment of a job; it gets none of its secrets. */
const KEPT = ['PATH', 'LANG', 'TMPDIR', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NIX_SSL_CERT_FILE'];

/** Where git runs, and for whom. */
export interface GitPlace extends Pick<ProgramPlace, 'folder' | 'find' | 'start'> {
  /** The environment of the programs of the activity. */
  env: Readonly<Record<string, string>>;
  assignment: Pick<Assignment, 'environment'>;
}

/** Puts a commit into the workspace. Throws `checkout_failed`, `interpreter_missing` and what a program throws. */
export async function checkOut(place: GitPlace, request: CheckoutRequest): Promise<void> {
  const { checkout, workspace } = request;
  checkRequest(checkout);
  const { url, submodules } = checkout;
  const git = await place.find('git');
  const kept = KEPT.flatMap((name) => (place.env[name] === undefined ? [] : [[name, place.env[name]]]));
  const credential = place.assignment.environment.above.find(({ name }) => name === CHECKOUT_VARIABLE)?.value;
  const env = { ...(Object.fromEntries(kept) as Record<string, string>), HOME: place.folder };
  const run = async (args: readonly string[], of_submodules = false) => {
    if (request.isStopped()) return;
    const settings = gitEnvironment({ url, credential }, of_submodules);
    const program = place.start({ argv: [git, ...args], env: { ...env, ...settings }, cwd: workspace });
    request.started(program);
    const { exit_code, signal, tail } = await program.ended;
    if (exit_code !== 0)
      throw refused(checkout, `git ${args[0]} ended with ${signal ?? `exit code ${exit_code}`}\n${tail}`);
  };
  for (const args of commandsOf(checkout)) await run(args);
  if (submodules !== false) await run(submoduleCommand(checkout), true);
}

function checkRequest(checkout: CheckoutWork): void {
  const { url, sha, ref, tag, depth, paths } = checkout;
  const fault = addressFault(url);
  if (fault !== undefined) throw checkoutFailed(`the address of the repository ${fault}`);
  if (sha !== undefined && !isCommit(sha)) throw refused(checkout, 'that is no id of a commit');
  for (const name of [...(sha === undefined ? [ref] : []), ...(tag === undefined ? [] : [tag])]) {
    const wrong = refFault(name);
    if (wrong !== undefined) throw refused(checkout, `${quoted(name)} ${wrong}`);
  }
  if (!Number.isSafeInteger(depth) || depth < 0) throw refused(checkout, 'its depth is no whole number');
  for (const path of paths) {
    const wrong = pathFault(path);
    if (wrong !== undefined) throw refused(checkout, `${quoted(path)} ${wrong}`);
  }
}

const quoted = (text: unknown): string => JSON.stringify(String(text).slice(0, 64));

const refused = (checkout: CheckoutWork, reason: string) =>
  checkoutFailed(`${JSON.stringify(checkout.url.slice(0, 500))} at ${shownCommit(checkout).slice(0, 64)}: ${reason}`);

const TAGS = 'refs/tags/';

const depthOf = ({ depth }: CheckoutWork): string[] => (depth === 0 ? [] : [`--depth=${depth}`]);

function commandsOf(checkout: CheckoutWork): string[][] {
  const { url, sha, ref = '', tag, depth, paths } = checkout;
  const commit = sha ?? ref;
  // A tag is there under its name, so that `git describe` finds it.
  const named = tag ?? (ref.startsWith(TAGS) ? ref.slice(TAGS.length) : undefined);
  // With all tags there would be two sources of this one, which git refuses. The tag may
  // have been moved since the push: its name is for the commit.
  const all = depth === 0;
  const fetched = named === undefined || all ? commit : `+${commit}:${TAGS}${named}`;
  return [
    ['init', '--quiet', '.'],
    ['remote', 'add', 'origin', url],
    ...(paths.length === 0 ? [] : [['sparse-checkout', 'set', '--cone', ...paths]]),
    ['fetch', '--quiet', ...depthOf(checkout), all ? '--tags' : '--no-tags', '--', 'origin', fetched],
    ...(named !== undefined && all ? [['update-ref', `${TAGS}${named}`, 'FETCH_HEAD']] : []),
    ['checkout', '--quiet', '--detach', 'FETCH_HEAD'],
  ];
}

const submoduleCommand = (checkout: CheckoutWork): string[] => [
  ...['submodule', '--quiet', 'update', '--init', '--checkout', ...depthOf(checkout)],
  ...(checkout.submodules === 'recursive' ? ['--recursive'] : []),
];
