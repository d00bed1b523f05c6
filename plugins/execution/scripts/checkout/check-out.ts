import type { Assignment } from '../../agents/contract.ts';
import { CHECKOUT_VARIABLE } from '../../../engine/runs/contract.ts';
import { type CheckoutWork, describeCommit } from '../contract/checkout.ts';
import type { CheckoutRequest, ProgramHost } from '../contract/programs.ts';
import { checkoutFailed } from '../errors.ts';
import { findUrlProblem, gitEnvironment, isCommit, findPathProblem, findRefProblem } from './git-settings.ts';

/** What git needs of a job's environment; it gets none of its secrets. */
const INHERITED_VARIABLES = ['PATH', 'LANG', 'TMPDIR', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NIX_SSL_CERT_FILE'];

/** Where git runs, and for whom. */
export interface GitContext extends Pick<ProgramHost, 'folder' | 'find' | 'start'> {
  /** The environment of the activity's programs. */
  env: Readonly<Record<string, string>>;
  assignment: Pick<Assignment, 'environment'>;
}

/**
 * Checks out a commit into the workspace. Throws `checkout_failed`, `interpreter_missing`, and whatever starting a
 * program throws.
 */
export async function checkOut(context: GitContext, request: CheckoutRequest): Promise<void> {
  const { checkout, workspace } = request;
  checkRequest(checkout);
  const { url, submodules } = checkout;
  const git = await context.find('git');
  const inherited = INHERITED_VARIABLES.flatMap((name) =>
    context.env[name] === undefined ? [] : [[name, context.env[name]]],
  );
  const credential = context.assignment.environment.above.find(({ name }) => name === CHECKOUT_VARIABLE)?.value;
  const env = { ...(Object.fromEntries(inherited) as Record<string, string>), HOME: context.folder };
  const run = async (args: readonly string[], for_submodules = false) => {
    if (request.isStopped()) return;
    const settings = gitEnvironment({ url, credential }, for_submodules);
    const program = context.start({ argv: [git, ...args], env: { ...env, ...settings }, cwd: workspace });
    request.onStart(program);
    const { exit_code, signal, tail } = await program.ended;
    if (exit_code === 0) return;
    const how = `git ${args[0]} ended with ${signal ?? `exit code ${exit_code}`}`;
    throw checkoutError(checkout, `${how}${credential === undefined ? ', without a credential' : ''}\n${tail}`);
  };
  for (const args of checkoutCommands(checkout)) await run(args);
  if (submodules !== false) await run(submoduleCommand(checkout), true);
}

function checkRequest(checkout: CheckoutWork): void {
  const { url, sha, ref, tag, depth, paths } = checkout;
  const problem = findUrlProblem(url);
  if (problem !== undefined) throw checkoutFailed(`the address of the repository ${problem}`);
  if (sha !== undefined && !isCommit(sha)) throw checkoutError(checkout, 'that is not a commit ID');
  for (const name of [...(sha === undefined ? [ref] : []), ...(tag === undefined ? [] : [tag])]) {
    const wrong = findRefProblem(name);
    if (wrong !== undefined) throw checkoutError(checkout, `${quoted(name)} ${wrong}`);
  }
  if (!Number.isSafeInteger(depth) || depth < 0) throw checkoutError(checkout, 'its depth is not a whole number');
  for (const path of paths) {
    const wrong = findPathProblem(path);
    if (wrong !== undefined) throw checkoutError(checkout, `${quoted(path)} ${wrong}`);
  }
}

const quoted = (text: unknown): string => JSON.stringify(String(text).slice(0, 64));

const checkoutError = (checkout: CheckoutWork, reason: string) =>
  checkoutFailed(
    `${JSON.stringify(checkout.url.slice(0, 500))} at ${describeCommit(checkout).slice(0, 64)}: ${reason}`,
  );

const TAGS = 'refs/tags/';

const depthArguments = ({ depth }: CheckoutWork): string[] => (depth === 0 ? [] : [`--depth=${depth}`]);

function checkoutCommands(checkout: CheckoutWork): string[][] {
  const { url, sha, ref = '', tag, depth, paths } = checkout;
  const commit = sha ?? ref;
  // A tag is stored under its name, so that `git describe` finds it.
  const named = tag ?? (ref.startsWith(TAGS) ? ref.slice(TAGS.length) : undefined);
  // With all tags there would be two sources for this one, which git rejects. The tag may have been moved since the
  // push; its name then stands for the commit.
  const all = depth === 0;
  const fetched = named === undefined || all ? commit : `+${commit}:${TAGS}${named}`;
  return [
    ['init', '--quiet', '.'],
    ['remote', 'add', 'origin', url],
    ...(paths.length === 0 ? [] : [['sparse-checkout', 'set', '--cone', ...paths]]),
    ['fetch', '--quiet', ...depthArguments(checkout), all ? '--tags' : '--no-tags', '--', 'origin', fetched],
    ...(named !== undefined && all ? [['update-ref', `${TAGS}${named}`, 'FETCH_HEAD']] : []),
    ['checkout', '--quiet', '--detach', 'FETCH_HEAD'],
  ];
}

const submoduleCommand = (checkout: CheckoutWork): string[] => [
  ...['submodule', '--quiet', 'update', '--init', '--checkout', ...depthArguments(checkout)],
  ...(checkout.submodules === 'recursive' ? ['--recursive'] : []),
];
