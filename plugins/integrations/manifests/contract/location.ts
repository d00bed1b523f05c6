import type { DeliveryPlace, EventTypePlace } from '../generated/connector-manifest.ts';

/** A place of a delivery in words: `the X-Event header`, `the body at /type or /event/type`. */
export function describeLocation(location: DeliveryPlace | EventTypePlace): string {
  if ('header' in location) return `the ${location.header} header`;
  const further = 'or' in location ? (location.or ?? []) : [];
  return `the body at ${[location.pointer, ...further].join(' or ')}`;
}
