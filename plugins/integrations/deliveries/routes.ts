import {
  type Database,
  iso,
  listRoute,
  MEMBER,
  readPage,
  type Route,
  SCOPED,
  VIEWER,
} from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import { KEY_HEADER, keyDigest } from '../../events/bus/contract.ts';
import { paramOf, displayName } from '../../platform/resources/contract.ts';
import type { DeliveryResource } from './contract.ts';
import type { DeliveryView } from './generated/delivery.ts';
import item from './schema/delivery.schema.json' with { type: 'json' };
import redelivered from './schema/redelivered.schema.json' with { type: 'json' };
import type { Redelivery } from './service/redelivery.ts';
import { type DeliveryRow, listDeliveries } from './store/deliveries.ts';

export interface DeliveryRoutesDeps {
  database: Pick<Database, 'read'>;
  redelivery: Redelivery;
}

const toPascalCase = (noun: string) => noun.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

export function deliveryRoutes(resource: DeliveryResource, { database, redelivery }: DeliveryRoutesDeps): Route[] {
  const { noun, plural, source } = resource;
  const param = paramOf(resource);
  const path = `${SCOPED}/${plural.replaceAll('_', '-')}/:${param}/deliveries`;
  const display_name = displayName(noun);
  return [
    listRoute({
      path,
      operation: `list${toPascalCase(noun)}Deliveries`,
      summary: `List the deliveries to ${/^[aeiou]/.test(display_name) ? 'an' : 'a'} ${display_name}, newest first`,
      description:
        'A page of deliveries, including rejected ones. If many deliveries are rejected, only some are listed.',
      access: VIEWER,
      plural: 'deliveries',
      item,
      async list({ scope, params, query }) {
        const name = params[param] ?? '';
        await resource.find({ scope, name });
        const { items, ...rest } = await listDeliveries(database, { ...scope, source, name }, readPage(query));
        return { items: items.map(toView), ...rest };
      },
    }),
    {
      method: 'POST',
      path: `${path}/:delivery/redeliver`,
      operation: `redeliver${toPascalCase(noun)}Delivery`,
      summary: 'Record a delivery again, as a new event',
      access: MEMBER,
      headers: KEY_HEADER,
      responses: {
        201: { description: 'Recorded, with everything that the event starts.', schema: redelivered },
        200: {
          description: 'The idempotency key was used before; the response is the first event.',
          schema: redelivered,
        },
      },
      async handle(request) {
        const { scope, params } = request;
        const call = { scope, name: params[param] ?? '', by: auditSource(request) };
        const json = await redelivery.redeliver(resource, call, params.delivery ?? '', keyDigest(request));
        return { status: json.duplicate ? 200 : 201, json };
      },
    },
  ];
}

const toView = (row: DeliveryRow): DeliveryView => ({
  delivery: row.delivery_id,
  at: iso(row.at),
  outcome: row.outcome,
  event: row.event_id ?? undefined,
  event_type: row.event_type ?? undefined,
  sent_id: row.sent_id ?? undefined,
  code: row.code ?? undefined,
  reason: row.reason ?? undefined,
  old_secret: row.old_secret === 1 || undefined,
  redelivery_of: row.redelivery_of ?? undefined,
  redelivered_by: row.redelivered_by ?? undefined,
});
