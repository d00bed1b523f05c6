import { type Clock, isServiceError } from '../../../../kernel/contracts/index.ts';
import type { AgentServer, FileContent, FileSender, FileWork, StoredCache, StoredFile } from '../../agents/contract.ts';
import { sendFile, uploadHeaders } from '../local/send-file.ts';
import { artifactChanged, LIST_LIMIT, orUndefined, receiveListed, toStoredCache, toStoredFile } from './listed.ts';

type Staged = StoredFile & { upload_id: string };
type UploadResponse = Staged & { offset?: number };

const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5000;
/** About four minutes; after that the job fails with what happened last. */
const MAX_DOWNLOAD_ATTEMPTS = 50;
const COMPLETE = [200, 201];

const escaped = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** Uploads and downloads files of an agent's activities: one request each, under the claim. */
export const httpSender = (server: () => AgentServer, clock: Clock): FileSender => ({
  files: (work) => {
    const upload = (path: string, content: FileContent, stage: boolean) =>
      'stream' in content
        ? sendStream(server(), work, path, content.stream, stage)
        : sendResumable(server(), clock, work, { path, content, stage });
    return {
      put: (path, content) => upload(path, content, false),
      stage: (path, content) => upload(path, content, true),
      list: (prefix, cursor) => listArtifacts(server(), work, prefix, cursor),
      fetch: (file, target) =>
        fetchResumable(
          server(),
          clock,
          work,
          { ...file, from: artifactPath(work, 'artifacts', file.path, '') },
          target,
        ),
      findCache: (key, prefix) =>
        orUndefined(async () => {
          const path = activityPath(work, 'cache', `&${new URLSearchParams({ key, prefix: String(prefix) })}`);
          const { json } = await server().send({ method: 'GET', path, signal: work.signal });
          return toStoredCache(json as StoredCache);
        }),
      fetchCache: (cache, target) => {
        const from = activityPath(work, 'cache-content', `&${new URLSearchParams({ key: cache.key })}`);
        return fetchResumable(server(), clock, work, { ...cache, path: cache.key, from }, target);
      },
      async saveCache(key, upload_id) {
        const { json } = await server().send({
          method: 'POST',
          path: activityPath(work, 'cache', ''),
          headers: { 'content-type': 'application/json' },
          content: once(JSON.stringify({ key, upload_id })),
          signal: work.signal,
        });
        return (json as { saved: boolean }).saved;
      },
    };
  },
});

const activityPath = ({ claim }: FileWork, kind: string, query: string): string =>
  `/api/v1/agents/activities/${claim.activity_id}/${kind}?epoch=${claim.epoch}${query}`;

const artifactPath = (work: FileWork, kind: string, path: string, query: string): string =>
  activityPath(work, `${kind}/${escaped(path)}`, query);

async function listArtifacts(server: AgentServer, work: FileWork, prefix: string, cursor: string | undefined) {
  const query = new URLSearchParams({
    limit: String(LIST_LIMIT),
    ...(prefix === '' ? {} : { prefix }),
    ...(cursor === undefined ? {} : { cursor }),
  });
  const path = activityPath(work, 'artifacts', `&${query}`);
  const { json } = await server.send({ method: 'GET', path, signal: work.signal });
  const { artifacts, next_cursor } = json as { artifacts: StoredFile[]; next_cursor?: string };
  return { files: artifacts.map(toStoredFile), next_cursor };
}

async function* once(text: string): AsyncGenerator<Buffer, void> {
  yield Buffer.from(text);
}

/** Downloads a file, and continues where the partial file ends when the connection breaks. */
async function fetchResumable(
  server: AgentServer,
  clock: Clock,
  work: FileWork,
  file: StoredFile & { from: string },
  target: string,
): Promise<void> {
  const { signal } = work;
  const tag = `"sha256-${file.digest.slice('sha256:'.length)}"`;
  const read = async (from: number) => {
    const headers: Record<string, string> = from === 0 ? {} : { range: `bytes=${from}-`, 'if-range': tag };
    const { status, content } = await server.open({ method: 'GET', path: file.from, headers, signal });
    if (from === 0 || status === 206) return content;
    throw artifactChanged(file.path);
  };
  for (let failures = 1; ; failures++)
    try {
      return await receiveListed(target, file, read);
    } catch (error) {
      if (signal.aborted || !isRetryable(error, failures) || failures >= MAX_DOWNLOAD_ATTEMPTS) throw error;
      await pause(clock, Math.min(MIN_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS), signal);
    }
}

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
