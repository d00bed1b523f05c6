import { matchesPattern } from '../plugins/events/handlers/contract/event-pattern.ts';
import type { Client } from './client/client.ts';
import { CliError } from './errors.ts';
import { nearest } from './find.ts';
import { readAllPages } from './pages.ts';

/** What a suggestion may cost: nobody waits long for it. */
const BOUNDS = { max_pages: 5, idle_ms: 3_000 };

/** The types that the project knows, as its catalog lists them: recorded, declared, and those of the service. */
const readTypes = async (api: Client): Promise<string[] | undefined> =>
  (await readComplete<{ type: string }>(api, '/event-types', 'types'))?.map(({ type }) => type);

/** What handlers name: types, and patterns with `*`. */
const readHandledPatterns = async (api: Client): Promise<string[] | undefined> =>
  (await readComplete<{ on: readonly string[] }>(api, '/handlers', 'handlers'))?.flatMap(({ on }) => on);

const isType = (pattern: string): boolean => !pattern.includes('*');

/** The types that runs wait for. */
const readAwaitedTypes = async (api: Client): Promise<string[] | undefined> =>
  (await readComplete<Waiting>(api, '/runs', 'runs', { status: 'waiting' }))?.flatMap(({ substate }) =>
    substate?.kind === 'event' ? [substate.name] : [],
  );

interface Waiting {
  substate?: { kind: string; name: string };
}

/** Suggests another type for an event that nothing reacted to; undefined if something did or no type is similar. */
export async function suggestListenedType(api: Client, event_id: string, type: string): Promise<string | undefined> {
  return await withoutFailing(async () => {
    const { deliveries } = await api.json<{ deliveries: readonly unknown[] }>({
      path: api.scoped(`/events/${encodeURIComponent(event_id)}`),
      idle_ms: BOUNDS.idle_ms,
    });
    if (deliveries.length > 0) return undefined;
    const [handled, awaited, recorded] = await Promise.all([
      readHandledPatterns(api),
      readAwaitedTypes(api),
      readTypes(api),
    ]);
    const listened = [...(handled ?? []).filter(isType), ...(awaited ?? [])];
    return similarType(type, listened) ?? similarType(type, recorded ?? []);
  });
}

/** Suggests another type for events to come that no handler starts a run for; undefined if one does or no type is similar. */
export async function suggestHandledType(api: Client, type: string): Promise<string | undefined> {
  return await withoutFailing(async () => {
    const patterns = (await readHandledPatterns(api)) ?? [];
    const handled = patterns.some((pattern) => matchesPattern(pattern, type));
    return handled ? undefined : similarType(type, patterns.filter(isType));
  });
}

/** Pairs each type that the project does not know with one that it knows and that is similar. */
export async function suggestEmittedTypes(
  api: Client,
  patterns: readonly string[],
): Promise<[type: string, suggestion: string][]> {
  const types = patterns.filter(isType);
  const found = await withoutFailing(async () => {
    const types_in_use = types.length === 0 ? [] : await readTypes(api);
    // The type may be one of those that were not read.
    if (types_in_use === undefined) return [];
    return types
      .filter((type) => !types_in_use.includes(type))
      .flatMap((type): [string, string][] => {
        const suggestion = similarType(type, types_in_use);
        return suggestion === undefined ? [] : [[type, suggestion]];
      });
  });
  return found ?? [];
}

/** All items of a list; undefined for one that is too long to read for a suggestion. */
async function readComplete<T>(
  api: Client,
  path: string,
  member: string,
  query: Readonly<Record<string, string>> = {},
): Promise<T[] | undefined> {
  const { next_cursor, [member]: items } = await readAllPages(api, api.scoped(path), member, query, BOUNDS);
  return next_cursor === undefined ? (items as T[]) : undefined;
}

/** A suggestion is a courtesy: what was asked for is done already, so a failed request is no failure. */
async function withoutFailing<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

/** Types that differ in their numbers alone are different on purpose: `build.1` and `build.2`. */
const withoutNumbers = (type: string): string => type.replaceAll(/\d+/g, '0');

/** A short type is a different one after fewer edits than a long one. */
const MIN_LENGTH = 4;

function similarType(type: string, types: readonly string[]): string | undefined {
  if (type.length < MIN_LENGTH || types.length === 0) return undefined;
  const written = type.toLowerCase();
  const same = types.find((other) => other !== type && other.toLowerCase() === written);
  if (same !== undefined) return same;
  const others = types.filter(
    (other) => other.length >= MIN_LENGTH && withoutNumbers(other.toLowerCase()) !== withoutNumbers(written),
  );
  const [similar] = nearest(
    written,
    others.map((other) => other.toLowerCase()),
  );
  return others.find((other) => other.toLowerCase() === similar);
}
