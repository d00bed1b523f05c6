import { Readable } from 'node:stream';
import {
  BoundedMap,
  BytePieces,
  type Database,
  Errors,
  type Sealer,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../../platform/audit/contract.ts';
import type { ContentRef } from '../../agents/contract.ts';
import {
  type ClaimRef,
  type FileHolder,
  fileSetOf,
  type IncludedFile,
  MAX_INCLUDED_BYTES,
  type RunFiles,
  type RunGuard,
  type SharedContent,
  type SubmitObserver,
} from '../../../engine/runs/contract.ts';
import { uploadSetOf, toDigest, parseDigest, sha256 } from '../domain/digests.ts';
import { FileErrors } from '../errors.ts';
import {
  findContents,
  USE_INTERVAL_MS,
  recordUses,
  readPieces,
  type ProjectScope,
  storeContent,
} from '../store/contents.ts';
import { type FileSet, findMembers, storeSets } from '../store/sets.ts';

export interface ContentDeps {
  database: Database;
  sealer: Sealer;
  guard: RunGuard;
  runs: RunFiles;
  audit: Audit;
  holders: () => readonly FileHolder[];
}

/** A stored document: its kind as in paths, and its name. */
export interface DocumentRef {
  kind: string;
  name: string;
}

export interface OpenedContent {
  size: number;
  content: Readable;
}

export interface StoreResult {
  /** False if it was already stored. */
  created: boolean;
  size: number;
}

/** The run of an activity, and the claim under which it makes the request. */
export interface Claimant extends ProjectScope {
  run_id: string;
  claim: ClaimRef;
}

const MAX_REMEMBERED = 10_000;
/** A content may be removed between two attempts; more than this points to another problem. */
const MAX_ATTEMPTS = 3;

/** Contents of included files: uploaded once, used by runs and by whatever starts runs. */
export class Contents {
  readonly #deps: ContentDeps;
  /** When this process last recorded the use of each set, by project and set. */
  readonly #recorded_at = new BoundedMap<string, number>(MAX_REMEMBERED);

  constructor(deps: ContentDeps) {
    this.#deps = deps;
  }

  /** Returns those of some digests that are not stored, in their order. */
  async findMissing({ project_id }: ProjectScope, digests: readonly string[]): Promise<string[]> {
    const all = [...new Set(digests.map(parseDigest))];
    const stored = new Set((await findContents(this.#deps.database, project_id, all)).map(({ digest }) => digest));
    return all.filter((digest) => !stored.has(digest)).map(toDigest);
  }

  /** Stores a content, and returns whether it is new. Throws `payload_too_large` and `include_digest_mismatch`. */
  async store(
    scope: ProjectScope,
    digest: string,
    content: AsyncIterable<Buffer>,
    by?: AuditSource,
  ): Promise<StoreResult> {
    const hex = parseDigest(digest);
    const data = await readAll(content);
    const actual = sha256(data);
    if (actual !== hex)
      throw FileErrors.digestMismatch(`the ${data.length} bytes have the digest ${toDigest(actual)}, not ${digest}`);
    await this.#deps.sealer.prepare(scope.org_id);
    const { database, sealer, audit } = this.#deps;
    const created = await storeContent(database, sealer, scope, { digest: hex, data }, async (tx) => {
      const { org_id, project_id } = scope;
      if (by) await audit.record(tx, { ...by, org_id, project_id, action: 'file.put', subject: digest });
    });
    return { created, size: data.length };
  }

  /**
   * Stores a content for an activity, whose run may then start runs that have it. It is counted before it is stored:
   * a run that was refused a child keeps what it has uploaded. Throws `lease_lost` and `run_storage_limit`.
   */
  async upload(claimant: Claimant, digest: string, content: AsyncIterable<Buffer>): Promise<StoreResult> {
    const { project_id, run_id } = claimant;
    const { database, guard } = this.#deps;
    await database.transaction((tx) => guard.holdClaim(tx, claimant, claimant.claim));
    const data = await readAll(content);
    await database.transaction(async (tx) => {
      const claim = await guard.holdClaim(tx, claimant, claimant.claim);
      const existing = await findContents(tx, project_id, [parseDigest(digest)]);
      if (existing.length === 0) await guard.countStored(tx, claimant, claim, data.length);
    });
    const stored = await this.store(claimant, digest, Readable.from([data]));
    await database.transaction(async (tx) => {
      await guard.holdClaim(tx, claimant, claimant.claim);
      const set = { project_id, file_set: uploadSetOf(run_id), digests: [parseDigest(digest)] };
      await storeSets(tx, [set], database.now());
    });
    return stored;
  }

  /**
   * Opens a content that the activity's run has. Throws `lease_lost`, and `include_not_stored` for any other digest.
   */
  async open(claimant: Claimant, digest: string): Promise<OpenedContent> {
    const { database, guard, runs } = this.#deps;
    const hex = parseDigest(digest);
    await database.transaction((tx) => guard.holdClaim(tx, claimant, claimant.claim));
    const set = await runs.setOf(claimant);
    const is_member = set !== undefined && (await findMembers(database, claimant.project_id, [set], [hex])).has(hex);
    const opened = is_member ? await this.#open(claimant, hex) : undefined;
    if (!opened) throw FileErrors.notStored(`the run has no file with the digest ${digest}`);
    return opened;
  }

  /** Opens a content that a stored document includes. Throws `not_found` for any other digest. */
  async openOf(scope: ProjectScope, { kind, name }: DocumentRef, digest: string): Promise<OpenedContent> {
    const hex = parseDigest(digest);
    const holder = this.#deps.holders().find(({ documents }) => documents?.kind === kind);
    const set = await holder?.documents?.setOf(scope.project_id, name);
    const members =
      set === undefined ? undefined : await findMembers(this.#deps.database, scope.project_id, [set], [hex]);
    const opened = members?.has(hex) ? await this.#open(scope, hex) : undefined;
    if (!opened) throw Errors.notFound(`${kind}/${name} includes no file with the digest ${digest}`);
    return opened;
  }

  async #open(scope: ProjectScope, hex: string): Promise<OpenedContent | undefined> {
    const { database, sealer } = this.#deps;
    const [row] = await findContents(database, scope.project_id, [hex]);
    if (!row) return undefined;
    await sealer.prepare(scope.org_id);
    const size = Number(row.size);
    return {
      size,
      content: Readable.from(readPieces(database, sealer, scope, { digest: hex, size }), { objectMode: false }),
    };
  }

  /** Makes sure that what runs and workflows need is stored, and stays. */
  readonly retainFiles: NonNullable<SharedContent['retainFiles']> = async (scope, files, by) => {
    if (by !== undefined) await this.#assertOwned(scope, files, by);
    await this.#recordUse(scope, files);
    await this.#storeSet(scope.project_id, files);
  };

  /** A run that is created in somebody else's transaction brings its set along. */
  readonly observer: SubmitObserver = {
    name: 'files',
    onSubmitted: async (tx, submitted) => {
      const sets = submitted.flatMap(({ project_id, needed_files = [] }) => setFor(project_id, needed_files) ?? []);
      await this.#writeSets(tx, sets);
    },
  };

  async #writeSets(tx: Transaction, sets: readonly FileSet[]): Promise<void> {
    const now = this.#deps.database.now();
    const setKey = ({ project_id, file_set }: FileSet) => `${project_id} ${file_set}`;
    const isRecorded = (set: FileSet) => now - (this.#recorded_at.get(setKey(set)) ?? 0) < USE_INTERVAL_MS;
    const due = [...new Map(sets.map((set) => [setKey(set), set])).values()].filter((set) => !isRecorded(set));
    if (due.length === 0) return;
    await storeSets(tx, due, now);
    tx.afterCommit(() => {
      for (const set of due) this.#recorded_at.set(setKey(set), now);
    });
  }

  async #storeSet(project_id: string, files: readonly IncludedFile[]): Promise<void> {
    const set = setFor(project_id, files);
    if (set) await this.#deps.database.transaction((tx) => this.#writeSets(tx, [set]));
  }

  /** Throws `include_not_stored` for what the run neither has nor uploaded, whether or not the project has it. */
  async #assertOwned(scope: ProjectScope, files: readonly IncludedFile[], run_id: string): Promise<void> {
    const { database, runs } = this.#deps;
    const run_set = await runs.setOf({ project_id: scope.project_id, run_id });
    const sets = run_set === undefined ? [uploadSetOf(run_id)] : [uploadSetOf(run_id), run_set];
    const digests = [...new Set(files.map(({ digest }) => parseDigest(digest)))];
    const members = await findMembers(database, scope.project_id, sets, digests);
    assertAllStored(files, (hex) => members.has(hex));
  }

  /** Throws `include_not_stored`, and `invalid_request` for a size that differs from that of the content. */
  async #recordUse(scope: ProjectScope, files: readonly IncludedFile[]): Promise<void> {
    const { database } = this.#deps;
    const digests = [...new Set(files.map(({ digest }) => parseDigest(digest)))];
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const rows = new Map((await findContents(database, scope.project_id, digests)).map((row) => [row.digest, row]));
      assertAllStored(files, (hex) => rows.has(hex));
      for (const { path, digest, size } of files) {
        const stored = Number(rows.get(parseDigest(digest))!.size);
        if (stored !== size) throw Errors.invalidRequest(`${path} is ${stored} bytes long, not ${size}`);
      }
      const now = database.now();
      const stale = digests.filter((digest) => Number(rows.get(digest)!.used_at) < now - USE_INTERVAL_MS);
      if (stale.length === 0 || (await recordUses(database, scope.project_id, stale, now))) return;
    }
    throw Errors.unavailable('the contents are being removed; try again');
  }
}

function setFor(project_id: string, files: readonly IncludedFile[]): FileSet | undefined {
  const file_set = fileSetOf(files);
  if (file_set === undefined) return undefined;
  return { project_id, file_set, digests: files.map(({ digest }) => parseDigest(digest)) };
}

function assertAllStored(files: readonly IncludedFile[], isStored: (hex: string) => boolean): void {
  const absent = files.filter(({ digest }) => !isStored(parseDigest(digest)));
  const [example] = absent;
  if (!example) return;
  const others = absent.length === 1 ? '' : `, nor those of ${absent.length - 1} more`;
  throw FileErrors.notStored(`the content of ${example.path} is not stored${others}`, {
    data: { missing: [...new Set(absent.map(({ digest }) => digest))] satisfies ContentRef['digest'][] },
  });
}

async function readAll(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces = new BytePieces();
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > MAX_INCLUDED_BYTES)
      throw Errors.payloadTooLarge(
        `the file has more than ${MAX_INCLUDED_BYTES} bytes, the limit for all files in total`,
      );
    pieces.add(chunk);
  }
  return pieces.concat();
}
