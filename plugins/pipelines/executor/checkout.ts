import type { Assignment } from '../../agents/contract.ts';
import type { ProgramPlace, StartedProgram } from '../../scripts/contract.ts';
import { CHECKOUT_VARIABLE } from '../../runs/contract.ts';
import { addressFault, GIT, gitEnvironment, isCommit } from '../domain/checkout.ts';
import type { JobSpec } from '../domain/job-spec.ts';
import { PipelineErrors } from '../errors.ts';

/** What git needs of the environment of a job; it gets none of its secrets. */
const KEPT = ['PATH', 'LANG', 'TMPDIR', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NIX_SSL_CERT_FILE'];

export interface CheckoutParts {
  checkout: NonNullable<JobSpec['checkout']>;
  assignment: Assignment;
  place: ProgramPlace;
  workspace: string;
  started(program: StartedProgram): void;
  isStopped(): boolean;
}

/** Puts a commit into the workspace. Throws `checkout_failed`. */
export async function checkOut(parts: CheckoutParts): Promise<void> {
  const { checkout, place, workspace, assignment } = parts;
  const { url, sha } = checkout;
  const refused = (reason: string) =>
    PipelineErrors.checkoutFailed(`${JSON.stringify(url.slice(0, 500))} at ${sha.slice(0, 64)}: ${reason}`);
  const fault = addressFault(url);
  if (fault !== undefined) throw PipelineErrors.checkoutFailed(`the address of the repository ${fault}`);
  if (!isCommit(sha)) throw refused('that is no id of a commit');
  const git = await place.find(GIT);
  const given = place.environment({});
  const kept = KEPT.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]));
  const secret = assignment.environment.above.find(({ name }) => name === CHECKOUT_VARIABLE)?.value;
  const env = {
    ...(Object.fromEntries(kept) as Record<string, string>),
    HOME: place.folder,
    ...gitEnvironment(secret),
  };
  for (const args of [
    ['init', '--quiet', '.'],
    ['fetch', '--quiet', '--depth=1', '--no-tags', '--', url, sha],
    ['checkout', '--quiet', '--detach', 'FETCH_HEAD'],
  ]) {
    if (parts.isStopped()) return;
    const program = place.start({ argv: [git, ...args], env, cwd: workspace });
    parts.started(program);
    const { exit_code, signal, tail } = await program.ended;
    if (exit_code !== 0) throw refused(`git ${args[0]} ended with ${signal ?? `exit code ${exit_code}`}\n${tail}`);
  }
}

/** The environment of a step: without the credential of the checkout. */
export function withoutCheckout(env: Record<string, string>): Record<string, string> {
  const { [CHECKOUT_VARIABLE]: _credential, ...rest } = env;
  return rest;
}
