import { basename } from 'node:path';
import { isServiceError } from '../../../kernel/contracts/index.ts';
import { verbUsage } from '../../replay/contract.ts';
import type { IncludedFile } from '../../runs/contract.ts';
import { spawnHelp } from '../cli/verbs.ts';
import { answer, defineVerb, exactly, pathIn, readArguments, readGivenFile, type VerbCall } from '../contract.ts';

const DOCUMENT_BYTES = 1024 * 1024;
const KINDS: Readonly<Record<string, string>> = { pipeline: 'pipeline', yaml: 'pipeline', script: 'script' };

/** `svc spawn <file> [--as pipeline|script] [--tag <t>]... [--include <path>]...`: a run of its own; prints its id and waits for nothing. */
export const spawnVerb = defineVerb(spawnHelp, async (call) => {
  const given = readArguments(call.argv, ['as'], ['tag', 'include']);
  const [file] = exactly(given, ['file']);
  const { as } = given.options;
  const kind = as === undefined ? undefined : KINDS[as];
  if (as !== undefined && kind === undefined) throw verbUsage(`--as takes pipeline or script, not ${as.slice(0, 60)}`);
  const wishes = { kind, tags: (given.lists.tag ?? []).map((tag) => call.pass.mask(tag)) };
  const includes = given.lists.include ?? [];
  // What is piped in must be taken, replay or not; a file is read only when the run is really made.
  const piped = file === '-' ? textOf(await call.stdin(DOCUMENT_BYTES), 'standard input') : undefined;
  const args = async () => {
    const files = await broughtFiles(call, file!, includes);
    if (piped !== undefined) return { ...wishes, source: piped, files };
    const source = await bundled(call, file!, textOf(await readGivenFile(call, file!, DOCUMENT_BYTES), file!));
    return { ...wishes, filename: call.pass.mask(basename(file!)), source, files };
  };
  return answer(await call.pass.perform({ kind: 'spawn', name: '' }, args));
});

/** What the new run includes, uploaded. Undefined when it includes nothing. */
async function broughtFiles(
  call: Pick<VerbCall, 'cwd' | 'room' | 'contents'>,
  file: string,
  includes: readonly string[],
): Promise<IncludedFile[] | undefined> {
  if (includes.length === 0) return undefined;
  const { contents: carrier, cwd, room } = call;
  if (!carrier) throw verbUsage('this agent has no plugin that keeps files beside scripts');
  const { readIncluded } = await import('../include/read.ts');
  try {
    const { files, contents } = await readIncluded({ script: file === '-' ? './-' : file, includes, cwd, room });
    for (const [digest, data] of contents) await carrier.bring({ digest, size: data.length }, data);
    return files;
  } catch (error) {
    if (!isServiceError(error) || !error.code.startsWith('include_')) throw error;
    throw verbUsage(`${error.message} (${error.code})\n${error.next}`);
  }
}

/** An isolated run sees other files than the agent, which would follow its imports. */
async function bundled(call: Pick<VerbCall, 'cwd' | 'room'>, file: string, source: string): Promise<string> {
  if (call.room !== undefined) return source;
  const { bundleScript, BundleFault } = await import('../bundle/bundle-script.ts');
  try {
    return await bundleScript({ path: pathIn(call.cwd, file), source });
  } catch (error) {
    if (!(error instanceof BundleFault)) throw error;
    throw verbUsage(`${error.message}\n${error.next}`);
  }
}

function textOf(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw verbUsage(`${name} is not UTF-8 text; a workflow is a text file`);
  }
}
