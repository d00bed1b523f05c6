import { type Database, isServiceError } from '../../../kernel/contracts/index.ts';
import type { CredentialStates, CredentialWish } from '../../credentials/contract.ts';
import type { CredentialCheck, Problem, WorkflowKind } from '../../runs/contract.ts';
import type { Read } from '../document/read.ts';
import { repoFileOf } from '../domain/child.ts';

export interface CredentialParts {
  credential_checks: () => readonly CredentialCheck[];
  credentials: () => { states: CredentialStates; database: Pick<Database, 'read'> };
}

type Valid = Extract<Read, { document: unknown }>;
type CheckScope = Parameters<WorkflowKind['check']>[0];

/** Credentials that a document names and the project cannot use. */
export const credentialProblems = async (
  parts: CredentialParts,
  scope: CheckScope,
  read: Valid,
): Promise<Problem[]> => [
  ...(await variableProblems(parts, scope, read)),
  ...(await repoFileProblems(parts, scope, read)),
];

/** Those that are variables of programs. */
async function variableProblems(
  { credential_checks }: CredentialParts,
  scope: CheckScope,
  { document, places }: Valid,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  const named = Object.entries(document.jobs).map(([id, job]) => [`jobs/${id}/credentials`, job] as const);
  for (const [path, { credentials = {} }] of [['credentials', document] as const, ...named])
    for (const one of Object.keys(credentials).length > 0 ? credential_checks() : [])
      try {
        await one.check(scope, credentials);
      } catch (error) {
        if (!isServiceError(error) || error.status >= 500) throw error;
        problems.push({ ...places.get(path)!, message: error.message, code: error.code });
      }
  return problems;
}

/** Those that files of repositories are read with. */
async function repoFileProblems(
  { credentials }: CredentialParts,
  scope: CheckScope,
  { document, places }: Valid,
): Promise<Problem[]> {
  const named = Object.entries(document.jobs).flatMap(([id, job]) => {
    const name = repoFileOf(job)?.credential;
    return name === undefined ? [] : [{ id, wish: { name, kinds: ['bearer', 'basic'] } satisfies CredentialWish }];
  });
  if (named.length === 0) return [];
  const { states, database } = credentials();
  const wishes = named.map(({ wish }): CredentialWish => wish);
  const found = await states.states(database, scope, wishes);
  return named.flatMap(({ id, wish }, n) => {
    const refusal = states.refusal(wish, found[n]!);
    if (!refusal) return [];
    const { message, code } = refusal;
    return [{ ...places.get(`jobs/${id}/workflow`)!, message, code }];
  });
}
