import type { Argument, Command } from '../../../../cli/contract.ts';

const RUN: Argument = { name: 'run-id', summary: 'the run: run_01J…, the end of its ID, or @last', run: true };
const NAME: Argument = {
  name: 'name',
  summary: 'name of the signal; required if the run asks several questions',
  optional: true,
};

export const commands: readonly Command[] = [
  {
    name: 'approve',
    group: 'Run',
    summary: "approve a run's question, with the data for its form",
    description:
      'To ask a question, a script uses svc wait-signal, a graph uses a wait_signal node, and a pipeline uses\n' +
      'wait_for_signal. svc explain shows the question, its form and who may answer. The server checks the data and who you are.\n' +
      'A wait without a form, approvers or message gets {"approved": true, "by": <you>}, with the data.',
    args: [RUN, NAME],
    flags: {
      data: {
        type: 'string',
        value: 'k=v…',
        many: true,
        pairs: true,
        summary: 'the answer: amount=5 for text, amount:=5 for JSON; or a JSON document, @file or -',
      },
    },
    examples: [
      ['svc approve run_01J…', "the run's only question"],
      ['svc approve run_01J… refund --data amount:=5 env=live', 'with the fields of its form'],
    ],
    load: () => import('./approve.ts'),
  },
  {
    name: 'reject',
    group: 'Run',
    summary: "reject a run's question",
    description:
      'The wait exits with 125 (its node or job fails with rejected), and the workflow decides how to continue. A wait without a\n' +
      'form, approvers or message treats any signal as approval: end the run with svc cancel instead.',
    args: [RUN, NAME],
    flags: { reason: { type: 'string', value: '<text>', summary: 'the reason; recorded on the run' } },
    examples: [["svc reject run_01J… --reason 'not on a Friday'", "the run's only question"]],
    load: () => import('./reject.ts'),
  },
  {
    name: 'approve-link',
    group: 'Run',
    summary: 'create a link that lets a person without an account answer once',
    description:
      'You can create a link if you are allowed to answer yourself. The answer is recorded with the name in --for and your own. Opening\n' +
      'the link only shows the question; a button submits the answer. It works until the wait ends or the link expires.\n' +
      'Anyone who has the link can answer, so send it to one person.',
    args: [RUN, NAME],
    flags: {
      for: {
        type: 'string',
        value: '<who>',
        summary: 'the recipient, such as an email address; recorded with the answer',
      },
      expires: { type: 'string', value: '<duration>', summary: 'how long the link works (default 24h, at most 30d)' },
    },
    examples: [['svc approve-link run_01J… --for zoe@example.com --expires 2d', 'prints the link once']],
    load: () => import('./approve-link.ts'),
  },
];
