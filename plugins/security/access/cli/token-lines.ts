import type { Api } from '../../../../cli/contract.ts';

const MANY = 20;

/** A line for each token, with what happened to it. */
export function tokenLines(what: string, tokens: Api.RevokedTokens['living']): string[] {
  const lines = tokens
    .slice(0, MANY)
    .map(({ id, name, kind, user }) => `  ${id} (${[kind, name, user].filter(Boolean).join(' ')}): ${what}`);
  return tokens.length > MANY ? [...lines, `  and ${tokens.length - MANY} more: ${what}`] : lines;
}
