import type { Route } from '../../../kernel/contracts/index.ts';
import { type NamedRequest, namedResource, type ResourceAction } from '../../platform/resources/contract.ts';
import { TRIGGER } from './domain/names.ts';
import put from './schema/put-trigger.schema.json' with { type: 'json' };
import item from './schema/trigger.schema.json' with { type: 'json' };
import type { Triggers } from './service/triggers.ts';

/** Bytes of a trigger with its values. */
const BODY_LIMIT = 64 * 1024;

export const triggerRoutes = (triggers: Triggers): Route[] =>
  namedResource({
    ...TRIGGER,
    roles: { read: 'viewer', write: 'member' },
    schemas: { put, item },
    service: triggers,
    body_limit: BODY_LIMIT,
    texts: { put: 'Create or replace a trigger', received_text: 'The trigger and its last poll.' },
    actions: [
      action('poll', 'Poll a trigger now', (call) => triggers.poll(call)),
      action('pause', 'Stop the polls of a trigger', (call) => triggers.pause(call)),
      action('resume', 'Resume a paused trigger', (call) => triggers.resume(call)),
    ],
  });

const action = (
  path: 'poll' | 'pause' | 'resume',
  summary: string,
  handle: (call: NamedRequest) => Promise<unknown>,
): ResourceAction => ({
  method: 'POST',
  path,
  operation: `${path}Trigger`,
  summary,
  role: 'write',
  answer: { description: 'Its current state.', schema: item },
  handle,
});
