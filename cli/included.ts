import type { Client } from './client/client.ts';
import { CliError, Exit, usageError } from './errors.ts';
import type { RunDocument } from './generated/api.ts';
import type { WorkflowRoot } from './root.ts';

type IncludedFile = NonNullable<RunDocument['files']>[number];

/** Contents by digest. */
export type Contents = Map<string, Buffer>;

/** Where the files of a workflow may come from, and the contents that were taken so far. */
export interface TakenAlong {
  root: WorkflowRoot;
  contents: Contents;
}

/** Of request bodies, those that the server may not have yet. */
const CONTENTS = new WeakMap<object, Contents>();
const AT_ONCE = 8;

/**
 * The files that a script includes; their contents are added to `contents`. Nothing when it includes nothing. Throws what a
 * person can do about it, with exit code 2.
 */
export async function includedBy(
  script: string,
  includes: readonly string[],
  { contents, root }: TakenAlong,
): Promise<IncludedFile[] | undefined> {
  if (includes.length === 0) return undefined;
  const { readIncluded } = await import('../plugins/scripts/include/read.ts');
  try {
    const found = await readIncluded({ script: script === '-' ? './-' : script, includes, cwd: process.cwd(), root });
    for (const [digest, data] of found.contents) contents.set(digest, data);
    return found.files;
  } catch (error) {
    const { code, message, next } = error as { code?: unknown; message: string; next?: unknown };
    if (typeof code !== 'string' || typeof next !== 'string' || !code.startsWith('include_')) throw error;
    throw new CliError(Exit.usage, code, message, next);
  }
}

/** Those of a body that `readWorkflow` made. */
export const contentsOf = (workflow: object): Contents => CONTENTS.get(workflow) ?? new Map<string, Buffer>();

/** The body of a request that names these contents. */
export function withContents<B extends object>(body: B, contents: Contents): B {
  if (contents.size > 0) CONTENTS.set(body, contents);
  return body;
}

export const refuseInclude = (what: string) =>
  usageError(
    `--include needs a script, and this is ${what}`,
    'in a pipeline write `include: [lib/]` beside `workflow`',
  );

/** Uploads what a workflow includes and the server does not have. Before the request with the workflow. */
export async function sendIncluded(api: Pick<Client, 'json' | 'scoped'>, workflow: object | undefined): Promise<void> {
  const contents = workflow ? contentsOf(workflow) : new Map<string, Buffer>();
  if (contents.size === 0) return;
  const digests = [...contents.keys()];
  const left: string[] = [];
  // As many as the server answers at once.
  for (let from = 0; from < digests.length; from += 1000) {
    const asked = { digests: digests.slice(from, from + 1000) };
    const { missing } = await api.json<{ missing: string[] }>({
      method: 'POST',
      path: api.scoped('/files/missing'),
      body: asked,
    });
    left.push(...missing);
  }
  const one = async () => {
    for (let digest = left.pop(); digest; digest = left.pop()) await upload(api, digest, contents.get(digest)!);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

async function upload(api: Pick<Client, 'json' | 'scoped'>, digest: string, data: Buffer): Promise<void> {
  await api.json({
    method: 'PUT',
    path: api.scoped(`/files/${digest}`),
    headers: { 'content-type': 'application/octet-stream', 'content-length': String(data.length) },
    content: (async function* () {
      yield data;
    })(),
  });
}
