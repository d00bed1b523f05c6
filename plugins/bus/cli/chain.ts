import type { Api, Output, Run } from '../../../cli/contract.ts';

/** The chain of a run, or of an event. */
export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  const id = args[0]!;
  const kind = id.startsWith('evt_') ? 'events' : 'runs';
  const query = { limit: flags.limit as number | undefined };
  const chain = await api.json<Api.Chain>({ path: api.scoped(`/${kind}/${encodeURIComponent(id)}/chain`), query });
  output.data(chain, () => describe(chain, id, output));
  return undefined;
};

const SAYS: Record<Api.ChainLink['relation'], string> = {
  started: 'started by',
  emitted: 'emitted by',
  called: 'called by',
  rerun: 'rerun of',
  woke: 'woken by',
  cancelled: 'cancelled by',
};
const ONWARDS: Record<Api.ChainLink['relation'], string> = {
  started: 'started',
  emitted: 'emitted',
  called: 'called',
  rerun: 'rerun as',
  woke: 'woke',
  cancelled: 'cancelled',
};

function describe({ before, before_more, after, after_more }: Api.Chain, id: string, output: Output): string {
  const row = (says: typeof SAYS, link: Api.ChainLink) => [
    `${'  '.repeat(link.depth)}${says[link.relation]} ${link.id}`,
    link.name ?? '(not kept any more)',
    link.status ?? '',
    output.time(link.at),
  ];
  const table = (rows: string[][]) => output.table(['what', 'name', 'status', 'at'], rows).trimEnd();
  return [
    before.length === 0 ? `nothing led to ${id}` : table(before.map((link) => row(SAYS, link))),
    ...(before_more ? ['  and it began still earlier'] : []),
    '',
    after.length === 0 ? `nothing came of ${id}` : table(after.map((link) => row(ONWARDS, link))),
    ...(after_more ? ['  and more: --limit 200'] : []),
  ].join('\n');
}
