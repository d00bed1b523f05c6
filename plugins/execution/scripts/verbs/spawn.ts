import { basename, dirname } from 'node:path';
import { isServiceError } from '../../../../kernel/contracts/index.ts';
import { verbUsage } from '../../replay/contract.ts';
import type { IncludedFile } from '../../../engine/runs/contract.ts';
import { spawnHelp } from '../cli/verbs.ts';
import {
  toOutcome,
  defineVerb,
  requirePositionals,
  pathIn,
  readArguments,
  readNamedFile,
  type VerbCall,
  unrestrictedDisk,
} from '../contract.ts';
import {
  openWithin,
  OutsideFault,
  defaultRoot,
  RootFault,
  resolveRoot,
  type WorkflowRoot,
} from '../contract/workflow-root.ts';
import type { ScriptFile } from '../bundle/bundle-script.ts';

const DOCUMENT_BYTES = 1024 * 1024;
const KINDS: Readonly<Record<string, string>> = { pipeline: 'pipeline', yaml: 'pipeline', script: 'script' };

/**
 * `svc spawn <file> [--as pipeline|script] [--tag <t>]... [--include <path>]... [--root <folder>]` starts a separate
 * run, prints its id and does not wait for it.
 */
export const spawnVerb = defineVerb(spawnHelp, async (call) => {
  const given = readArguments(call.argv, ['as', 'root'], ['tag', 'include']);
  const [file] = requirePositionals(given, ['file']);
  const { as } = given.options;
  const kind = as === undefined ? undefined : KINDS[as];
  if (as !== undefined && kind === undefined)
    throw verbUsage(`--as must be pipeline or script, not ${as.slice(0, 60)}`);
  const options = { kind, tags: (given.lists.tag ?? []).map((tag) => call.pass.mask(tag)) };
  const includes = given.lists.include ?? [];
  // Standard input must be read even on replay; a file is read only when the run is really started.
  const piped = file === '-' ? decodeText(await call.stdin(DOCUMENT_BYTES), 'standard input') : undefined;
  let note: string | undefined;
  const args = async () => {
    const root = await findSpawnRoot(call, file!, given.options.root);
    const included = await uploadIncludedFiles(call, { file: file!, includes, root });
    const files = included?.files;
    note = included?.note;
    if (piped !== undefined) return { ...options, source: piped, files };
    const disk_view = call.disk_view ?? { ...unrestrictedDisk, open: (path: string) => openWithin(root, path, file!) };
    const text = decodeText(await readNamedFile({ cwd: call.cwd, disk_view }, file!, DOCUMENT_BYTES), file!);
    const source = await bundleSource(call, { path: pathIn(call.cwd, file!), source: text, root });
    return { ...options, filename: call.pass.mask(basename(file!)), source, files };
  };
  const outcome = toOutcome(await call.pass.perform({ kind: 'spawn', name: '' }, args));
  return note === undefined ? outcome : { ...outcome, stderr: `svc: ${note}\n${outcome.stderr ?? ''}` };
});

/**
 * Returns the folder in which the files of the new run may lie. Where the agent's view of the disk is restricted, no
 * link is followed and nothing imported, and the agent does not look at other folders: its messages about them would
 * reveal what is on the machine.
 */
async function findSpawnRoot(
  { cwd, disk_view, agent_env = {} }: Pick<VerbCall, 'cwd' | 'disk_view' | 'agent_env'>,
  file: string,
  chosen?: string,
): Promise<WorkflowRoot> {
  const script = pathIn(cwd, file === '-' ? './-' : file);
  if (disk_view) return defaultRoot(dirname(script));
  try {
    return await resolveRoot(script, { chosen: chosen && pathIn(cwd, chosen), env: agent_env });
  } catch (error) {
    if (!(error instanceof OutsideFault || error instanceof RootFault)) throw error;
    throw verbUsage(`${error.message}\n${error.next}`);
  }
}

/** Uploads the included files of the new run, and says which are left out. Returns undefined when it includes none. */
async function uploadIncludedFiles(
  call: Pick<VerbCall, 'cwd' | 'disk_view' | 'contents'>,
  { file, includes, root }: { file: string; includes: readonly string[]; root: WorkflowRoot },
): Promise<{ files: IncludedFile[]; note: string | undefined } | undefined> {
  if (includes.length === 0) return undefined;
  const { contents: uploader, cwd, disk_view } = call;
  if (!uploader) throw verbUsage('this agent has no plugin for included files');
  const { readIncluded } = await import('../include/read.ts');
  try {
    const script = file === '-' ? './-' : file;
    const { files, contents, note } = await readIncluded({ script, includes, cwd, disk_view, root });
    for (const [digest, data] of contents) await uploader.upload({ digest, size: data.length }, data);
    return { files, note };
  } catch (error) {
    if (!isServiceError(error) || !error.code.startsWith('include_')) throw error;
    throw verbUsage(`${error.message} (${error.code})\n${error.next}`);
  }
}

/** An isolated run sees other files than the agent does, so the agent must not follow its imports. */
async function bundleSource({ disk_view }: Pick<VerbCall, 'disk_view'>, script: ScriptFile): Promise<string> {
  if (disk_view !== undefined) return script.source;
  const { bundleScript, BundleFault } = await import('../bundle/bundle-script.ts');
  try {
    return await bundleScript(script);
  } catch (error) {
    if (!(error instanceof BundleFault)) throw error;
    throw verbUsage(`${error.message}\n${error.next}`);
  }
}

function decodeText(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw verbUsage(`${name} is not UTF-8 text; a workflow is a text file`);
  }
}
