import type { Run } from '../../command.ts';
import { type HandlerView, runsOf } from './view.ts';

interface Page {
  handlers: HandlerView[];
  in_flight: number;
  queued: number;
  next_cursor?: string;
}

export const run: Run = async ({ output, client }) => {
  const api = await client();
  const handlers: HandlerView[] = [];
  let page: Page;
  let cursor: string | undefined;
  do {
    page = await api.json<Page>({
      path: api.scoped('/handlers'),
      query: { limit: 200, ...(cursor === undefined ? {} : { cursor }) },
    });
    handlers.push(...page.handlers);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  const { in_flight, queued } = page;
  output.data({ handlers, in_flight, queued }, () =>
    handlers.length > 0
      ? output.table(
          ['name', 'on', 'when', 'runs'],
          handlers.map((one) => [one.name, one.on.join(','), one.when ?? '', runsOf(one)]),
        )
      : '',
  );
  if (in_flight > 0) output.note(`${in_flight} handler runs are in flight, ${queued} wait for a place`);
  return undefined;
};
