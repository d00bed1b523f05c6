import { type Api, readAll, type Output, type Run, formatSpan } from '../../../../cli/contract.ts';

export const run: Run = async ({ output, client }) => {
  const api = await client();
  const locks = await readAll<LockView>(api, api.scoped('/locks'), 'locks');
  output.data({ locks }, () =>
    locks.length > 0
      ? output.table(
          HEAD,
          locks.flatMap((lock) => toRows(lock, output)),
        )
      : '',
  );
  if (locks.length === 0) output.noteEmpty('locks');
  return undefined;
};

type LockView = Api.ListLocks200['locks'][number];

const HEAD = ['group', 'place', 'run', 'since', 'age', 'fence'];

function toRows({ group, trusted, holder, queue, queue_length }: LockView, output: Output): string[][] {
  const waiting = queue.map(({ run_id, since, age_ms }, i) => [
    ...['', String(i + 1), run_id, output.time(since), formatSpan(age_ms), ''],
  ]);
  const unlisted = queue_length - queue.length;
  return [
    [
      trusted ? group : `${group} (untrusted)`,
      'holds',
      holder.run_id,
      output.time(holder.since),
      formatSpan(holder.age_ms),
      String(holder.fence),
    ],
    ...waiting,
    ...(unlisted > 0 ? [['', '…', `and ${unlisted} more`, '', '', '']] : []),
  ];
}
