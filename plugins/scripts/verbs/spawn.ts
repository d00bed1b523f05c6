import { basename, dirname } from 'node:path';
import { isServiceError } from '../../../kernel/contracts/index.ts';
import { verbUsage } from '../../replay/contract.ts';
import type { IncludedFile } from '../../runs/contract.ts';
import { spawnHelp } from '../cli/verbs.ts';
import {
  answer,
  defineVerb,
  exactly,
  pathIn,
  readArguments,
  readGivenFile,
  type VerbCall,
  wholeMachine,
} from '../contract.ts';
import { openWithin, OutsideFault, ownRoot, RootFault, rootOf, type WorkflowRoot } from '../contract/workflow-root.ts';
import type { ScriptFile } from '../bundle/bundle-script.ts';

const DOCUMENT_BYTES = 1024 * 1024;
const KINDS: Readonly<Record<string, string>> = { pipeline: 'pipeline', yaml: 'pipeline', script: 'script' };

/** `svc spawn <file> [--as pipeline|script] [--tag <t>]... [--include <path>]... [--root <folder>]`: a run of its own; prints its id and waits for nothing. */
export const spawnVerb = defineVerb(spawnHelp, async (call) => {
  const given = readArguments(call.argv, ['as', 'root'], ['tag', 'include']);
  const [file] = exactly(given, ['file']);
  const { as } = given.options;
  const kind = as === undefined ? undefined : KINDS[as];
  if (as !== undefined && kind === undefined) throw verbUsage(`--as takes pipeline or script, not ${as.slice(0, 60)}`);
  const wishes = { kind, tags: (given.lists.tag ?? []).map((tag) => call.pass.mask(tag)) };
  const includes = given.lists.include ?? [];
  // What is piped in must be taken, replay or not; a file is read only when the run is really made.
  const piped = file === '-' ? textOf(await call.stdin(DOCUMENT_BYTES), 'standard input') : undefined;
  const args = async () => {
    const root = await rootOfSpawned(call, file!, given.options.root);
    const files = await broughtFiles(call, { file: file!, includes, root });
    if (piped !== undefined) return { ...wishes, source: piped, files };
    const room = call.room ?? { ...wholeMachine, open: (path: string) => openWithin(root, path, file!) };
    const text = textOf(await readGivenFile({ cwd: call.cwd, room }, file!, DOCUMENT_BYTES), file!);
    const source = await bundled(call, { path: pathIn(call.cwd, file!), source: text, root });
    return { ...wishes, filename: call.pass.mask(basename(file!)), source, files };
  };
  return answer(await call.pass.perform({ kind: 'spawn', name: '' }, args));
});

/**
 * Where the files of the new run may lie. For a run in a room no link is followed and nothing imported, and the agent does not
 * look at other folders: what it says of them would tell what lies on the machine.
 */
async function rootOfSpawned(
  { cwd, room }: Pick<VerbCall, 'cwd' | 'room'>,
  file: string,
  chosen?: string,
): Promise<WorkflowRoot> {
  const script = pathIn(cwd, file === '-' ? './-' : file);
  if (room) return ownRoot(dirname(script));
  try {
    return await rootOf(script, chosen === undefined ? undefined : pathIn(cwd, chosen));
  } catch (error) {
    if (!(error instanceof OutsideFault || error instanceof RootFault)) throw error;
    throw verbUsage(`${error.message}\n${error.next}`);
  }
}

/** What the new run includes, uploaded. Undefined when it includes nothing. */
async function broughtFiles(
  call: Pick<VerbCall, 'cwd' | 'room' | 'contents'>,
  { file, includes, root }: { file: string; includes: readonly string[]; root: WorkflowRoot },
): Promise<IncludedFile[] | undefined> {
  if (includes.length === 0) return undefined;
  const { contents: carrier, cwd, room } = call;
  if (!carrier) throw verbUsage('this agent has no plugin that keeps files beside scripts');
  const { readIncluded } = await import('../include/read.ts');
  try {
    const script = file === '-' ? './-' : file;
    const { files, contents } = await readIncluded({ script, includes, cwd, room, root });
    for (const [digest, data] of contents) await carrier.bring({ digest, size: data.length }, data);
    return files;
  } catch (error) {
    if (!isServiceError(error) || !error.code.startsWith('include_')) throw error;
    throw verbUsage(`${error.message} (${error.code})\n${error.next}`);
  }
}

/** An isolated run sees other files than the agent, which would follow its imports. */
async function bundled({ room }: Pick<VerbCall, 'room'>, script: ScriptFile): Promise<string> {
  if (room !== undefined) return script.source;
  const { bundleScript, BundleFault } = await import('../bundle/bundle-script.ts');
  try {
    return await bundleScript(script);
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
