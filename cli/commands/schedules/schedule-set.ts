import { type FlagValues, type Invocation, type Run, usageError } from '../../command.ts';
import { readPairs } from '../../input.ts';
import { submission } from '../runs/document.ts';
import type { ScheduleView } from './view.ts';

/** Flags that say something of a workflow, and nothing without one. */
const OF_WORKFLOWS = ['as', 'interpreter', 'input', 'env', 'tag', 'requires', 'credential'] as const;

export const run: Run = async (invocation) => {
  const { args, flags, output, client } = invocation;
  const [name = '', cron = '', file] = args;
  const workflow = file === undefined ? withoutFile(flags) : await workflowOf(file, invocation);
  const body = {
    cron,
    ...(flags.timezone === undefined ? {} : { timezone: flags.timezone }),
    ...(flags.subject === undefined ? {} : { subject: flags.subject }),
    ...(flags.paused ? { paused: true } : {}),
    ...(workflow === undefined ? {} : { workflow }),
  };
  const api = await client();
  const path = api.scoped(`/schedules/${encodeURIComponent(name)}`);
  const { status, body: answer } = await api.answer({ method: 'PUT', path, body });
  const view = answer as ScheduleView;
  output.data(view, () => '');
  const when = view.paused ? 'it is paused' : `next due ${view.next_due}`;
  output.note(`schedule ${name} is ${status === 201 ? 'made' : 'replaced'}; ${when}`);
  return undefined;
};

function withoutFile(flags: FlagValues): undefined {
  const given = OF_WORKFLOWS.find((name) => {
    const value = flags[name];
    return Array.isArray(value) ? value.length > 0 : value !== undefined;
  });
  if (given !== undefined)
    throw usageError(`--${given} is of a workflow, and there is no file`, 'name the file after the cron expression');
  return undefined;
}

async function workflowOf(file: string, invocation: Invocation): Promise<Record<string, unknown>> {
  const list = (name: string) => invocation.flags[name] as readonly string[];
  return {
    ...(await submission(file, invocation.flags, invocation)),
    ...(list('tag').length > 0 ? { tags: list('tag') } : {}),
    ...(list('requires').length > 0 ? { requires: list('requires') } : {}),
    ...(list('credential').length > 0 ? { credentials: readPairs(list('credential'), 'credential') } : {}),
  };
}
