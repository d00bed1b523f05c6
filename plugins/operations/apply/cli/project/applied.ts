import { type Client, readAll } from '../../../../../cli/contract.ts';
import { isRejection } from './live.ts';
import { type Kind, KINDS, type LiveObject } from './kinds.ts';

/** What `svc apply` has applied: names by folder, with the time. */
export type AppliedNames = ReadonlyMap<string, ReadonlyMap<string, string>>;

interface Mark {
  kind: string;
  name: string;
  applied_at: string;
}

/** The server accepts this many in one request. */
const MAX_IN_REQUEST = 500;

export async function readApplied(api: Client): Promise<AppliedNames> {
  const applied = await readAll<Mark>(api, api.scoped('/applied'), 'applied');
  const by_kind = Map.groupBy(applied, ({ kind }) => kind);
  return new Map([...by_kind].map(([kind, all]) => [kind, new Map(all.map((one) => [one.name, one.applied_at]))]));
}

/** Tells whether an object is one that was applied, and not a later one that a person made with the same name. */
export function isApplied(applied: AppliedNames, kind: Kind, { name, view }: LiveObject): boolean {
  const applied_at = applied.get(kind.folder)?.get(name);
  if (applied_at === undefined) return false;
  return typeof view.created_at !== 'string' || view.created_at <= applied_at;
}

/** Records what was applied and what is gone. Returns the rejections, after which the objects are as they are. */
export async function changeApplied(
  api: Client,
  kind: Kind,
  change: { add: readonly string[]; remove: readonly string[] },
): Promise<string[]> {
  const path = api.scoped(`/applied/${kind.folder}`);
  const rejections: string[] = [];
  const length = Math.max(change.add.length, change.remove.length);
  for (let from = 0; from < length; from += MAX_IN_REQUEST) {
    const namesFrom = (names: readonly string[]) => names.slice(from, from + MAX_IN_REQUEST);
    try {
      await api.json({ method: 'POST', path, body: { add: namesFrom(change.add), remove: namesFrom(change.remove) } });
    } catch (error) {
      if (!isRejection(error)) throw error;
      rejections.push(`${kind.folder} are not marked as applied, so --prune keeps them: ${error.message}`);
    }
  }
  return rejections;
}

/** The kinds that are marked: those that svc apply creates. */
export const MARKED: readonly Kind[] = KINDS.filter((kind) => kind.set_by_people === undefined);
