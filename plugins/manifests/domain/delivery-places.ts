import { readJson } from '../../schema/contract.ts';
import type { SignedDelivery } from '../contract.ts';
import type { DeliveryPlace, EventTypePlace } from '../generated/connector-manifest.ts';

export function headerOf(delivery: SignedDelivery, name: string): string | undefined {
  const value = delivery.headers[name.toLowerCase()];
  return value === '' ? undefined : value;
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** The value at a JSON pointer, if it is a text or a whole number. */
function atPointer(body: unknown, pointer: string): string | undefined {
  const names = pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const found = names.reduce(member, body);
  if (typeof found === 'string') return found === '' ? undefined : found;
  return Number.isSafeInteger(found) ? String(found) : undefined;
}

type Place = DeliveryPlace | EventTypePlace;

/** The values found at the places. The body is parsed at most once, and only when a place lies in it. */
export function placesOf(places: readonly (Place | undefined)[], delivery: SignedDelivery): (string | undefined)[] {
  let body: { value: unknown } | undefined;
  return places.map((place) => {
    if (place === undefined) return undefined;
    if ('header' in place) return headerOf(delivery, place.header);
    if (body === undefined) {
      const read = readJson(delivery.raw);
      body = 'not' in read ? { value: undefined } : read;
    }
    const { value } = body;
    const further = 'or' in place ? (place.or ?? []) : [];
    return [place.pointer, ...further].map((one) => atPointer(value, one)).find((found) => found !== undefined);
  });
}

/** What events call a type of the sender, by the rule of its manifest. */
export function typeOf(place: EventTypePlace | undefined, sent: string | undefined): string | undefined {
  if (place === undefined || sent === undefined) return place?.default;
  const { map = {}, other, case: letters } = place;
  if (Object.hasOwn(map, sent)) return map[sent];
  const kept = letters === 'lower' ? sent.toLowerCase() : sent;
  return other === undefined ? kept : kept.replace(/[^A-Za-z0-9._-]+/g, other);
}
