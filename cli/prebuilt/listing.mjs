// Lists what a prebuilt file was built from, and compares the list with what is here now.
const { readFileSync, statfsSync, statSync } = process.getBuiltinModule('node:fs');
const { join } = process.getBuiltinModule('node:path');

/**
 * A file is unchanged if its inode says so: a write, or another file in its place, changes the time of the inode, which nobody can
 * set. But this time is as coarse as a tick of the kernel, and a file that is mapped into memory may be written for some time
 * after it. So it is trusted only for files that had not changed for a minute when they were read.
 */
const MIN_AGE_MS = 60_000;

/** Only local file systems are trusted: ext, XFS, Btrfs, ZFS, F2FS, bcachefs, overlays. On others, contents are compared. */
export const LOCAL_FILE_SYSTEMS = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0xca451a4e, 0x794c7630,
]);

const FIELDS = ['size', 'mtimeMs', 'ctimeMs', 'ino', 'dev'];

/**
 * Lists the current inputs. `began` is when the first of them was read. Undefined if a file was written since shortly before that,
 * because nobody can say which contents were read. Throws if one cannot be read.
 */
export function listingOf({ home, entry, inputs, began }) {
  const digests = inputs.map((path) => digestOf(join(home, path)));
  const stats = inputs.flatMap((path) => fieldsOf(statSync(join(home, path))));
  if (inputs.some((_, index) => changedAt(stats, index) > began - LAG_MS)) return undefined;
  return { digest: hash('sha256', [entry, ...inputs, ...digests].join('\0')), began, entry, inputs, digests, stats };
}

/** How far the times of a file system may be behind the clock. */
const LAG_MS = 50;

/** Loaded only if something has changed. */
const hash = (...given) => process.getBuiltinModule('node:crypto').hash(...given);

const digestOf = (path) => hash('sha256', readFileSync(path), 'base64');
const fieldsOf = (stat) => FIELDS.map((field) => stat[field]);
const changedAt = (stats, index) => stats[index * FIELDS.length + FIELDS.indexOf('ctimeMs')];

/** Whether nothing has changed since the listing. `renewed` is the same listing with newer times, if it saves reading contents. */
export function compare(home, entry, listing) {
  if (entry !== listing.entry) return { same: false };
  const { inputs, stats, digests } = listing;
  const began = Date.now();
  const trusted = trustedUntil(home, listing);
  let renewed;
  for (const [index, path] of inputs.entries()) {
    // Normalizing the path would take longer than what is asked of the file system.
    const full = `${home}/${path}`;
    const stat = statSync(full, { throwIfNoEntry: false });
    if (stat === undefined) return { same: false };
    const at = index * FIELDS.length;
    const isAsListed = FIELDS.every((field, offset) => stats[at + offset] === stat[field]);
    if (isAsListed && stat.ctimeMs < trusted) continue;
    if (digestOf(full) !== digests[index]) return { same: false };
    if (stat.ctimeMs >= began - MIN_AGE_MS) continue;
    renewed ??= { ...listing, began, stats: [...stats] };
    renewed.stats.splice(at, FIELDS.length, ...fieldsOf(stat));
  }
  return { same: true, renewed: trusted === 0 ? undefined : renewed };
}

function trustedUntil(home, { began }) {
  const isLocal = ['.', 'node_modules'].every((folder) => LOCAL_FILE_SYSTEMS.has(statfsSync(join(home, folder)).type));
  return isLocal ? began - MIN_AGE_MS : 0;
}
