import type { DeliveryPlace, EventTypePlace } from '../generated/connector-manifest.ts';

/** A place of a delivery in words: `the header X-Event`, `the body at /type or /event/type`. */
export function describeLocation(location: DeliveryPlace | EventTypePlace): string {
  if ('header' in location) return `the header ${location.header}`;
  const further = 'or' in location ? (location.or ?? []) : [];
  return `the body at ${[location.pointer, ...further].join(' or ')}`;
}
