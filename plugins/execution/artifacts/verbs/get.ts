import { chmod, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isServiceError } from '../../../../kernel/contracts/index.ts';
import { type ActivityFiles, removeFolder, type StoredFile } from '../../agents/contract.ts';
import { verbUsage } from '../../replay/contract.ts';
import { MAX_STEP_OUTPUT_BYTES } from '../../../engine/runs/contract.ts';
import { defineVerb, readArguments, type VerbCall, type VerbOutcome } from '../../scripts/contract.ts';
import { artifactGetHelp } from '../cli/verbs.ts';
import { MAX_FILES } from '../local/walk.ts';

/** Number of concurrent downloads of one call. */
const CONCURRENT_DOWNLOADS = 4;
const RUN_ID = /^run_[0-9A-Za-z]+$/;
/** Runs as the caller, so that it writes where the caller may write, and nowhere else. */
const COPY = 'mkdir -p -- "$2" && cp -R -- "$1/." "$2"';
/** Output of the copy that is read. It prints nothing on standard output. */
const COPY_OUTPUT_BYTES = 1024;

/**
 * Implements `svc artifact get [<path>] [--output <folder>]`: the agent downloads artifacts of the run under its claim,
 * and the caller copies them to where it wants them. Nothing is recorded, because a pass begins without files: each pass
 * downloads what the run has then. Prints the paths.
 */
export const artifactGetVerb = defineVerb(artifactGetHelp, async (call) => {
  const { path, output } = readRequest(call);
  const { files, createReadableFolder } = call;
  if (!files) throw verbUsage('this agent cannot fetch artifacts: its server has no plugin for them');
  if (!createReadableFolder) throw verbUsage("artifacts can be fetched only where the run's programs have a folder");
  try {
    const artifacts = await selectArtifacts(files, path === undefined ? undefined : call.pass.mask(path));
    if (artifacts.length === 0)
      return toFailure(path === undefined ? 'the run has no artifacts' : `the run has no artifact ${path}`);
    const clash = output === '-' ? undefined : findClash(artifacts);
    if (clash !== undefined)
      return toFailure(
        `the artifact ${clash} is a file, but other artifacts are in a folder with this name; use the path of one of them`,
      );
    const folder = await createReadableFolder();
    try {
      if (output === '-') return await printContent(files, artifacts, folder);
      await download(files, artifacts, folder);
      return (await copy(call, folder, output)) ?? toPaths(artifacts);
    } finally {
      await removeFolder(folder);
    }
  } catch (error) {
    if (!isServiceError(error, 'not_found')) throw error;
    return toFailure(error.message);
  }
});

function readRequest(call: VerbCall): { path: string | undefined; output: string } {
  const { positionals, options } = readArguments(call.argv, ['output']);
  const [first, ...others] = positionals;
  const names_run = first !== undefined && RUN_ID.test(first);
  if (names_run && first !== call.pass.run_id)
    throw verbUsage(
      `in a run, this command reads the run's own artifacts, and ${first} is another run; to read those, unset SVC_AGENT_SOCKET and set SVC_TOKEN`,
    );
  const [path, ...rest] = names_run ? others : positionals;
  if (rest.length > 0) throw verbUsage(`there is one path too many: ${rest[0]}`);
  if (path === '') throw verbUsage('<path> is empty; omit it to get all artifacts');
  const { output = '.' } = options;
  if (output === '') throw verbUsage('--output is empty');
  // `.` is the folder of all artifacts, as in `svc artifact put . --as .`.
  if (path !== undefined && /^\.(\/+\.)*\/*$/.test(path)) return { path: undefined, output };
  return { path: path?.replace(/^(\.\/)+/, '').replace(/\/+$/, ''), output };
}

/** Returns one artifact, or those in a folder, or all. */
async function selectArtifacts(files: ActivityFiles, path: string | undefined): Promise<StoredFile[]> {
  const found: StoredFile[] = [];
  const isSelected = (file: StoredFile) => path === undefined || file.path === path || file.path.startsWith(`${path}/`);
  let cursor: string | undefined;
  do {
    const page = await files.list(path ?? '', cursor);
    found.push(...page.files.filter(isSelected));
    if (found.length > MAX_FILES)
      throw verbUsage(`more than ${MAX_FILES} artifacts match; use the path of a folder or a file`);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return found;
}

/** Returns an artifact whose path is also a folder of other artifacts. No disk can have both. */
function findClash(artifacts: readonly StoredFile[]): string | undefined {
  const paths = new Set(artifacts.map(({ path }) => path));
  const folders = artifacts.flatMap(({ path }) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index)));
  return folders.find((folder) => paths.has(folder));
}

/** Downloads artifacts into the agent's folder; the first failure ends it. */
async function download(files: ActivityFiles, artifacts: readonly StoredFile[], folder: string): Promise<void> {
  const queue = [...artifacts].reverse();
  const folders = new Set<string>();
  let failed = false;
  const downloadNext = async () => {
    for (let file = queue.pop(); file && !failed; file = queue.pop()) {
      const target = join(folder, file.path);
      await createFolders(folder, dirname(file.path), folders);
      await files.fetch(file, target);
      // The agent's umask may hide it from the caller.
      await chmod(target, 0o644);
    }
  };
  const workers = Array.from({ length: CONCURRENT_DOWNLOADS }, () =>
    downloadNext().catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  for (const outcome of await Promise.allSettled(workers)) if (outcome.status === 'rejected') throw outcome.reason;
}

async function createFolders(root: string, path: string, created: Set<string>): Promise<void> {
  let at = root;
  for (const name of path.split('/')) {
    if (name === '.') return;
    at = join(at, name);
    if (created.has(at)) continue;
    await mkdir(at, { recursive: true });
    await chmod(at, 0o755);
    created.add(at);
  }
}

/** Has the caller copy the files to where it wants them. Returns why that failed. */
async function copy(call: VerbCall, folder: string, output: string): Promise<VerbOutcome | undefined> {
  const argv = ['sh', '-c', COPY, 'svc', folder, output];
  const { exit_code, error } = await call.exec(argv, '', COPY_OUTPUT_BYTES);
  if (exit_code === 0 && error === undefined) return undefined;
  return toFailure(`the files cannot be copied to ${output}${error === undefined ? '' : `: ${error}`}`);
}

/** Prints one artifact instead of storing it. */
async function printContent(
  files: ActivityFiles,
  artifacts: readonly StoredFile[],
  folder: string,
): Promise<VerbOutcome> {
  const [file] = artifacts;
  if (!file || artifacts.length > 1)
    throw verbUsage(`--output - works with one artifact, but ${artifacts.length} match; name one`);
  if (file.size > MAX_STEP_OUTPUT_BYTES)
    throw verbUsage(`${file.path} is ${file.size} bytes long, more than a call can print; write it to a folder`);
  const target = join(folder, 'content');
  await files.fetch(file, target);
  return { exit: 0, stdout: await readFile(target) };
}

const toPaths = (artifacts: readonly StoredFile[]): VerbOutcome => ({
  exit: 0,
  stdout: Buffer.from(artifacts.map(({ path }) => `${path}\n`).join('')),
});

const toFailure = (message: string): VerbOutcome => ({ exit: 1, message, stderr: `svc: ${message}\n` });
