import type { CredentialUser } from '../../../secrets/credentials/contract.ts';

/** A row that may use a credential. */
export interface CredentialUseRow {
  name: string;
  /** A JSON object from variables to names of credentials, or null without any. */
  credentials: string | null;
  /** Other uses of the credential, in words for people. */
  other_uses?: readonly string[];
}

/** Finds uses of a credential in rows of one kind; `rows` returns the candidates, newest first. */
export const workflowCredentialUser = (
  kind: string,
  rows: (scope: Parameters<CredentialUser['uses']>[0], credential: string) => Promise<readonly CredentialUseRow[]>,
): CredentialUser => ({
  kind,
  async uses(scope, credential, limit) {
    const candidates = await rows(scope, credential);
    const uses = candidates.flatMap(({ name, credentials, other_uses = [] }) => {
      const named = Object.entries(JSON.parse(credentials ?? '{}') as Record<string, string>);
      const variables = named.filter(([, name_used]) => name_used === credential).map(([variable]) => variable);
      const details = variables.length === 0 ? other_uses : [...other_uses, variables.join(', ')];
      return details.map((detail) => ({ kind, name, detail }));
    });
    return uses.slice(0, limit);
  },
});
