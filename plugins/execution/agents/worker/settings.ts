import { availableParallelism, hostname, tmpdir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { statSync } from 'node:fs';
import { parseDuration, type Role, type Settings, redactAddress } from '../../../../kernel/contracts/index.ts';
import type { AgentIsolation } from '../contract.ts';
import { type RunAs, readRunAs } from '../contract/run-as.ts';
import { isAgentName } from '../domain/agent-name.ts';
import { AgentErrors } from '../errors.ts';

/** The settings of this agent. */
export interface WorkerSettings {
  name: string;
  slots: number;
  /** Announced in addition to the detected capabilities. */
  extra_capabilities: string[];
  workdir: string;
  /** What isolated programs see besides the system's folders. */
  visible_paths: readonly string[];
  /** What the agent does with untrusted work. */
  untrusted: AgentIsolation['untrusted'];
  /** Which programs are isolated from the rest of the machine. */
  isolate: 'untrusted' | 'all';
  /** What isolated programs can reach of the network. */
  network: 'host' | 'loopback-denied' | 'none';
  /** The users whose processes trusted programs become. Without it, they are the agent's processes. */
  run_as?: RunAs | undefined;
  /**
   * Trusted programs run as root: they may read the agent's memory, and with it the secrets of each project that it
   * serves.
   */
  as_root?: boolean;
  /** How long running passes may continue when the agent stops. */
  drain_grace_ms: number;
}

/** Prefix of the capabilities that nobody can claim by name. */
const RESERVED = 'svc:';
const MAX_NAME = 128;
const MAX_SLOTS = 1024;
const SLOTS_PER_CORE = 4;
const CAPABILITY = /^[A-Za-z0-9][A-Za-z0-9._:/+-]{0,63}$/;
const MAX_CAPABILITIES = 128;
/** The kernel limits how long a plugin may take to stop; the grace period must leave time to kill and report. */
const MAX_GRACE_MS = 20_000;
const GRACE_MS = 10_000;
const CHANNEL_PATH = '/api/v1/agents/connect';

const valueOr = (text: string | undefined, fallback: string) => (text === undefined || text === '' ? fallback : text);

/** Reads the `SVC_AGENT_*` variables. Throws `agent_setting_invalid` with the variable and its valid values. */
export function readWorkerSettings({ env, role }: Pick<Settings, 'env' | 'role'>): WorkerSettings {
  const isolate = parseEnum('SVC_AGENT_ISOLATE', valueOr(env.SVC_AGENT_ISOLATE, 'untrusted'), ISOLATE);
  const untrusted = parseEnum('SVC_AGENT_UNTRUSTED', valueOr(env.SVC_AGENT_UNTRUSTED, 'isolate'), UNTRUSTED);
  const run_as = readRunAs(env.SVC_AGENT_RUN_AS);
  if (run_as !== undefined && 'fault' in run_as) throw AgentErrors.settingInvalid(run_as.fault);
  const allow_root = parseEnum('SVC_AGENT_ALLOW_ROOT', valueOr(env.SVC_AGENT_ALLOW_ROOT, 'off'), ON_OFF) === 'on';
  const is_root = process.getuid?.() === 0;
  if (run_as !== undefined && !is_root)
    throw AgentErrors.settingInvalid(
      'SVC_AGENT_RUN_AS is set, but only an agent that runs as root can run programs as another user',
    );
  const apart = run_as !== undefined || isolate === 'all' || untrusted === 'only';
  return {
    name: readName(valueOr(env.SVC_AGENT_NAME, hostname() || 'agent')),
    slots: readSlots(valueOr(env.SVC_AGENT_SLOTS, String(availableParallelism() * SLOTS_PER_CORE))),
    extra_capabilities: readCapabilities(env.SVC_AGENT_CAPS ?? ''),
    workdir: readFolder(valueOr(env.SVC_AGENT_WORKDIR, '.')),
    visible_paths: parseVisiblePaths(env.SVC_AGENT_SHOW, [
      env.TMPDIR ?? tmpdir(),
      env.XDG_RUNTIME_DIR ?? '',
      '/dev/shm',
    ]),
    untrusted,
    isolate,
    run_as,
    as_root: is_root && !apart && !allow_root,
    network: parseEnum('SVC_AGENT_NETWORK', valueOr(env.SVC_AGENT_NETWORK, 'host'), NETWORK),
    drain_grace_ms: readGrace(env.SVC_DRAIN_GRACE, role),
  };
}

const SERVER_SLOTS = 64;
/** A stopping server lets its requests finish, because the agent that takes over would send them again. */
const SERVER_GRACE_MS = 5000;

/** Reads `SVC_SERVER_HTTP`: `off`, or how many requests a server sends at once. Returns undefined for `off`. */
export function readServerSettings(
  { env, role }: Pick<Settings, 'env' | 'role'>,
  name: string,
): WorkerSettings | undefined {
  const text = valueOr(env.SVC_SERVER_HTTP, String(SERVER_SLOTS));
  if (text === 'off') return undefined;
  const grace = valueOr(env.SVC_DRAIN_GRACE, role === 'server' ? `${SERVER_GRACE_MS}ms` : '0ms');
  return {
    name: name.slice(0, MAX_NAME),
    slots: readSlots(text, 'SVC_SERVER_HTTP', 'off or '),
    extra_capabilities: [],
    workdir: '/',
    visible_paths: [],
    untrusted: 'refuse',
    isolate: 'untrusted',
    network: 'host',
    drain_grace_ms: readGrace(grace, role),
  };
}

/** Reads `SVC_AGENT_SHOW`. The folders in which agents keep all passes must stay hidden from programs. */
function parseVisiblePaths(text = '', hidden: readonly string[] = []): string[] {
  const paths = text.split(':').filter((path) => path !== '');
  for (const path of paths) {
    const wrong = (what: string) => AgentErrors.settingInvalid(`SVC_AGENT_SHOW contains "${path}", which ${what}`);
    if (!isAbsolute(path)) throw wrong('is not an absolute path');
    if (!statSync(path, { throwIfNoEntry: false })) throw wrong('does not exist');
    if (hidden.some((folder) => `${folder}/`.startsWith(`${path.replace(/\/+$/, '')}/`)))
      throw wrong('contains the folders of other runs');
  }
  return paths;
}

const UNTRUSTED = ['refuse', 'isolate', 'only'] as const;
const ISOLATE = ['untrusted', 'all'] as const;
const ON_OFF = ['on', 'off'] as const;
const NETWORK = ['host', 'loopback-denied', 'none'] as const;

function parseEnum<T extends string>(variable: string, text: string, values: readonly T[]): T {
  const value = values.find((candidate) => candidate === text);
  if (value !== undefined) return value;
  throw AgentErrors.settingInvalid(`${variable} is "${text}"; it must be one of ${values.join(', ')}`);
}

function readName(text: string): string {
  if (!isAgentName(text))
    throw AgentErrors.settingInvalid('SVC_AGENT_NAME must have at most 128 characters and no control characters');
  return text;
}

function readSlots(text: string, variable = 'SVC_AGENT_SLOTS', or = ''): number {
  const slots = Number(text);
  if (!/^\d+$/.test(text) || slots < 1 || slots > MAX_SLOTS)
    throw AgentErrors.settingInvalid(`${variable} is "${text}"; it must be ${or}a whole number from 1 to ${MAX_SLOTS}`);
  return slots;
}

function readCapabilities(text: string): string[] {
  const list = [...new Set(text.split(/[,\s]+/).filter((capability) => capability !== ''))];
  const reserved = list.find((capability) => capability.startsWith(RESERVED));
  if (reserved !== undefined)
    throw AgentErrors.settingInvalid(
      `SVC_AGENT_CAPS contains "${reserved}"; capabilities that begin with ${RESERVED} are detected by the agent`,
    );
  const invalid = list.find((capability) => !CAPABILITY.test(capability));
  if (invalid !== undefined)
    throw AgentErrors.settingInvalid(
      `SVC_AGENT_CAPS contains "${invalid}"; a capability has 1 to 64 letters, digits and . _ : / + - and starts with a letter or digit`,
    );
  if (list.length > MAX_CAPABILITIES)
    throw AgentErrors.settingInvalid(
      `SVC_AGENT_CAPS has ${list.length} capabilities; the limit is ${MAX_CAPABILITIES}`,
    );
  return list;
}

function readFolder(text: string): string {
  const folder = isAbsolute(text) ? text : resolve(text);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw AgentErrors.settingInvalid(`SVC_AGENT_WORKDIR is "${text}", which is not a folder`);
  return folder;
}

function readGrace(text: string | undefined, role: Role): number {
  if (text === undefined || text === '') return role === 'agent' ? GRACE_MS : 0;
  let grace_ms: number;
  try {
    grace_ms = parseDuration(text);
  } catch (error) {
    throw AgentErrors.settingInvalid(`SVC_DRAIN_GRACE: ${(error as Error).message}`, { cause: error });
  }
  if (grace_ms > MAX_GRACE_MS)
    throw AgentErrors.settingInvalid(`SVC_DRAIN_GRACE is "${text}"; it must be at most ${MAX_GRACE_MS / 1000}s`);
  return grace_ms;
}

type ServerLocation = Pick<Settings, 'env' | 'host' | 'port'>;

/** Where the server is: `http:`, `https:`, or the path of its Unix socket. */
export interface ServerAddress {
  url: string;
  socket_path: string | undefined;
  token: string;
}

/** Returns the address of the agent channel and the token. Throws like `readServerAddress`. */
export function readChannelTarget(location: ServerLocation): { url: string; token: string } {
  const { url, socket_path, token } = readServerAddress(location);
  if (socket_path !== undefined) return { url: `ws+unix:${socket_path}:${CHANNEL_PATH}`, token };
  return { url: `${url.replace(/^http/i, 'ws')}${CHANNEL_PATH}`, token };
}

/**
 * Reads address and token: SVC_URL (`http:`, `https:` or `unix:<socket>`) and SVC_TOKEN. Throws
 * `agent_setting_invalid` or `agent_token_missing`; neither message contains the token.
 */
export function readServerAddress({ env, host, port }: ServerLocation): ServerAddress {
  const address = valueOr(env.SVC_URL, `http://${host}:${port}`).replace(/\/+$/, '');
  const token = valueOr(env.SVC_TOKEN, '').trim();
  if (token === '')
    throw AgentErrors.tokenMissing(
      `SVC_TOKEN is not set; the agent cannot authenticate with ${redactAddress(address)}`,
    );
  if (!/^[\x21-\x7e]{1,512}$/.test(token)) throw AgentErrors.settingInvalid('SVC_TOKEN contains invalid characters');
  if (address.startsWith('unix:')) return { url: 'http://localhost', socket_path: resolve(address.slice(5)), token };
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '')
    throw AgentErrors.settingInvalid(
      `SVC_URL is "${redactAddress(address)}"; write it like https://svc.example.org, without a token in it`,
    );
  return { url: address, socket_path: undefined, token };
}
