import type { RunView } from '../../client/types.ts';
import type { Run } from '../../command.ts';
import { paint, waitsFor } from './describe.ts';

export const run: Run = async ({ flags, output, client }) => {
  const api = await client();
  const query = Object.fromEntries(
    ['status', 'tag', 'workflow', 'since', 'limit', 'cursor'].map((name) => [name, flags[name] as string | undefined]),
  );
  const page = await api.json<{ runs: RunView[]; next_cursor?: string }>({ path: api.scoped('/runs'), query });
  output.data(page, () => {
    const rows = page.runs.map((one) => [
      one.run_id,
      `${paint(one.status, output)}${waitsFor(one)}`,
      one.workflow,
      one.created_at,
      one.tags.join(' '),
    ]);
    return rows.length > 0 ? output.table(['run', 'status', 'workflow', 'created', 'tags'], rows) : '';
  });
  if (page.next_cursor !== undefined) output.note(`more: --cursor ${page.next_cursor}`);
  return undefined;
};
