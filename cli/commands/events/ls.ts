import type { Run } from '../../command.ts';

interface EventView {
  event: string;
  type: string;
  key: string | null;
  source: string;
  source_name: string;
  recorded_at: string;
}

export const run: Run = async ({ flags, output, client }) => {
  const api = await client();
  const query = Object.fromEntries(
    ['type', 'key', 'source', 'since', 'limit', 'cursor'].map((name) => [name, flags[name] as string | undefined]),
  );
  const page = await api.json<{ events: EventView[]; next_cursor?: string }>({ path: api.scoped('/events'), query });
  output.data(page, () => {
    const rows = page.events.map((one) => [
      one.event,
      one.type,
      one.key ?? '',
      one.source_name === '' ? one.source : `${one.source} ${one.source_name}`,
      one.recorded_at,
    ]);
    return rows.length > 0 ? output.table(['event', 'type', 'key', 'from', 'recorded'], rows) : '';
  });
  if (page.next_cursor !== undefined) output.note(`more: --cursor ${page.next_cursor}`);
  return undefined;
};
