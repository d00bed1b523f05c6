import { type Clock, isServiceError } from '../../../../kernel/contracts/index.ts';
import type { AgentServer, FileContent, FileSender, FileWork, StoredFile } from '../../agents/contract.ts';
import { sendFile, uploadHeaders } from '../local/send-file.ts';

type Staged = StoredFile & { upload_id: string };
type UploadResponse = Staged & { offset?: number };

const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5000;
const COMPLETE = [200, 201];

const escaped = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** Uploads files of an agent's activities: one request each, under the claim. */
export const httpSender = (server: () => AgentServer, clock: Clock): FileSender => ({
  files: (work) => {
    const upload = (path: string, content: FileContent, stage: boolean) =>
      'stream' in content
        ? sendStream(server(), work, path, content.stream, stage)
        : sendResumable(server(), clock, work, { path, content, stage });
    return {
      put: (path, content) => upload(path, content, false),
      stage: (path, content) => upload(path, content, true),
    };
  },
});

const artifactPath = ({ claim }: FileWork, kind: string, path: string, query: string): string =>
  `/api/v1/agents/activities/${claim.activity_id}/${kind}/${escaped(path)}?epoch=${claim.epoch}${query}`;

/** Uploads a stream that can be read only once, so any failure is final. */
async function sendStream(
  server: AgentServer,
  work: FileWork,
  path: string,
  content: AsyncIterable<Buffer>,
  stage: boolean,
): Promise<Staged> {
  const { json } = await server.send({
    method: 'PUT',
    path: artifactPath(work, 'artifacts', path, `&stage=${stage}`),
    headers: { 'content-type': 'application/octet-stream', 'transfer-encoding': 'chunked' },
    content,
    signal: work.signal,
  });
  return json as Staged;
}

interface FileUpload {
  path: string;
  content: Exclude<FileContent, { stream: unknown }>;
  stage: boolean;
}

async function sendResumable(server: AgentServer, clock: Clock, work: FileWork, upload: FileUpload): Promise<Staged> {
  const { path, content, stage } = upload;
  const { signal } = work;
  return sendFile<Staged>(content, {
    shouldRetry: (error, failures) => !signal.aborted && isRetryable(error, failures),
    pause: (failures) => pause(clock, Math.min(MIN_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS), signal),
    async offset() {
      const query = `&digest=sha256:${content.digest}&size=${content.size}`;
      const { json } = await server.send({
        method: 'GET',
        path: artifactPath(work, 'artifact-uploads', path, query),
        signal,
      });
      return (json as { offset: number }).offset;
    },
    async send(from) {
      const { status, json } = await server.send({
        method: 'PUT',
        path: artifactPath(work, 'artifacts', path, `&stage=${stage}`),
        headers: uploadHeaders(content, from),
        content: content.read(from),
        signal,
      });
      const response = json as UploadResponse;
      return COMPLETE.includes(status) ? { done: response } : { offset: response.offset ?? 0 };
    },
  });
}

const RETRYABLE_CODES: readonly string[] = [
  'artifact_offset_wrong',
  'artifact_upload_taken',
  'request_timeout',
  'rate_limited',
];
/** A server that is down comes back. An artifact store that no server can reach is a problem that somebody must see. */
const MAX_STORE_ATTEMPTS = 8;

function isRetryable(error: unknown, failures: number): boolean {
  if (!isServiceError(error)) return false;
  if (error.code === 'artifact_store_unavailable') return failures < MAX_STORE_ATTEMPTS;
  return [502, 503, 504].includes(error.status) || RETRYABLE_CODES.includes(error.code);
}

/** Ends early when the work is stopped; the next request then fails. */
async function pause(clock: Clock, delay_ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve) => {
    const finish = () => {
      cancel();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = clock.after(delay_ms, finish);
    signal.addEventListener('abort', finish);
  });
}
