import type { Run } from '../../command.ts';

interface EntryView {
  at: string;
  principal: { name: string } | null;
  action: string;
  subject: string;
  detail?: string;
  ip: string;
  request_id: string;
}

export const run: Run = async ({ flags, output, client }) => {
  const api = await client();
  const path = flags.org ? `/api/v1/orgs/${encodeURIComponent(api.profile.org)}/audit` : api.scoped('/audit');
  const query = Object.fromEntries(
    ['action', 'principal', 'since', 'limit', 'cursor'].map((name) => [name, flags[name] as string | undefined]),
  );
  const page = await api.json<{ entries: EntryView[]; next_cursor?: string }>({ path, query });
  output.data(page, () => {
    const rows = page.entries.map((one) => [
      one.at,
      one.principal?.name ?? '(operator)',
      one.action,
      `${one.subject}${one.detail === undefined ? '' : ` (${one.detail})`}`,
      one.ip,
      one.request_id,
    ]);
    return rows.length > 0 ? output.table(['time', 'who', 'action', 'subject', 'from', 'request'], rows) : '';
  });
  if (page.next_cursor !== undefined) output.note(`more: --cursor ${page.next_cursor}`);
  return undefined;
};
