import { allPages } from '../../client/pages.ts';
import type { Run } from '../../command.ts';
import { type EventHook, proofOf, typesOf } from './shown.ts';

export const run: Run = async ({ output, client }) => {
  const api = await client();
  const event_hooks = await allPages<EventHook>(api, api.scoped('/event-hooks'), 'event_hooks');
  output.data({ event_hooks }, () =>
    event_hooks.length > 0
      ? output.table(
          ['name', 'proof', 'event type', 'address'],
          event_hooks.map((hook) => [hook.name, proofOf(hook), typesOf(hook), hook.ingest_url]),
        )
      : '',
  );
  return undefined;
};
