// Where programs that were compiled here are kept. What lies there is run, by servers with the master key in their
// environment too, so the folder must be one that nobody else can write to. Without such a folder nothing is kept.

// An import of a built-in module evaluates everything that it exports, which each command would pay for.
const { chmodSync, existsSync, lstatSync, mkdirSync, realpathSync } = process.getBuiltinModule('node:fs');
const { homedir } = process.getBuiltinModule('node:os');
const { dirname, join } = process.getBuiltinModule('node:path');

/** The user's own folder for compiled programs of one kind; undefined where there is none that is safe. */
export function ownCache(kind, env = process.env) {
  try {
    const base = env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache');
    const path = join(base, 'svc', kind);
    // root with the home of somebody else must not create a folder there that its owner cannot use.
    if (!areSafe(nearestFolder(path))) return undefined;
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const real = realpathSync(path);
    return isPrivate(real) && areSafe(dirname(real)) ? real : undefined;
  } catch {
    // A home that is not there or cannot be written: the command runs without a cache.
    return undefined;
  }
}

/** Nobody but this user, and root, can put anything into the folder or in its place. Throws when it is not there. */
export function isOwnFolder(path) {
  const real = realpathSync(path);
  const { uid, mode } = lstatSync(real);
  return uid === process.getuid() && (mode & WRITABLE_BY_OTHERS) === 0 && areSafe(dirname(real));
}

/** Whether the folder is the user's own; if it does not exist, whether the nearest parent that exists is. */
export const belongsToUser = (path) => isOwnFolder(nearestFolder(path));

/** The folder without links, or the nearest parent that exists. */
function nearestFolder(path) {
  let folder = path;
  while (!existsSync(folder)) folder = dirname(folder);
  return realpathSync(folder);
}

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

function isPrivate(path) {
  const { uid, mode } = lstatSync(path);
  if (uid !== process.getuid() || (mode & WRITABLE_BY_OTHERS) !== 0) return false;
  // Another program, such as Node itself, may have made it for all to read.
  if ((mode & 0o077) !== 0) chmodSync(path, 0o700);
  return true;
}

/** Whoever may write to a parent could put another folder in place of ours, unless the parent is sticky. */
function areSafe(parent) {
  for (let folder = parent; ; folder = dirname(folder)) {
    const { uid, mode } = lstatSync(folder);
    if (uid !== process.getuid() && uid !== 0) return false;
    if ((mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
