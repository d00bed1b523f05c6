import { existsSync, realpathSync } from 'node:fs';
import type { AgentEnvironment } from '../domain/environment.ts';
import { ownFiles } from './hidden.ts';
import { isWithin } from './within.ts';

/** The programs, libraries and settings of the machine. Nothing of /home, /root, /opt, /srv, /var, /run or /sys. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/nix/store', '/gnu/store'];
/** Files outside of them that belong to one of them. */
const LINKED = ['/etc/resolv.conf', '/etc/localtime', '/etc/hosts', '/etc/ssl/certs/ca-certificates.crt'];
/** Variables of the agent that name public files. */
const CERTIFICATES = ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NIX_SSL_CERT_FILE'];

/** Paths that an isolated program sees read-only, or not at all. */
export interface Sight {
  shown: readonly string[];
  hidden: readonly string[];
}

export interface SightParts {
  env: AgentEnvironment;
  /** The Node.js that runs scripts. */
  node: string;
  /** Further folders and files that the agent's owner shows. */
  extra: readonly string[];
  /** The folder `.svc` of this process. */
  home: string;
}

export const isShown = (path: string, shown: readonly string[]): boolean =>
  shown.some((folder) => isWithin(path, folder));

/** The part of this machine that every isolated program sees. */
export function sightOf({ env, node, extra, home }: SightParts): Sight {
  const system = SYSTEM.filter((path) => existsSync(path)).flatMap((path) => [path, realpathSync(path)]);
  const shown = SYSTEM.filter((path) => existsSync(path));
  const more = [
    ...LINKED.filter((path) => existsSync(path)).map((path) => realpathSync(path)),
    ...CERTIFICATES.flatMap((name) => env[name] ?? []).filter((path) => path.startsWith('/') && existsSync(path)),
    node,
    ...extra.filter((path) => existsSync(path)),
  ];
  // A link is shown as the link that it is, so that what it names is shown too.
  for (const path of more.flatMap((one) => [one, realpathSync(one)])) if (!isShown(path, shown)) shown.push(path);
  // Folders before what lies in them: a mount covers what was there.
  const sorted = shown.toSorted((a, b) => a.length - b.length);
  return {
    shown: sorted,
    get hidden() {
      return ownFiles({ env, home, system, shown: sorted });
    },
  };
}

export interface PlanParts {
  sight: Sight;
  /** An empty folder of the agent. */
  root: string;
  report: string;
  /** Only where the agent is root. */
  user: number | undefined;
  /** What `Networks` gave out. */
  network: string | undefined;
  /** The folder of the pass: seen, not written. */
  folder: string;
  /** Folders of the agent that scripts read: the verb client and the SDKs. */
  tools: readonly string[];
  /** Folders below `folder` that the program writes. */
  own: readonly string[];
  /** What it has as /tmp. */
  tmp: string;
  /** Files of the pass that it has in place of those of the system. */
  covers: readonly (readonly [from: string, to: string])[];
  cwd: string;
}

/** The arguments of the native program `isolate`, up to the program that it runs. */
export function planArguments(parts: PlanParts): string[] {
  const { sight, root, report, user, network, folder, tools, own, tmp, covers, cwd } = parts;
  return [
    ...['--root', root, '--report', report],
    ...(user === undefined ? [] : ['--user', String(user)]),
    ...(network === undefined ? [] : ['--network', network]),
    // First, because folders that are shown may lie in it.
    ...['--own', tmp, '/tmp'],
    ...[...sight.shown, ...tools, folder].flatMap((path) => ['--show', path]),
    ...own.flatMap((path) => ['--own', path, path]),
    ...covers.flatMap(([from, to]) => ['--cover', from, to]),
    ...sight.hidden.flatMap((path) => ['--hide', path]),
    ...['--cwd', cwd, '--'],
  ];
}

/** True when a program and the file that it really is are in sight. */
export function isInSight(program: string, { shown }: Sight): boolean {
  return existsSync(program) && isShown(program, shown) && isShown(realpathSync(program), shown);
}
