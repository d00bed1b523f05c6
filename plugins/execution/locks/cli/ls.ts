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
  const { group, trusted, limit, holders, holder_count, queue, queue_length } = lock;
  const waiting = queue.map(({ run_id, since, age_ms }, i) => [
    ...['', String(i + 1), run_id, output.time(since), formatSpan(age_ms), ''],
  ]);
  const state = limit === 1 ? 'holds' : `holds ${holder_count}/${limit}`;
  const holding = holders.map((holder, i) => [
    ...[i > 0 ? '' : trusted ? group : `${group} (untrusted)`, i > 0 ? 'holds' : state, holder.run_id],
    ...[output.time(holder.since), formatSpan(holder.age_ms), String(holder.fence)],
  ]);
  return [
    ...holding,
    ...unlisted(holder_count - holders.length, 'hold it'),
    ...waiting,
    ...unlisted(queue_length - queue.length, 'wait'),
  ];
}

const unlisted = (count: number, what: string): string[][] =>
  count > 0 ? [['', '…', `${count} more ${what}`, '', '', '']] : [];
