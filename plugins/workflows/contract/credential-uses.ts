import type { CredentialUser } from '../../credentials/contract.ts';

/** A row that may name a credential. */
export interface NamingRow {
  name: string;
  /** JSON: variable → name of a credential; null without any. */
  credentials: string | null;
  /** Other uses of the credential, in words. */
  others?: readonly string[];
}

/** Finds uses of a credential in rows of one kind; `rows` answers the candidates, newest first. */
export const workflowUser = (
  kind: string,
  rows: (scope: Parameters<CredentialUser['uses']>[0], credential: string) => Promise<readonly NamingRow[]>,
): CredentialUser => ({
  kind,
  async uses(scope, credential, limit) {
    const found = await rows(scope, credential);
    const uses = found.flatMap(({ name, credentials, others = [] }) => {
      const named = Object.entries(JSON.parse(credentials ?? '{}') as Record<string, string>);
      const variables = named.filter(([, one]) => one === credential).map(([variable]) => variable);
      const details = variables.length === 0 ? others : [...others, variables.join(', ')];
      return details.map((detail) => ({ kind, name, detail }));
    });
    return uses.slice(0, limit);
  },
});
