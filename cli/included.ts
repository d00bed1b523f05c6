import type { Client } from './client/client.ts';
import { CliError, Exit, usageError } from './errors.ts';
import type { Output } from './output/output.ts';
import type { RunDocument } from './generated/api.ts';
import type { WorkflowRoot } from './root.ts';

export type IncludedFile = NonNullable<RunDocument['files']>[number];

/** Contents by digest. */
export type Contents = Map<string, Buffer>;

/** The folder that the files of a workflow may come from, and the contents collected so far. */
export interface IncludeContext {
  root: WorkflowRoot;
  contents: Contents;
  /** Where people read which files are left out. */
  output?: Pick<Output, 'note'> | undefined;
}

/** The included contents of each request body, which the server may not have yet. */
const CONTENTS = new WeakMap<object, Contents>();
const MAX_CONCURRENT = 8;

/**
 * Reads the files that a script includes and adds their contents to `contents`. Returns undefined when it includes nothing.
 * Throws a usage error that says what to do.
 */
export async function collectIncluded(
  script: string,
  includes: readonly string[],
  { contents, root, output }: IncludeContext,
): Promise<IncludedFile[] | undefined> {
  if (includes.length === 0) return undefined;
  const { readIncluded } = await import('../plugins/execution/scripts/include/read.ts');
  try {
    const included = await readIncluded({
      script: script === '-' ? './-' : script,
      includes,
      cwd: process.cwd(),
      root,
    });
    for (const [digest, data] of included.contents) contents.set(digest, data);
    if (included.note !== undefined) output?.note(`svc: ${included.note}`);
    return included.files;
  } catch (error) {
    const { code, message, next } = error as { code?: unknown; message: string; next?: unknown };
    if (typeof code !== 'string' || typeof next !== 'string' || !code.startsWith('include_')) throw error;
    throw new CliError(Exit.usage, code, message, next);
  }
}

/** The contents of a body that `readWorkflow` made. */
export const contentsOf = (workflow: object): Contents => CONTENTS.get(workflow) ?? new Map<string, Buffer>();

/** Attaches contents to the body of a request that names them. */
export function withContents<B extends object>(body: B, contents: Contents): B {
  if (contents.size > 0) CONTENTS.set(body, contents);
  return body;
}

export const includeRejected = (what: string) =>
  usageError(
    `--include needs a script, but this is ${what}`,
    'in a pipeline write `include: [lib/]` next to `workflow`',
  );

/** Uploads the included files that the server does not have yet. Call it before the request with the workflow. */
export async function sendIncluded(api: Pick<Client, 'json' | 'scoped'>, workflow: object | undefined): Promise<void> {
  const contents = workflow ? contentsOf(workflow) : new Map<string, Buffer>();
  if (contents.size === 0) return;
  const digests = [...contents.keys()];
  const missing_digests: string[] = [];
  // The server accepts this many digests in one request.
  for (let from = 0; from < digests.length; from += 1000) {
    const body = { digests: digests.slice(from, from + 1000) };
    const { missing } = await api.json<{ missing: string[] }>({
      method: 'POST',
      path: api.scoped('/files/missing'),
      body: body,
    });
    missing_digests.push(...missing);
  }
  const uploadNext = async () => {
    for (let digest = missing_digests.pop(); digest; digest = missing_digests.pop())
      await upload(api, digest, contents.get(digest)!);
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, uploadNext));
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
