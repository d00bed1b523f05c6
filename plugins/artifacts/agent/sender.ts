import { type Clock, isServiceError } from '../../../kernel/contracts/index.ts';
import type { AgentServer, FileContent, FileSender, FileWork, StoredFile } from '../../agents/contract.ts';
import { sendFile, uploadHeaders } from '../local/send-file.ts';

type Staged = StoredFile & { upload_id: string };
type Answer = Staged & { offset?: number };

const FIRST_MS = 100;
const LONGEST_MS = 5000;
const COMPLETE = [200, 201];

const escaped = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** Files of an agent's activities on their way to the server: one request each, under the claim. */
export const httpSender = (server: () => AgentServer, clock: Clock): FileSender => ({
  files: (work) => {
    const carry = (path: string, content: FileContent, stage: boolean) =>
      'stream' in content
        ? once(server(), work, path, content.stream, stage)
        : whole(server(), clock, work, { path, content, stage });
    return {
      put: (path, content) => carry(path, content, false),
      stage: (path, content) => carry(path, content, true),
    };
  },
});

const placeOf = ({ claim }: FileWork, kind: string, path: string, query: string): string =>
  `/api/v1/agents/activities/${claim.activity_id}/${kind}/${escaped(path)}?epoch=${claim.epoch}${query}`;

/** A stream that can be read only once: what breaks it ends it. */
async function once(
  server: AgentServer,
  work: FileWork,
  path: string,
  content: AsyncIterable<Buffer>,
  stage: boolean,
): Promise<Staged> {
  const { json } = await server.send({
    method: 'PUT',
    path: placeOf(work, 'artifacts', path, `&stage=${stage}`),
    headers: { 'content-type': 'application/octet-stream', 'transfer-encoding': 'chunked' },
    content,
    signal: work.signal,
  });
  return json as Staged;
}

interface Carried {
  path: string;
  content: Exclude<FileContent, { stream: unknown }>;
  stage: boolean;
}

async function whole(server: AgentServer, clock: Clock, work: FileWork, carried: Carried): Promise<Staged> {
  const { path, content, stage } = carried;
  const { signal } = work;
  return sendFile<Staged>(content, {
    again: (error, failures) => !signal.aborted && isPassing(error, failures),
    pause: (failures) => pause(clock, Math.min(FIRST_MS * 2 ** failures, LONGEST_MS), signal),
    async offset() {
      const query = `&digest=sha256:${content.digest}&size=${content.size}`;
      const { json } = await server.send({
        method: 'GET',
        path: placeOf(work, 'artifact-uploads', path, query),
        signal,
      });
      return (json as { offset: number }).offset;
    },
    async send(from) {
      const { status, json } = await server.send({
        method: 'PUT',
        path: placeOf(work, 'artifacts', path, `&stage=${stage}`),
        headers: uploadHeaders(content, from),
        content: content.read(from),
        signal,
      });
      const answer = json as Answer;
      return COMPLETE.includes(status) ? { done: answer } : { offset: answer.offset ?? 0 };
    },
  });
}

const PASSING: readonly string[] = [
  'artifact_offset_wrong',
  'artifact_upload_taken',
  'request_timeout',
  'rate_limited',
];
/** A server that is away comes back. A place for artifacts that no server can reach is a fault that somebody must see. */
const STORE_TRIES = 8;

function isPassing(error: unknown, failures: number): boolean {
  if (!isServiceError(error)) return false;
  if (error.code === 'artifact_store_unavailable') return failures < STORE_TRIES;
  return [502, 503, 504].includes(error.status) || PASSING.includes(error.code);
}

/** Ends early when the work is stopped; the next request then says so. */
async function pause(clock: Clock, delay_ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve) => {
    const done = () => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(delay_ms, done);
    signal.addEventListener('abort', done);
  });
}
