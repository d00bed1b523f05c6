import type { Output, Run } from '../../../../cli/contract.ts';
import { formatNext, type TriggerView } from './view.ts';

/** Polls, pauses or resumes a trigger, and prints when it polls next. */
export const act =
  (path: 'poll' | 'pause' | 'resume', toNote: (trigger: TriggerView, output: Output) => string): Run =>
  async ({ args, output, client }) => {
    const api = await client();
    const call = { method: 'POST', path: api.scoped(`/triggers/${encodeURIComponent(args[0]!)}/${path}`) } as const;
    const trigger = await api.json<TriggerView>({ ...call, expects: ['name'] });
    output.data(trigger, () => formatNext(trigger, output));
    output.note(toNote(trigger, output));
    return undefined;
  };
