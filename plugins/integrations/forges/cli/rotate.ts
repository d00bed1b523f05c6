import { formatItem, type Run, usageError } from '../../../../cli/contract.ts';
import { COLUMNS, type Webhook } from './view.ts';

export const run: Run = async ({ args, flags, output, client }) => {
  const { overlap, endOverlap } = flags;
  if (endOverlap && overlap !== undefined)
    throw usageError(
      '--end-overlap cannot be combined with other flags',
      'it does not create a new secret; rotate again to get one',
    );
  const api = await client();
  const webhook = await api.json<Webhook>({
    method: 'POST',
    path: api.scoped(`/webhooks/${encodeURIComponent(args[0]!)}/rotate`),
    body: { overlap, end_overlap: endOverlap || undefined },
  });
  output.data(webhook, () => formatItem(COLUMNS, webhook, output));
  const { old_secret_until: until, registration } = webhook;
  const old = until === undefined ? 'is no longer valid' : `is valid until ${until}`;
  const instruction =
    registration === 'registered' ? 'The forge already has the new one' : 'Enter the new one at the forge now';
  output.note(
    endOverlap
      ? `Ended the old secret of webhook ${args[0]}`
      : `Replaced the secret of webhook ${args[0]}; the old one ${old}. ${instruction}`,
  );
  return undefined;
};
