import type { Client } from './client/client.ts';
import { CliError } from './errors.ts';
import { nearest } from './find.ts';
import { readAllPages } from './pages.ts';

/** What a suggestion may cost: nobody waits long for it. */
const BOUNDS = { max_pages: 5, idle_ms: 3_000 };

/** The types that the project knows, as its catalog lists them: recorded, declared, and those of the service. */
const readTypes = async (api: Client): Promise<string[] | undefined> =>
  (await readComplete<{ type: string }>(api, '/event-types', 'types'))?.map(({ type }) => type);

/** The types that handlers name; a pattern with `*` is not a type. */
const readHandledTypes = async (api: Client): Promise<string[] | undefined> =>
  (await readComplete<{ on: readonly string[] }>(api, '/handlers', 'handlers'))
    ?.flatMap(({ on }) => on)
    .filter((pattern) => !pattern.includes('*'));

/** Suggests another type for an event that nothing reacted to; undefined if something did or no type is similar. */
export async function suggestListenedType(api: Client, event_id: string, type: string): Promise<string | undefined> {
  return await withoutFailing(async () => {
    const { deliveries } = await api.json<{ deliveries: readonly unknown[] }>({
      path: api.scoped(`/events/${encodeURIComponent(event_id)}`),
      idle_ms: BOUNDS.idle_ms,
    });
    if (deliveries.length > 0) return undefined;
    const [handled, recorded] = await Promise.all([readHandledTypes(api), readTypes(api)]);
    return similarType(type, handled ?? []) ?? similarType(type, recorded ?? []);
  });
}

/** Pairs each type that the project does not know with one that it knows and that is similar. */
export async function suggestEmittedTypes(
  api: Client,
  patterns: readonly string[],
): Promise<[type: string, suggestion: string][]> {
  const types = patterns.filter((pattern) => !pattern.includes('*'));
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
async function readComplete<T>(api: Client, path: string, member: string): Promise<T[] | undefined> {
  const { next_cursor, [member]: items } = await readAllPages(api, api.scoped(path), member, {}, BOUNDS);
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
  const others = types.filter((other) => other.length >= MIN_LENGTH && withoutNumbers(other) !== withoutNumbers(type));
  return nearest(type, others)[0];
}
