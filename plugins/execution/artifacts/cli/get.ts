import { type Api, type Client, CliError, Exit, readAll, type Output, type Run } from '../../../../cli/contract.ts';
import { LocalFileError } from '../local/local-file-error.ts';
import { receiveFile, prepareTarget } from '../local/receive-file.ts';
import { artifactPath } from './places.ts';
import { isPassing, MAX_FAILURES, pause } from './retries.ts';

type View = Api.ArtifactView;

export const run: Run = async ({ args, flags, output, client }) => {
  const [run_id = '', path] = args;
  const api = await client();
  const list = api.scoped(`/runs/${encodeURIComponent(run_id)}/artifacts`);
  const all = await readAll<View>(api, list, 'artifacts');
  const wanted = path === undefined ? all : selectArtifacts(all, path, run_id);
  if (flags.output === '-') await print(api, run_id, wanted, output);
  else await save(api, run_id, wanted, String(flags.output ?? '.'), output);
  return undefined;
};

/** Selects one artifact, or those in a folder. */
function selectArtifacts(all: readonly View[], path: string, run_id: string): readonly View[] {
  const exact = all.filter((artifact) => artifact.path === path);
  const artifacts = exact.length > 0 ? exact : all.filter((one) => one.path.startsWith(`${path.replace(/\/$/, '')}/`));
  if (artifacts.length > 0) return artifacts;
  const next = `svc artifact ls ${run_id} lists them`;
  throw new CliError(Exit.failed, 'not_found', `the run has no artifact ${path}`, next);
}

async function print(api: Client, run_id: string, wanted: readonly View[], output: Output): Promise<void> {
  const [only] = wanted;
  if (!only || wanted.length > 1)
    throw new CliError(
      Exit.usage,
      'usage',
      `--output - works with one artifact, but there are ${wanted.length}`,
      'name one',
    );
  for await (const chunk of api.chunks({ path: artifactPath(api, run_id, only.path) })) output.write(chunk);
}

async function save(
  api: Client,
  run_id: string,
  wanted: readonly View[],
  folder: string,
  output: Output,
): Promise<void> {
  const saved: (Pick<View, 'path' | 'size' | 'digest'> & { file: string })[] = [];
  try {
    for (const [n, view] of wanted.entries()) {
      output.status(`${n + 1} of ${wanted.length}: ${view.path}`);
      const file = await prepareTarget(folder, view.path);
      await fetchFile(api, run_id, view, file, output);
      saved.push({ path: view.path, size: view.size, digest: view.digest, file });
    }
  } catch (error) {
    if (!(error instanceof LocalFileError)) throw error;
    throw new CliError(Exit.failed, 'file_refused', error.message, error.next);
  }
  output.status('');
  output.data({ artifacts: saved }, () => saved.map(({ file }) => file).join('\n'));
  if (saved.length === 0) output.note('the run has no artifacts');
}

/** Continues where the local file ends, until it is complete. */
async function fetchFile(api: Client, run_id: string, view: View, target: string, output: Output): Promise<void> {
  const tag = `"sha256-${view.digest.slice('sha256:'.length)}"`;
  const read = async (from: number) => {
    const headers: Record<string, string> = from === 0 ? {} : { range: `bytes=${from}-`, 'if-range': tag };
    const response = await api.open({ path: artifactPath(api, run_id, view.path), headers });
    if (from === 0 || response.statusCode === 206) return untilItBreaks(response);
    response.destroy();
    const next = 'call again';
    throw new CliError(
      Exit.failed,
      'artifact_changed',
      `${view.path} was replaced while it was being downloaded`,
      next,
    );
  };
  for (let failures = 0, best = 0; ; ) {
    try {
      const there = await receiveFile(target, { ...view, read });
      if (there === view.size) return;
      if (there > best) failures = 0;
      best = there;
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    failures += 1;
    if (failures >= MAX_FAILURES) throw broken(view.path);
    await pause(failures, output, `the download of ${view.path}`);
  }
}

const broken = (path: string) =>
  new CliError(
    Exit.unreachable,
    'unreachable',
    `the download of ${path} was interrupted`,
    'run the command again to resume the download',
  );

/** Bytes that arrived before the connection broke are kept. */
async function* untilItBreaks(response: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  try {
    yield* response;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'EPIPE', 'ETIMEDOUT'].includes(code)) throw error;
  }
}
