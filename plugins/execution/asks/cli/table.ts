import { type Api, type Argument, type Command, inGroup, listCommand } from '../../../../cli/contract.ts';

const RUN: Argument = { name: 'run-id', summary: 'the run: run_01J…, the end of its ID, or @last', run: true };

/** What callers ask runs, and what runs answer. */
export const commands: readonly Command[] = [
  ...inGroup('Run', [
    {
      name: 'ask',
      summary: 'ask a run a question, wait for its answer and print it',
      description:
        'A script takes the ask with svc wait-ask, and answers it with svc answer. An ask that nothing waits for yet is queued.\n' +
        'Prints the answer as JSON. Exits with 124 if the run has not answered after --timeout, and with 1 if it ends without\n' +
        'an answer. With --no-wait, prints the ID of the ask, and svc asks shows its state.',
      args: [
        RUN,
        { name: 'name', summary: 'the name that the run waits for' },
        { name: 'payload', summary: 'JSON for the run (default null); - reads standard input', optional: true },
      ],
      flags: {
        timeout: { type: 'string', value: '<duration>', summary: 'how long the run has to answer (default 5m)' },
        'no-wait': { type: 'boolean', summary: 'do not wait: print the ID of the ask' },
        'idempotency-key': { type: 'string', value: '<key>', summary: 'a repeated request returns the first ask' },
      },
      examples: [
        ['svc ask run_01J… price \'{"sku":"a1"}\'', "prints the run's answer"],
        ['svc ask run_01J… status --timeout 30s', 'exits with 124 after 30 seconds'],
      ],
      load: () => import('./ask.ts'),
    },
  ]),
  ...inGroup('Look', [
    listCommand<Api.Ask>({
      name: 'asks',
      summary: 'list the asks of a run, newest first, with their states',
      args: [RUN],
      examples: [['svc asks run_01J…', 'open, answered, timed_out or run_ended']],
      path: (api, { args }) => api.scoped(`/runs/${encodeURIComponent(args[0]!)}/asks`),
      member: 'asks',
      columns: {
        id: 'ask_id',
        name: 'name',
        state: 'state',
        by: ({ by = '' }) => by,
        sent: 'sent_at',
        ended: ({ ended_at = '' }) => ended_at,
      },
    }),
  ]),
];
