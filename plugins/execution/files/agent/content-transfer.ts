import { isServiceError } from '../../../../kernel/contracts/index.ts';
import type { ActivityContents, AgentServer, ContentTransfer, ContentWork, ContentRef } from '../../agents/contract.ts';
import type { RunGuard } from '../../../engine/runs/contract.ts';
import { parseDigest, sha256 } from '../domain/digests.ts';
import type { Claimant, Contents } from '../service/contents.ts';
import { ContentCache } from './content-cache.ts';

/** Where contents are read from and uploaded to. */
interface ContentEndpoint {
  read(work: ContentWork, content: ContentRef): Promise<Buffer>;
  upload(work: ContentWork, content: ContentRef, data: Buffer): Promise<void>;
}

const MAX_ATTEMPTS = 3;

/** Transfers contents for an agent elsewhere: one request under the claim for each content that it does not have. */
export const httpTransfer = (server: () => AgentServer): ContentTransfer =>
  createTransfer({
    read: ({ claim, signal }, { digest, size }) =>
      server().read({ method: 'GET', path: contentPath(claim, digest), signal }, size),
    async upload({ claim, signal }, { digest, size }, data) {
      await server().send({
        method: 'PUT',
        path: contentPath(claim, digest),
        headers: { 'content-type': 'application/octet-stream', 'content-length': String(size) },
        content: (async function* () {
          yield data;
        })(),
        signal,
      });
    },
  });

/** Transfers contents for an agent in the process of its server, without a wire. */
export const inProcessTransfer = (contents: () => Contents, guard: () => RunGuard): ContentTransfer => {
  const toClaimant = async ({ claim }: ContentWork): Promise<Claimant> => ({
    ...(await guard().runOf(claim.activity_id)),
    claim,
  });
  return createTransfer({
    async read(work, { digest }) {
      const chunks: Buffer[] = [];
      for await (const chunk of (await contents().open(await toClaimant(work), digest)).content)
        chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    },
    async upload(work, { digest }, data) {
      await contents().upload(
        await toClaimant(work),
        digest,
        (async function* () {
          yield data;
        })(),
      );
    },
  });
};

const contentPath = ({ activity_id, epoch }: ContentWork['claim'], digest: string): string =>
  `/api/v1/agents/activities/${activity_id}/files/${digest}?epoch=${epoch}`;

/** An agent fetches each content once, as long as its cache has space. */
function createTransfer(endpoint: ContentEndpoint): ContentTransfer {
  const caches = new Map<string, ContentCache>();
  const cacheOf = (runtime_dir: string): ContentCache => {
    const cache = caches.get(runtime_dir) ?? new ContentCache(runtime_dir);
    caches.set(runtime_dir, cache);
    return cache;
  };
  return {
    contents: (work): ActivityContents => ({
      read: (content) =>
        cacheOf(work.runtime_dir).get(parseDigest(content.digest), () =>
          fetchVerified(content, () => endpoint.read(work, content)),
        ),
      upload: (content, data) => retry(work.signal, () => endpoint.upload(work, content, data)),
    }),
  };

  function fetchVerified({ digest }: ContentRef, read: () => Promise<Buffer>): Promise<Buffer> {
    return retry(undefined, async () => {
      const data = await read();
      if (sha256(data) === parseDigest(digest)) return data;
      throw new Error(`the server sent bytes that do not match ${digest}`);
    });
  }
}

/** Retries what fails in transit; a rejection is final. */
async function retry<T>(signal: AbortSignal | undefined, send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await send();
    } catch (error) {
      const final = isServiceError(error) && error.status < 500;
      if (final || attempt >= MAX_ATTEMPTS || signal?.aborted) throw error;
    }
}
