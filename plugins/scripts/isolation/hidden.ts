import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { AgentEnvironment } from '../domain/environment.ts';
import { isWithin } from './within.ts';

/** Settings of svc, and of OpenTelemetry, which names files with keys too. */
const SETTING = /^(SVC|OTEL)_/;
/** Settings that name what isolated programs may see: what the owner shows, and code. */
const PUBLIC: ReadonlySet<string> = new Set(['SVC_AGENT_SHOW', 'SVC_PLUGINS', 'SVC_CONNECTORS']);
/**
 * Settings whose whole value is a path, whether something is there yet or not. Those of svc that end in `_KEY` hold the key itself:
 * what is hidden stands in the arguments of a process.
 */
const PATH_SETTING = /^SVC_.*_FILE$|^OTEL_.*_(?:KEY|CERTIFICATE)$|^SVC_AGENT_WORKDIR$|^SVC_ARTIFACTS$/;
/** Where the files to deploy with keep keys. */
const USUAL = ['/etc/svc'];
/** Longer values and files name no further files. */
const MAX_TEXT = 1024 * 1024;
const SQLITE = /^sqlite:(?!:)(?:\/\/)?(.+)$/;

export interface OwnParts {
  env: AgentEnvironment;
  /** The folder `.svc` of this process. */
  home: string;
  /** What is shown as a whole belongs to the machine, not to svc. */
  system: readonly string[];
  shown: readonly string[];
}

/**
 * What svc itself keeps on this machine, wherever it lies: every file that a setting names, logins, keys and databases. Looked
 * up anew for each program, because links to secrets are turned to new files while an agent runs.
 */
export function ownFiles({ env, home, system, shown }: OwnParts): string[] {
  const named = Object.entries(env).flatMap(([name, value]) =>
    SETTING.test(name) && !PUBLIC.has(name) && value ? filesIn(name, value) : [],
  );
  const { CREDENTIALS_DIRECTORY = '' } = env;
  const folders = [process.cwd(), ...(env.SVC_AGENT_WORKDIR ? [resolve(env.SVC_AGENT_WORKDIR)] : [])].flatMap(upwards);
  const profiles = join(env.XDG_CONFIG_HOME || join(homeOf(env), '.config'), 'svc');
  const kept = folders.map((folder) => join(folder, '.svc'));
  const all = [home, profiles, CREDENTIALS_DIRECTORY, ...USUAL, ...kept, ...named].filter((path) => isAbsolute(path));
  const real = all.flatMap((path) => (existsSync(path) ? [path, realpathSync(path)] : [path]));
  // A folder of the system, or one that holds what is shown, is not what was meant.
  const foreign = (path: string) => system.includes(path) || shown.some((one) => one !== path && isWithin(one, path));
  return [...new Set(real)].filter((path) => !foreign(path));
}

/** Empty for a user that is only a number, as in containers: it has no home. */
function homeOf({ HOME }: AgentEnvironment): string {
  try {
    return HOME || homedir();
  } catch {
    return '';
  }
}

const upwards = (folder: string): string[] =>
  folder === dirname(folder) ? [folder] : [folder, ...upwards(dirname(folder))];

/** Paths in the value of a setting: as a whole, behind a scheme or an `@`, in a list, in JSON. */
function filesIn(name: string, value: string): string[] {
  const text = value.trim().slice(0, MAX_TEXT);
  const sqlite = SQLITE.exec(text)?.[1];
  if (sqlite !== undefined) return databaseFiles(resolve(sqlite));
  const certain = PATH_SETTING.test(name) && !text.includes('://') ? [resolve(text)] : [];
  const read = text.startsWith('@') ? textOf(resolve(text.slice(1))) : '';
  const quoted = [...`${text}\n${read}`.matchAll(/"@((?:[^"\\]|\\.)+)"/g)].map(([, path]) => unquoted(path!));
  // A word that is no path is not taken for a file that happens to have its name.
  const parts = [text, ...text.split(/[:,;\s]/)].filter((part) => part.includes('/') || part.startsWith('@'));
  const likely = [...parts.map((part) => part.replace(/^@/, '')), ...quoted].map((path) => resolve(path));
  return [...certain, ...likely.filter((path) => existsSync(path))];
}

/** With what SQLite writes beside it, and the artifacts that lie there by default. */
const databaseFiles = (file: string): string[] => [
  ...['', '-wal', '-shm', '-journal'].map((end) => file + end),
  join(dirname(file), 'artifacts'),
];

function unquoted(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text; // It is no JSON: the setting is refused for that.
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').slice(0, MAX_TEXT);
  } catch {
    return ''; // It cannot be read: the setting is refused for that, or means something else.
  }
}
