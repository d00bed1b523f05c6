import { Readable } from 'node:stream';
import { BoundedMap, type Database, Errors, type Sealer, type Transaction } from '../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../audit/contract.ts';
import type { NamedContent } from '../../agents/contract.ts';
import {
  type ClaimRef,
  type FileKeeper,
  fileSetOf,
  type IncludedFile,
  MAX_INCLUDED_BYTES,
  type RunFiles,
  type RunGuard,
  type SubmitObserver,
} from '../../runs/contract.ts';
import { broughtBy, digestOf, hexOf, sha256 } from '../domain/digests.ts';
import { FileErrors } from '../errors.ts';
import { findContents, NOTED_MS, noteUses, piecesOf, type Place, storeContent } from '../store/contents.ts';
import { type FileSet, membersOf, storeSets } from '../store/sets.ts';

export interface ContentParts {
  database: Database;
  sealer: Sealer;
  guard: RunGuard;
  runs: RunFiles;
  audit: Audit;
}

export interface Stored {
  /** False: it was there. */
  fresh: boolean;
  size: number;
}

/** The run of an activity, and the claim under which it is asked for. */
export interface Claimant extends Place {
  run_id: string;
  claim: ClaimRef;
}

const MAX_NOTED = 10_000;
/** A content may go between two looks; more often than this it is another fault. */
const LOOKS = 3;

/** Contents of the files beside scripts: uploaded once, needed by runs and by what starts runs. */
export class Contents {
  readonly #parts: ContentParts;
  /** By project and set: when this process last wrote its use. */
  readonly #noted = new BoundedMap<string, number>(MAX_NOTED);

  constructor(parts: ContentParts) {
    this.#parts = parts;
  }

  /** Those of some digests that are not stored, in their order. */
  async missing({ project_id }: Place, digests: readonly string[]): Promise<string[]> {
    const all = [...new Set(digests.map(hexOf))];
    const found = new Set((await findContents(this.#parts.database, project_id, all)).map(({ digest }) => digest));
    return all.filter((digest) => !found.has(digest)).map(digestOf);
  }

  /** Stores a content; true when it was not there. Throws `payload_too_large` and `include_digest_mismatch`. */
  async store(place: Place, digest: string, content: AsyncIterable<Buffer>, by?: AuditSource): Promise<Stored> {
    const hex = hexOf(digest);
    const data = await whole(content);
    const found = sha256(data);
    if (found !== hex)
      throw FileErrors.digestMismatch(`the ${data.length} bytes have the digest ${digestOf(found)}, not ${digest}`);
    await this.#parts.sealer.prepare(place.org_id);
    const { database, sealer, audit } = this.#parts;
    const fresh = await storeContent(database, sealer, place, { digest: hex, data }, async (tx) => {
      const { org_id, project_id } = place;
      if (by) await audit.record(tx, { ...by, org_id, project_id, action: 'file.put', subject: digest });
    });
    return { fresh, size: data.length };
  }

  /**
   * The same by an activity, whose run may then make runs that have it. It is counted before it is stored: a run that was refused
   * its child keeps what it has brought. Throws `lease_lost` and `run_storage_limit`.
   */
  async bring(by: Claimant, digest: string, content: AsyncIterable<Buffer>): Promise<Stored> {
    const { project_id, run_id } = by;
    const { database, guard } = this.#parts;
    await database.transaction((tx) => guard.holdClaim(tx, by, by.claim));
    const data = await whole(content);
    await database.transaction(async (tx) => {
      const held = await guard.holdClaim(tx, by, by.claim);
      const known = await findContents(tx, project_id, [hexOf(digest)]);
      if (known.length === 0) await guard.countStored(tx, by, held, data.length);
    });
    const stored = await this.store(by, digest, Readable.from([data]));
    await database.transaction(async (tx) => {
      await guard.holdClaim(tx, by, by.claim);
      const set = { project_id, file_set: broughtBy(run_id), digests: [hexOf(digest)] };
      await storeSets(tx, [set], database.now());
    });
    return stored;
  }

  /** A content that the activity's run has. Throws `lease_lost`, and `include_not_stored` for any other digest. */
  async open(by: Claimant, digest: string): Promise<{ size: number; content: Readable }> {
    const { database, sealer, guard, runs } = this.#parts;
    const hex = hexOf(digest);
    await database.transaction((tx) => guard.holdClaim(tx, by, by.claim));
    const set = await runs.setOf(by);
    const known = set !== undefined && (await membersOf(database, by.project_id, [set], [hex])).has(hex);
    const [row] = known ? await findContents(database, by.project_id, [hex]) : [];
    if (!row) throw FileErrors.notStored(`the run has no file with the digest ${digest}`);
    await sealer.prepare(by.org_id);
    const size = Number(row.size);
    return {
      size,
      content: Readable.from(piecesOf(database, sealer, by, { digest: hex, size }), { objectMode: false }),
    };
  }

  /** What runs and workflows need is there, and stays. */
  readonly keeper: FileKeeper = {
    name: 'files',
    keep: async (scope, files, by) => {
      if (by !== undefined) await this.#checkOwn(scope, files, by);
      await this.#use(scope, files);
      await this.#keepSet(scope.project_id, files);
    },
  };

  /** A run that is made in a transaction of somebody else brings its set along. */
  readonly observer: SubmitObserver = {
    name: 'files',
    onSubmitted: async (tx, submitted) => {
      const sets = submitted.flatMap(({ project_id, needed_files = [] }) => setFor(project_id, needed_files) ?? []);
      await this.#writeSets(tx, sets);
    },
  };

  async #writeSets(tx: Transaction, sets: readonly FileSet[]): Promise<void> {
    const now = this.#parts.database.now();
    const nameOf = ({ project_id, file_set }: FileSet) => `${project_id} ${file_set}`;
    const isNoted = (set: FileSet) => now - (this.#noted.get(nameOf(set)) ?? 0) < NOTED_MS;
    const fresh = [...new Map(sets.map((set) => [nameOf(set), set])).values()].filter((set) => !isNoted(set));
    if (fresh.length === 0) return;
    await storeSets(tx, fresh, now);
    tx.afterCommit(() => {
      for (const set of fresh) this.#noted.set(nameOf(set), now);
    });
  }

  async #keepSet(project_id: string, files: readonly IncludedFile[]): Promise<void> {
    const set = setFor(project_id, files);
    if (set) await this.#parts.database.transaction((tx) => this.#writeSets(tx, [set]));
  }

  /** Throws `include_not_stored` for what the run neither has nor brought, whether or not the project has it. */
  async #checkOwn(scope: Place, files: readonly IncludedFile[], run_id: string): Promise<void> {
    const { database, runs } = this.#parts;
    const own = await runs.setOf({ project_id: scope.project_id, run_id });
    const sets = own === undefined ? [broughtBy(run_id)] : [broughtBy(run_id), own];
    const digests = [...new Set(files.map(({ digest }) => hexOf(digest)))];
    const found = await membersOf(database, scope.project_id, sets, digests);
    refuseMissing(files, (hex) => found.has(hex));
  }

  /** Throws `include_not_stored`, and `invalid_request` for a size that is not that of the content. */
  async #use(scope: Place, files: readonly IncludedFile[]): Promise<void> {
    const { database } = this.#parts;
    const digests = [...new Set(files.map(({ digest }) => hexOf(digest)))];
    for (let look = 0; look < LOOKS; look++) {
      const found = new Map((await findContents(database, scope.project_id, digests)).map((row) => [row.digest, row]));
      refuseMissing(files, (hex) => found.has(hex));
      for (const { path, digest, size } of files) {
        const stored = Number(found.get(hexOf(digest))!.size);
        if (stored !== size) throw Errors.invalidRequest(`${path} has ${stored} bytes, not ${size}`);
      }
      const now = database.now();
      const stale = digests.filter((digest) => Number(found.get(digest)!.used_at) < now - NOTED_MS);
      if (stale.length === 0 || (await noteUses(database, scope.project_id, stale, now))) return;
    }
    throw Errors.unavailable('contents are removed while they are used; try again');
  }
}

function setFor(project_id: string, files: readonly IncludedFile[]): FileSet | undefined {
  const file_set = fileSetOf(files);
  if (file_set === undefined) return undefined;
  return { project_id, file_set, digests: files.map(({ digest }) => hexOf(digest)) };
}

function refuseMissing(files: readonly IncludedFile[], isThere: (hex: string) => boolean): void {
  const absent = files.filter(({ digest }) => !isThere(hexOf(digest)));
  const [first] = absent;
  if (!first) return;
  const more = absent.length === 1 ? '' : `, nor those of ${absent.length - 1} more`;
  throw FileErrors.notStored(`the content of ${first.path} is not stored${more}`, {
    data: { missing: [...new Set(absent.map(({ digest }) => digest))] satisfies NamedContent['digest'][] },
  });
}

/** Throws `payload_too_large`. */
async function whole(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > MAX_INCLUDED_BYTES)
      throw Errors.payloadTooLarge(
        `the file has more than ${MAX_INCLUDED_BYTES} bytes, the limit of all files together`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
