import { SUBMITS } from './runs.ts';
import { ANY_JSON, objectSchema, pathOf, text, type Tool } from './tool.ts';

const RUN_ID = text('ID of the run, such as run_01J…');
const SIGNAL = text('Name of the signal that the run is waiting for.', { maxLength: 255 });
const READS = { method: 'GET', path: '/runs' } as const;

export const questionTools: readonly Tool[] = [
  {
    name: 'list_attention',
    title: 'List what needs attention',
    description:
      'Lists what needs attention in the project: runs that wait for an approval, failures, broken accounts.',
    input: objectSchema({}),
    requires: READS,
    run: (_input, api) => api.call({ method: 'GET', path: '/summary', query: { window: '24h' } }),
  },
  {
    name: 'list_questions',
    title: 'Show what a run asks',
    description: 'Shows the questions that a run asks people: message, form and who may answer.',
    input: objectSchema({ run_id: RUN_ID }, ['run_id']),
    requires: READS,
    run: ({ run_id }, api) => api.call({ method: 'GET', path: pathOf`/runs/${run_id}/questions` }),
  },
  {
    name: 'approve',
    title: 'Approve a question',
    description:
      "Approves a run's question on behalf of your token's owner. Do this only if a person has asked you " +
      'to. If the question has a form, data must match it.',
    input: objectSchema(
      { run_id: RUN_ID, name: SIGNAL, data: { type: ANY_JSON, description: 'The answer, as the form describes it.' } },
      ['run_id', 'name'],
    ),
    changes: true,
    requires: SUBMITS,
    run: ({ run_id, name, data = { approved: true } }, api) =>
      api.call({ method: 'POST', path: pathOf`/runs/${run_id}/signals/${name}`, body: data }),
  },
  {
    name: 'reject',
    title: 'Reject a question',
    description: "Rejects a run's question on behalf of your token's owner. Do this only if a person has asked you to.",
    input: objectSchema(
      { run_id: RUN_ID, name: SIGNAL, reason: text('Why; recorded on the run.', { maxLength: 500 }) },
      ['run_id', 'name'],
    ),
    changes: true,
    requires: SUBMITS,
    run: ({ run_id, name, ...body }, api) =>
      api.call({ method: 'POST', path: pathOf`/runs/${run_id}/signals/${name}/reject`, body }),
  },
];

export const eventTools: readonly Tool[] = [
  {
    name: 'emit_event',
    title: 'Emit an event',
    description:
      'Records an event. Handlers and graphs that listen for its type start runs, and waiting runs continue.',
    input: objectSchema(
      {
        type: text('Type of the event, such as order.paid.', { maxLength: 64 }),
        key: text('Subject of the event. Runs with another subject do not see it.', { maxLength: 255 }),
        payload: { type: ANY_JSON, description: 'Any JSON.' },
      },
      ['type'],
    ),
    changes: true,
    requires: SUBMITS,
    run: (body, api) => api.call({ method: 'POST', path: '/events', body }),
  },
  {
    name: 'list_events',
    title: 'List events',
    description: 'Lists recorded events, newest first.',
    input: objectSchema({
      type: text('Type of the events.', { maxLength: 64 }),
      since: text('Only events recorded since this time (ISO 8601), or within this duration, such as 2h.'),
      limit: { type: 'integer', minimum: 1, maximum: 50, default: 20 },
      cursor: text('next_cursor of the previous page.'),
    }),
    requires: READS,
    run: (input, api) =>
      api.call({ method: 'GET', path: '/events', query: { limit: 20, ...input } as Record<string, string | number> }),
  },
  {
    name: 'get_event',
    title: 'Show an event',
    description: 'Shows an event with its payload, and what each handler and waiting run did with it.',
    input: objectSchema({ event: text('ID of the event, such as evt_01J….') }, ['event']),
    requires: READS,
    run: ({ event }, api) => api.call({ method: 'GET', path: pathOf`/events/${event}` }),
  },
];
