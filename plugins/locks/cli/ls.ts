import { type Api, everything, type Output, type Run, span } from '../../../cli/contract.ts';

export const run: Run = async ({ output, client }) => {
  const api = await client();
  const locks = await everything<LockView>(api, api.scoped('/locks'), 'locks');
  output.data({ locks }, () =>
    locks.length > 0
      ? output.table(
          HEAD,
          locks.flatMap((lock) => rowsOf(lock, output)),
        )
      : '',
  );
  if (locks.length === 0) output.none('locks');
  return undefined;
};

type LockView = Api.ListLocks200['locks'][number];

const HEAD = ['group', 'place', 'run', 'since', 'age', 'fence'];

function rowsOf({ group, trusted, holder, queue, queue_length }: LockView, output: Output): string[][] {
  const waiting = queue.map(({ run_id, since, age_ms }, i) => [
    ...['', String(i + 1), run_id, output.time(since), span(age_ms), ''],
  ]);
  const more = queue_length - queue.length;
  return [
    [
      trusted ? group : `${group} (untrusted)`,
      'holds',
      holder.run_id,
      output.time(holder.since),
      span(holder.age_ms),
      String(holder.fence),
    ],
    ...waiting,
    ...(more > 0 ? [['', '…', `and ${more} more`, '', '', '']] : []),
  ];
}
