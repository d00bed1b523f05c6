import { MEMBER, type Route, SCOPED } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import { KEY_HEADER, keyDigest } from '../bus/contract.ts';
import type { ReplayEventBody } from './generated/replay-event.ts';
import replay from './schema/replay-event.schema.json' with { type: 'json' };
import replayed from './schema/replayed-event.schema.json' with { type: 'json' };
import { type ReplayDeps, replayEvent } from './service/replay.ts';

export const replayRoute = (deps: ReplayDeps): Route => ({
  method: 'POST',
  path: `${SCOPED}/events/:event/replay`,
  operation: 'replayEvent',
  summary: 'Deliver a recorded event again to one handler',
  access: MEMBER,
  body: replay,
  headers: KEY_HEADER,
  responses: {
    201: { description: 'A run of the handler has started.', schema: replayed },
    200: {
      description:
        'The delivery is recorded, but no run has started; `reason` explains why. Or the key was used before, and the response is\n' +
        'the first replay.',
      schema: replayed,
    },
  },
  async handle(request) {
    const { scope, params, body } = request;
    const call = { scope, name: params.event ?? '', by: auditSource(request) };
    const json = await replayEvent(deps, call, body as ReplayEventBody, keyDigest(request));
    return { status: json.run_id !== undefined && !json.duplicate ? 201 : 200, json };
  },
});
