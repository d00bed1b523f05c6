import { type Client, CliError, Exit } from '../../../../../cli/contract.ts';
import { type Kind, type LiveObject, pathOf } from './kinds.ts';
import type { Members } from './workflow-files.ts';

const MAX_CONCURRENT = 8;

/** Runs work for each item, at most 8 at a time. The results are in the order of the items. */
export async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index]!);
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT, items.length) }, worker));
  return results;
}

/** Reads all objects of a kind. An object that was removed meanwhile is left out. */
export async function readLive(api: Client, kind: Kind): Promise<Map<string, LiveObject>> {
  const entries = await kind.list(api);
  const objects = await inParallel(entries, async (entry): Promise<LiveObject | undefined> => {
    const name = kind.nameOf(entry);
    const view = kind.complete_list ? entry : await readOne(api, kind, name);
    return view && { name, view: { ...entry, ...view }, body: await kind.toBody(view, api) };
  });
  return new Map(objects.flatMap((one) => (one ? [[one.name, one] as const] : [])));
}

async function readOne(api: Client, kind: Kind, name: string): Promise<Members | undefined> {
  try {
    return await api.json<Members>({ path: api.scoped(pathOf(kind, name)) });
  } catch (error) {
    if (error instanceof CliError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** True for the refusal of one request, after which others can succeed: not for a server that is gone or a token that ended. */
export const isRejection = (error: unknown): error is CliError =>
  error instanceof CliError && error.exit === Exit.failed;
