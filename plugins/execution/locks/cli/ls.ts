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

function toRows(lock: LockView, output: Output): string[][] {
  const { group, trusted, limit, holders, holder_count, queue, queue_length, throttle, next_start_at } = lock;
  const waiting = queue.map(({ run_id, since, age_ms }, i) => [
    ...['', String(i + 1), run_id, output.time(since), formatSpan(age_ms), ''],
  ]);
  const state = limit === 1 ? 'holds' : `holds ${holder_count}/${limit}`;
  const name = trusted ? group : `${group} (untrusted)`;
  // Nobody may hold a group that starts no more runs for now.
  const pausing =
    throttle === undefined || next_start_at === undefined
      ? []
      : [
          [
            holders.length > 0 ? '' : name,
            `next ${output.time(next_start_at)}`,
            `${throttle.limit} in ${throttle.period}`,
            '',
            '',
            '',
          ],
        ];
  const holding = holders.map((holder, i) => [
    ...[i > 0 ? '' : name, i > 0 ? 'holds' : state, holder.run_id],
    ...[output.time(holder.since), formatSpan(holder.age_ms), String(holder.fence)],
  ]);
  return [
    ...holding,
    ...unlisted(holder_count - holders.length, 'hold it'),
    ...pausing,
    ...waiting,
    ...unlisted(queue_length - queue.length, 'wait'),
  ];
}

const unlisted = (count: number, what: string): string[][] =>
  count > 0 ? [['', '…', `${count} more ${what}`, '', '', '']] : [];
