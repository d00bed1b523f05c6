import type { Run } from '../../command.ts';

interface TokenView {
  id: string;
  name: string;
  kind: string;
  role?: string | null;
  project?: string | null;
  expires_at?: string | null;
  last_used_at?: string | null;
}

export const run: Run = async ({ output, client }) => {
  const api = await client();
  const answer = await api.json<{ tokens: TokenView[] }>({ path: '/api/v1/tokens' });
  output.data(answer, () => {
    const rows = answer.tokens.map((one) => [
      one.id,
      one.name,
      one.kind,
      one.role ?? '',
      one.project ?? '',
      one.expires_at ?? 'never',
      one.last_used_at ?? 'never',
    ]);
    return rows.length > 0 ? output.table(['id', 'name', 'kind', 'role', 'project', 'expires', 'last used'], rows) : '';
  });
  return undefined;
};
