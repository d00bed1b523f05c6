import { type Database, isServiceError } from '../../../../kernel/contracts/index.ts';
import type { CredentialStates, CredentialRequest } from '../../../secrets/credentials/contract.ts';
import type { CredentialChecker, Problem, WorkflowKind } from '../../../engine/runs/contract.ts';
import type { Read } from '../document/read.ts';
import { findRepoFile } from '../domain/child.ts';

export interface CredentialDeps {
  credential_checks: () => readonly CredentialChecker[];
  credentials: () => { states: CredentialStates; database: Pick<Database, 'read'> };
}

type Valid = Extract<Read, { document: unknown }>;
type CheckScope = Parameters<WorkflowKind['check']>[0];

/** Credentials that a document names and the project cannot use. */
export const credentialProblems = async (deps: CredentialDeps, scope: CheckScope, read: Valid): Promise<Problem[]> => [
  ...(await variableProblems(deps, scope, read)),
  ...(await repoFileProblems(deps, scope, read)),
];

/** Checks the credentials that become variables of programs. */
async function variableProblems(
  { credential_checks }: CredentialDeps,
  scope: CheckScope,
  { document, positions }: Valid,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  const named = Object.entries(document.jobs).map(([id, job]) => [`jobs/${id}/credentials`, job] as const);
  for (const [path, { credentials = {} }] of [['credentials', document] as const, ...named])
    for (const check of Object.keys(credentials).length > 0 ? credential_checks() : [])
      try {
        await check.checkCredentials(scope, credentials);
      } catch (error) {
        if (!isServiceError(error) || error.status >= 500) throw error;
        problems.push({ ...positions.get(path)!, message: error.message, code: error.code });
      }
  return problems;
}

/** Checks the credentials with which files of repositories are read. */
async function repoFileProblems(
  { credentials }: CredentialDeps,
  scope: CheckScope,
  { document, positions }: Valid,
): Promise<Problem[]> {
  const named = Object.entries(document.jobs).flatMap(([id, job]) => {
    const name = findRepoFile(job)?.credential;
    return name === undefined
      ? []
      : [{ id, request: { name, kinds: ['bearer', 'basic'] } satisfies CredentialRequest }];
  });
  if (named.length === 0) return [];
  const { states, database } = credentials();
  const wishes = named.map(({ request }): CredentialRequest => request);
  const credential_states = await states.states(database, scope, wishes);
  return named.flatMap(({ id, request }, n) => {
    const rejection = states.toError(request, credential_states[n]!);
    if (!rejection) return [];
    const { message, code } = rejection;
    return [{ ...positions.get(`jobs/${id}/workflow`)!, message, code }];
  });
}
