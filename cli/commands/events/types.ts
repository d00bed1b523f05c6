import { allPages } from '../../client/pages.ts';
import type { Run } from '../../command.ts';

interface TypeView {
  type: string;
  source: string;
  sample?: unknown;
  last_seen?: string;
}

const SHOWN = 60;

export const run: Run = async ({ output, client }) => {
  const api = await client();
  const types = await allPages<TypeView>(api, api.scoped('/event-types'), 'types');
  output.data({ types }, () =>
    output.table(
      ['type', 'from', 'last seen', 'sample'],
      types.map((one) => [one.type, one.source, one.last_seen ?? '', sample(one.sample)]),
    ),
  );
  return undefined;
};

function sample(value: unknown): string {
  const text = value === undefined ? '' : JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
