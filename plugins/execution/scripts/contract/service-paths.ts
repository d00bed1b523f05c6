import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A file or folder of svc itself: keys, logins, data. */
export interface ServicePath {
  path: string;
  /** The setting that names it, or what it is. */
  origin: string;
}

/** Settings of svc, and of OpenTelemetry, which names files with keys too. */
const SETTING = /^(SVC|OTEL)_/;
/** Settings that name what isolated programs may see: what the owner shows, and code. */
const PUBLIC: ReadonlySet<string> = new Set(['SVC_AGENT_SHOW', 'SVC_PLUGINS', 'SVC_CONNECTORS']);
/**
 * Settings whose entire value is a path, whether it exists yet or not. Settings of svc that end in `_KEY` contain the
 * key itself, which must not appear in the arguments of a process.
 */
const PATH_SETTING = /^SVC_.*_FILE$|^OTEL_.*_(?:KEY|CERTIFICATE)$|^SVC_AGENT_WORKDIR$|^SVC_ARTIFACTS$/;
/** Where the deployment files keep keys. */
const DEFAULT_KEY_FOLDERS = ['/etc/svc'];
/** Longer values and files are not searched for file names. */
const MAX_TEXT = 1024 * 1024;
const SQLITE = /^sqlite:(?!:)(?:\/\/)?(.+)$/;

/**
 * Returns the files of svc itself that a process with these settings knows, with and without links: every file that a
 * setting names, stored logins, and the folders where deployments put keys. The folders `.svc` are not among them.
 */
export function findServicePaths(env: Environment): ServicePath[] {
  const named = Object.entries(env).flatMap(([name, value]) =>
    SETTING.test(name) && !PUBLIC.has(name) && value
      ? findPaths(name, value).map((path) => ({ path, origin: name }))
      : [],
  );
  const profiles = join(env.XDG_CONFIG_HOME || join(findHome(env), '.config'), 'svc');
  const paths: ServicePath[] = [
    { path: profiles, origin: 'stored logins' },
    { path: env.CREDENTIALS_DIRECTORY ?? '', origin: 'CREDENTIALS_DIRECTORY' },
    ...DEFAULT_KEY_FOLDERS.map((path) => ({ path, origin: 'keys' })),
    ...named,
  ];
  return paths.filter(({ path }) => isAbsolute(path)).flatMap((one) => withTarget(one));
}

const withTarget = (one: ServicePath): ServicePath[] =>
  existsSync(one.path) ? [one, { ...one, path: realpathSync(one.path) }] : [one];

/** Returns an empty text for a user that is only a number, as in containers, because it has no home. */
function findHome({ HOME }: Environment): string {
  try {
    return HOME || homedir();
  } catch {
    return '';
  }
}

/** Finds paths in the value of a setting: the entire value, after a scheme or an `@`, in a list, or in JSON. */
function findPaths(name: string, value: string): string[] {
  const text = value.trim().slice(0, MAX_TEXT);
  const sqlite = SQLITE.exec(text)?.[1];
  if (sqlite !== undefined) return databaseFiles(resolve(sqlite));
  const certain = PATH_SETTING.test(name) && !text.includes('://') ? [resolve(text)] : [];
  const read = text.startsWith('@') ? readText(resolve(text.slice(1))) : '';
  const quoted = [...`${text}\n${read}`.matchAll(/"@((?:[^"\\]|\\.)+)"/g)].map(([, path]) => unquoted(path!));
  // A word that is not a path is not taken for a file that happens to have its name.
  const words = [text, ...text.split(/[:,;\s]/)].filter((part) => part.includes('/') || part.startsWith('@'));
  const likely = [...words.map((part) => part.replace(/^@/, '')), ...quoted].map((path) => resolve(path));
  return [...certain, ...likely.filter((path) => existsSync(path))];
}

/** Returns a database with the files that SQLite writes next to it, and the default folder of artifacts. */
const databaseFiles = (file: string): string[] => [
  ...['', '-wal', '-shm', '-journal'].map((end) => file + end),
  join(dirname(file), 'artifacts'),
];

function unquoted(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text; // It is not JSON; the setting is rejected for that.
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').slice(0, MAX_TEXT);
  } catch {
    return ''; // It cannot be read; the setting is rejected for that, or means something else.
  }
}
