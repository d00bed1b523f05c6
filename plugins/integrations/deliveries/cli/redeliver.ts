import type { Api, Run } from '../../../../cli/contract.ts';

export const redeliver =
  (resource: string): Run =>
  async ({ args, flags, output, client }) => {
    const api = await client();
    const [name, delivery] = args.map(encodeURIComponent);
    const redelivered = await api.json<Api.Redelivered>({
      method: 'POST',
      path: api.scoped(`${resource}/${name}/deliveries/${delivery}/redeliver`),
      headers: flags.idempotencyKey === undefined ? {} : { 'idempotency-key': String(flags.idempotencyKey) },
    });
    output.data(redelivered, () => redelivered.event);
    if (redelivered.duplicate) output.note('the idempotency key was used before; this is the event from its first use');
    return undefined;
  };
