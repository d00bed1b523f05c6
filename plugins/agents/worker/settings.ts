import { availableParallelism, hostname } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { statSync } from 'node:fs';
import { parseDuration, type Role, type Settings } from '../../../kernel/contracts/index.ts';
import { AgentErrors } from '../errors.ts';

/** The settings of this agent. */
export interface WorkerSettings {
  name: string;
  slots: number;
  /** Announced in addition to detected capabilities. */
  extra_capabilities: string[];
  workdir: string;
  /** How long running passes may continue when the agent stops. */
  drain_grace_ms: number;
}

const MAX_SLOTS = 1024;
const SLOTS_PER_CORE = 4;
const CAPABILITY = /^[A-Za-z0-9][A-Za-z0-9._:/+-]{0,63}$/;
const MAX_CAPABILITIES = 128;
/** The kernel limits the time of a plugin's stop; the grace period must leave time to kill and report. */
const MAX_GRACE_MS = 20_000;
const GRACE_MS = 10_000;
const CHANNEL_PATH = '/api/v1/agents/connect';

const given = (text: string | undefined, fallback: string) => (text === undefined || text === '' ? fallback : text);

/** Reads the `SVC_AGENT_*` variables. Throws `agent_setting_invalid` with the variable and its valid values. */
export function readWorkerSettings({ env, role }: Pick<Settings, 'env' | 'role'>): WorkerSettings {
  return {
    name: readName(given(env.SVC_AGENT_NAME, hostname() || 'agent')),
    slots: readSlots(given(env.SVC_AGENT_SLOTS, String(availableParallelism() * SLOTS_PER_CORE))),
    extra_capabilities: readCapabilities(env.SVC_AGENT_CAPS ?? ''),
    workdir: readFolder(given(env.SVC_AGENT_WORKDIR, '.')),
    drain_grace_ms: readGrace(env.SVC_DRAIN_GRACE, role),
  };
}

function readName(text: string): string {
  if (text.length > 128 || /\p{Cc}/u.test(text))
    throw AgentErrors.settingInvalid('SVC_AGENT_NAME must have at most 128 characters and no control characters');
  return text;
}

function readSlots(text: string): number {
  const slots = Number(text);
  if (!/^\d+$/.test(text) || slots < 1 || slots > MAX_SLOTS)
    throw AgentErrors.settingInvalid(`SVC_AGENT_SLOTS is "${text}"; it must be a whole number from 1 to ${MAX_SLOTS}`);
  return slots;
}

function readCapabilities(text: string): string[] {
  const list = [...new Set(text.split(/[,\s]+/).filter((capability) => capability !== ''))];
  const wrong = list.find((capability) => !CAPABILITY.test(capability));
  if (wrong !== undefined)
    throw AgentErrors.settingInvalid(
      `SVC_AGENT_CAPS names "${wrong}"; a capability is 1 to 64 of letters, digits and . _ : / + - and starts with a letter or digit`,
    );
  if (list.length > MAX_CAPABILITIES)
    throw AgentErrors.settingInvalid(
      `SVC_AGENT_CAPS names ${list.length} capabilities; the limit is ${MAX_CAPABILITIES}`,
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

/**
 * Address and token: SVC_URL (`http:`, `https:` or `unix:<socket>`) and SVC_TOKEN. Throws `agent_setting_invalid` or
 * `agent_token_missing`; neither message contains the token.
 */
export function readChannelTarget({ env, host, port }: Pick<Settings, 'env' | 'host' | 'port'>): {
  url: string;
  token: string;
} {
  const address = given(env.SVC_URL, `http://${host}:${port}`).replace(/\/+$/, '');
  const token = given(env.SVC_TOKEN, '').trim();
  if (token === '')
    throw AgentErrors.tokenMissing(`SVC_TOKEN is not set; the agent cannot authenticate at ${shown(address)}`);
  if (!/^[\x21-\x7e]{1,512}$/.test(token))
    throw AgentErrors.settingInvalid('SVC_TOKEN contains characters that a token cannot contain');
  if (address.startsWith('unix:')) return { url: `ws+unix:${resolve(address.slice(5))}:${CHANNEL_PATH}`, token };
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '')
    throw AgentErrors.settingInvalid(
      `SVC_URL is "${shown(address)}"; write it like https://svc.example.org, without a token in it`,
    );
  return { url: `${address.replace(/^http/i, 'ws')}${CHANNEL_PATH}`, token };
}

/** An address may contain a password by mistake. */
const shown = (address: string) => address.replace(/\/\/[^/@]*@/, '//***@').replace(/[?#].*$/, '');
