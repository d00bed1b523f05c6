import type { DeliveryPlace, EventTypePlace } from '../generated/connector-manifest.ts';

/** A place of a delivery in words: `the header X-Event`, `the body at /type or /event/type`. */
export function placeText(place: DeliveryPlace | EventTypePlace): string {
  if ('header' in place) return `the header ${place.header}`;
  const further = 'or' in place ? (place.or ?? []) : [];
  return `the body at ${[place.pointer, ...further].join(' or ')}`;
}
