import { isServiceError } from '../../../kernel/contracts/index.ts';
import type {
  ActivityContents,
  AgentServer,
  ContentCarrier,
  ContentWork,
  NamedContent,
} from '../../agents/contract.ts';
import type { RunGuard } from '../../runs/contract.ts';
import { hexOf, sha256 } from '../domain/digests.ts';
import type { Claimant, Contents } from '../service/contents.ts';
import { ContentCache } from './content-cache.ts';

/** Where contents come from and go to. */
interface Ends {
  read(work: ContentWork, content: NamedContent): Promise<Buffer>;
  bring(work: ContentWork, content: NamedContent, data: Buffer): Promise<void>;
}

const TRIES = 3;

/** For an agent elsewhere: a request for each content that it does not have, under the claim. */
export const httpCarrier = (server: () => AgentServer): ContentCarrier =>
  carrier({
    read: ({ claim, signal }, { digest, size }) =>
      server().read({ method: 'GET', path: placeOf(claim, digest), signal }, size),
    async bring({ claim, signal }, { digest, size }, data) {
      await server().send({
        method: 'PUT',
        path: placeOf(claim, digest),
        headers: { 'content-type': 'application/octet-stream', 'content-length': String(size) },
        content: (async function* () {
          yield data;
        })(),
        signal,
      });
    },
  });

/** For an agent in the process of its server: the same without a wire. */
export const inProcessCarrier = (contents: () => Contents, guard: () => RunGuard): ContentCarrier => {
  const by = async ({ claim }: ContentWork): Promise<Claimant> => ({
    ...(await guard().runOf(claim.activity_id)),
    claim,
  });
  return carrier({
    async read(work, { digest }) {
      const chunks: Buffer[] = [];
      for await (const chunk of (await contents().open(await by(work), digest)).content) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    },
    async bring(work, { digest }, data) {
      await contents().bring(
        await by(work),
        digest,
        (async function* () {
          yield data;
        })(),
      );
    },
  });
};

const placeOf = ({ activity_id, epoch }: ContentWork['claim'], digest: string): string =>
  `/api/v1/agents/activities/${activity_id}/files/${digest}?epoch=${epoch}`;

/** Each content is fetched once by an agent, as long as its cache has room. */
function carrier(ends: Ends): ContentCarrier {
  const caches = new Map<string, ContentCache>();
  const cacheOf = (runtime_dir: string): ContentCache => {
    const known = caches.get(runtime_dir) ?? new ContentCache(runtime_dir);
    caches.set(runtime_dir, known);
    return known;
  };
  return {
    contents: (work): ActivityContents => ({
      read: (content) =>
        cacheOf(work.runtime_dir).get(hexOf(content.digest), () => untilWhole(content, () => ends.read(work, content))),
      bring: (content, data) => again(work.signal, () => ends.bring(work, content, data)),
    }),
  };

  function untilWhole({ digest }: NamedContent, read: () => Promise<Buffer>): Promise<Buffer> {
    return again(undefined, async () => {
      const data = await read();
      if (sha256(data) === hexOf(digest)) return data;
      throw new Error(`the server sent other bytes than those of ${digest}`);
    });
  }
}

/** What breaks on its way is asked for again; a refusal is final. */
async function again<T>(signal: AbortSignal | undefined, ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await ask();
    } catch (error) {
      const final = isServiceError(error) && error.status < 500;
      if (final || tries >= TRIES || signal?.aborted) throw error;
    }
}
