import { type Api, type Client, CliError, Exit, type Output, type Run, usageError } from '../../../../cli/contract.ts';
import { LocalFileError } from '../local/local-file-error.ts';
import { sendFile, uploadHeaders } from '../local/send-file.ts';
import { collectFiles, readContent, type LocalFile } from '../local/walk.ts';
import { artifactPath, uploadPath } from './places.ts';
import { isPassing, MAX_FAILURES, pause } from './retries.ts';

type View = Api.ArtifactView;

const COMPLETE = [200, 201];

export const run: Run = async ({ args, flags, output, client }) => {
  const run_id = flags.run as string | undefined;
  if (run_id === undefined)
    throw usageError('--run is missing', 'svc artifact put <folder> --run <run-id>; without it, only in a script run');
  const api = await client();
  try {
    const files = await collectFiles(process.cwd(), args[0]!, flags.as as string | undefined);
    const artifacts: View[] = [];
    for (const [n, file] of files.entries()) {
      output.status(`${n + 1} of ${files.length}: ${file.path}`);
      artifacts.push(await putFile(api, run_id, file, output));
    }
    output.status('');
    output.data({ artifacts }, () => artifacts.map(({ path }) => path).join('\n'));
  } catch (error) {
    if (!(error instanceof LocalFileError)) throw error;
    throw new CliError(Exit.failed, 'file_refused', error.message, error.next);
  }
  return undefined;
};

async function putFile(api: Client, run_id: string, { path, file }: LocalFile, output: Output): Promise<View> {
  const content = await readContent(file);
  const { size, digest } = content;
  return sendFile<View>(content, {
    shouldRetry: (error, failures) => isPassing(error) && failures < MAX_FAILURES,
    pause: (failures) => pause(failures, output, `the upload of ${path}`),
    async offset() {
      const query = { digest: `sha256:${digest}`, size };
      return (await api.json<Api.ArtifactUpload>({ path: uploadPath(api, run_id, path), query })).offset;
    },
    async send(from) {
      const { status, body } = await api.answer<View & Api.ArtifactUpload>({
        method: 'PUT',
        path: artifactPath(api, run_id, path),
        content: content.read(from),
        headers: uploadHeaders(content, from),
      });
      return COMPLETE.includes(status) ? { done: body } : { offset: body.offset };
    },
  });
}
