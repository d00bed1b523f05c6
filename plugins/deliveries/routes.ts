import {
  type Database,
  iso,
  listRoute,
  MEMBER,
  readPage,
  type Route,
  SCOPED,
  VIEWER,
} from '../../kernel/contracts/index.ts';
import { auditSource } from '../audit/contract.ts';
import { KEY_HEADER, keyDigest } from '../bus/contract.ts';
import { paramOf, spoken } from '../resources/contract.ts';
import type { DeliveryResource } from './contract.ts';
import type { DeliveryView } from './generated/delivery.ts';
import item from './schema/delivery.schema.json' with { type: 'json' };
import redelivered from './schema/redelivered.schema.json' with { type: 'json' };
import type { Redelivery } from './service/redelivery.ts';
import { type DeliveryRow, listDeliveries } from './store/deliveries.ts';

export interface RouteParts {
  database: Pick<Database, 'read'>;
  redelivery: Redelivery;
}

const pascal = (noun: string) => noun.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

export function deliveryRoutes(resource: DeliveryResource, { database, redelivery }: RouteParts): Route[] {
  const { noun, plural, source } = resource;
  const param = paramOf(resource);
  const path = `${SCOPED}/${plural.replaceAll('_', '-')}/:${param}/deliveries`;
  const called = spoken(noun);
  return [
    listRoute({
      path,
      operation: `list${pascal(noun)}Deliveries`,
      summary: `List what was delivered to ${/^[aeiou]/.test(called) ? 'an' : 'a'} ${called}, newest first`,
      description: 'A page of deliveries, refused ones too. Of many that were refused, some are kept.',
      access: VIEWER,
      plural: 'deliveries',
      item,
      async list({ scope, params, query }) {
        const name = params[param] ?? '';
        await resource.find({ scope, name });
        const { items, ...rest } = await listDeliveries(database, { ...scope, source, name }, readPage(query));
        return { items: items.map(viewOf), ...rest };
      },
    }),
    {
      method: 'POST',
      path: `${path}/:delivery/redeliver`,
      operation: `redeliver${pascal(noun)}Delivery`,
      summary: 'Record what a delivery brought again, as a new event',
      access: MEMBER,
      headers: KEY_HEADER,
      responses: {
        201: { description: 'Recorded, with everything that the event starts.', schema: redelivered },
        200: { description: 'The idempotency key was used before: the first event.', schema: redelivered },
      },
      async handle(request) {
        const { scope, params } = request;
        const call = { scope, name: params[param] ?? '', by: auditSource(request) };
        const json = await redelivery.again(resource, call, params.delivery ?? '', keyDigest(request));
        return { status: json.duplicate ? 200 : 201, json };
      },
    },
  ];
}

const viewOf = (row: DeliveryRow): DeliveryView => ({
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
