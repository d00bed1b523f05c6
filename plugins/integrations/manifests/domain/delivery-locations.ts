import { readJson } from '../../../platform/schema/contract.ts';
import type { SignedDelivery } from '../contract.ts';
import type { DeliveryPlace, EventTypePlace } from '../generated/connector-manifest.ts';

export function readHeader(delivery: SignedDelivery, name: string): string | undefined {
  const value = delivery.headers[name.toLowerCase()];
  return value === '' ? undefined : value;
}

const readMember = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** Returns the text or integer at a JSON pointer. */
function atPointer(body: unknown, pointer: string): string | undefined {
  const names = pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  const value_found = names.reduce(readMember, body);
  if (typeof value_found === 'string') return value_found === '' ? undefined : value_found;
  return Number.isSafeInteger(value_found) ? String(value_found) : undefined;
}

type DeliveryLocation = DeliveryPlace | EventTypePlace;

/** Reads the values at the locations. The body is parsed at most once, and only when a location lies in it. */
export function readLocations(
  locations: readonly (DeliveryLocation | undefined)[],
  delivery: SignedDelivery,
): (string | undefined)[] {
  let body: { value: unknown } | undefined;
  return locations.map((location) => {
    if (location === undefined) return undefined;
    if ('header' in location) return readHeader(delivery, location.header);
    if (body === undefined) {
      const read = readJson(delivery.raw);
      body = 'not' in read ? { value: undefined } : read;
    }
    const { value } = body;
    const further = 'or' in location ? (location.or ?? []) : [];
    return [location.pointer, ...further].map((one) => atPointer(value, one)).find((found) => found !== undefined);
  });
}

/** Returns the event type for a type of the sender, by the rule of its manifest. */
export function eventType(location: EventTypePlace | undefined, sent: string | undefined): string | undefined {
  if (location === undefined || sent === undefined) return location?.default;
  const { map = {}, other, case: letters } = location;
  if (Object.hasOwn(map, sent)) return map[sent];
  const cased = letters === 'lower' ? sent.toLowerCase() : sent;
  return other === undefined ? cased : cased.replace(/[^A-Za-z0-9._-]+/g, other);
}
