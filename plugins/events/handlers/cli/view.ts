import type { Api, Columns } from '../../../../cli/contract.ts';
import { formatRateText } from '../explain/rate-text.ts';

export type HandlerView = Api.HandlerView;

/** What the handler runs, in one word. */
export const workflowKind = ({ kind, filename, graph, node }: HandlerView): string =>
  graph === undefined ? (node ?? filename ?? kind) : `graph ${graph}`;

/** Such as `12 started, 2 failed, 1 predicate error, 3 queued`, or empty when it did nothing. */
export function formatActivity({ lately }: HandlerView): string | undefined {
  if (lately === undefined) return undefined;
  const { started, failed, predicate_errors, dropped = 0, queued } = lately;
  const parts = [
    [started, 'started'],
    [failed, 'failed'],
    [predicate_errors, predicate_errors === 1 ? 'predicate error' : 'predicate errors'],
    [dropped, 'dropped'],
    [queued, 'queued'],
  ] as const;
  const said = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return said.length === 0 ? undefined : said.join(', ');
}

const pairs = (pair: Readonly<Record<string, string | undefined>> | undefined): string | undefined =>
  pair &&
  Object.entries(pair)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

const forEach = ({ key }: { key?: string | undefined }): string => (key === undefined ? '' : ` for each ${key}`);

const formatRate = (rate: NonNullable<HandlerView['throttle']>): string =>
  `${formatRateText(rate.limit, rate.period)}${forEach(rate)}`;

export const SHOWN: Columns<HandlerView> = {
  handler: 'name',
  on: 'on',
  when: 'when',
  concurrency: ({ concurrency }) => concurrency && `${concurrency.limit}${forEach(concurrency)}`,
  throttle: ({ throttle }) => throttle && formatRate(throttle),
  'rate limit': ({ rate_limit }) => rate_limit && formatRate(rate_limit),
  debounce: ({ debounce }) =>
    debounce &&
    `${debounce.period}${debounce.max === undefined ? '' : `, at most ${debounce.max}`}${forEach(debounce)}`,
  batch: ({ batch }) => batch && `${formatRateText(batch.size, batch.timeout)}${forEach(batch)}`,
  priority: 'priority',
  retry: ({ retry }) =>
    retry &&
    `${retry.limit} ${retry.limit === 1 ? 'time' : 'times'}, after ${retry.backoff}, at most ${retry.backoff_max}`,
  waiting: ({ waiting }) =>
    waiting
      ?.map(({ count, for: what, until }) => `${count} for ${what}${until === undefined ? '' : ` until ${until}`}`)
      .join(', ') || undefined,
  workflow: workflowKind,
  kind: 'kind',
  interpreter: 'interpreter',
  arguments: ({ args }) => args && JSON.stringify(args),
  config: ({ config }) => config && JSON.stringify(config),
  env: ({ env }) => pairs(env),
  credentials: ({ credentials }) => pairs(credentials),
  tags: 'tags',
  requires: 'requires',
  'cancel on': 'cancel_on',
  timeout: 'timeout',
  checkout: ({ checkout }) => checkout && JSON.stringify(checkout),
  'last 24 h': formatActivity,
  'set at': 'set_at',
};
