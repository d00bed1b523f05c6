import type { Api, Output, Run } from '../../../../cli/contract.ts';

/** Prints the chain of a run or of an event. */
export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  const id = args[0]!;
  const kind = id.startsWith('evt_') ? 'events' : 'runs';
  const query = { limit: flags.limit as number | undefined };
  const chain = await api.json<Api.Chain>({ path: api.scoped(`/${kind}/${encodeURIComponent(id)}/chain`), query });
  output.data(chain, () => describe(chain, id, output));
  return undefined;
};

const CAUSES: Record<Api.ChainLink['relation'], string> = {
  started: 'started by',
  emitted: 'emitted by',
  called: 'called by',
  rerun: 'rerun of',
  woke: 'woken by',
  cancelled: 'cancelled by',
};
const CONSEQUENCES: Record<Api.ChainLink['relation'], string> = {
  started: 'started',
  emitted: 'emitted',
  called: 'called',
  rerun: 'rerun as',
  woke: 'woke',
  cancelled: 'cancelled',
};

function describe({ before, before_more, after, after_more }: Api.Chain, id: string, output: Output): string {
  const row = (labels: typeof CAUSES, link: Api.ChainLink) => [
    `${'  '.repeat(link.depth)}${labels[link.relation]} ${link.id}`,
    link.name ?? '(no longer stored)',
    link.status ?? '',
    output.time(link.at),
  ];
  const table = (rows: string[][]) => output.table(['what', 'name', 'status', 'at'], rows).trimEnd();
  return [
    before.length === 0 ? `no causes of ${id}` : table(before.map((link) => row(CAUSES, link))),
    ...(before_more ? ['  and earlier causes'] : []),
    '',
    after.length === 0 ? `no effects of ${id}` : table(after.map((link) => row(CONSEQUENCES, link))),
    ...(after_more ? ['  and more: --limit 200'] : []),
  ].join('\n');
}
