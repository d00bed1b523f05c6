import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { order } from '../../kernel/boot/order.ts';
import { register } from '../../kernel/boot/register.ts';
import { seal } from '../../kernel/boot/seal.ts';
import { systemClock } from '../../kernel/boot/services/clock.ts';
import { createIds } from '../../kernel/boot/services/ids.ts';
import { createLog } from '../../kernel/boot/services/log.ts';
import { readSettings } from '../../kernel/boot/settings.ts';
import { init, ready, type Started, start } from '../../kernel/boot/start.ts';
import { stopAll } from '../../kernel/boot/stop.ts';
import type { Resolve, Role, Settings } from '../../kernel/contracts/index.ts';
import {
  Clock,
  Database,
  HttpAddress,
  Ids,
  Log,
  Metrics,
  Settings as SettingsToken,
} from '../../kernel/contracts/index.ts';
import { openDatabase } from '../../kernel/database/index.ts';
import { createHttp, createMetrics } from '../../kernel/http/index.ts';
import { Registry } from '../../kernel/registry/registry.ts';
import { createDatabase, startMysql } from '../../test/support/mysql-server.ts';
import auditManifest from '../audit/plugin.json' with { type: 'json' };
import accessManifest from './plugin.json' with { type: 'json' };

/** A clock that a test moves forward. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

export function testClock(): TestClock {
  let ahead = 0;
  return {
    now: () => systemClock.now() + ahead,
    monotonic: () => systemClock.monotonic() + ahead,
    after: (delay_ms, run, options) => systemClock.after(delay_ms, run, options),
    advance: (ms) => {
      ahead += ms;
    },
  };
}

export interface House {
  use: Resolve;
  clock: TestClock;
  url: string;
  settings: Settings;
  stop(): Promise<void>;
}

export interface HouseRules {
  database_url: string;
  role?: Role;
  home?: string;
  env?: Record<string, string>;
  /** Manifests of further plugins, by folder name under plugins/. */
  plugins?: { id: string; requires: string[]; provides: string[]; contributes: string[] }[];
  /** Listen and start background work; else stop after init. */
  serves?: boolean;
}

/** A kernel with the access plugin (and those named) on a real database, listening on a free port. */
export async function startHouse(rules: HouseRules): Promise<House> {
  const clock = testClock();
  const ids = createIds(clock);
  const log = createLog('silent', {});
  const given = {
    database_url: rules.database_url,
    port: 0,
    ...(rules.home === undefined ? {} : { home: rules.home }),
  };
  const settings = { ...readSettings(rules.role ?? 'server', rules.env ?? {}, given), home: rules.home };
  const registry = new Registry();
  const handle = await openDatabase(settings, { clock, log, ids });
  const started: Started[] = [{ plugin: 'kernel.database', stop: () => handle.close() }];
  const stop = async () => {
    const { failures } = await stopAll(started, { clock, log, bound_ms: 10_000 });
    if (failures.length > 0) throw new Error(`the house did not stop cleanly: ${JSON.stringify(failures)}`);
  };
  let url = '';
  try {
    registry.bind('kernel', SettingsToken, () => settings);
    registry.bind('kernel', Clock, () => clock);
    registry.bind('kernel', Ids, () => ids);
    registry.bind('kernel', Log, () => log);
    registry.bind('kernel', Metrics, () => createMetrics());
    registry.bind('kernel', Database, () => handle.database);
    registry.bind('kernel', HttpAddress, () => ({ base_url: () => url, public_url: () => undefined }));
    const candidates = order(
      [auditManifest, accessManifest, ...(rules.plugins ?? [])].map((manifest) => ({
        manifest: manifest as typeof accessManifest,
        folder: resolve(import.meta.dirname, '..', manifest.id),
        origin: `plugins/${manifest.id}`,
        builtin: true,
      })),
    );
    const declared = await register(candidates, registry);
    seal(candidates, registry);
    await handle.migrate(declared.migrations);
    const phase = { role: settings.role, clock, bound_ms: 10_000, use: registry.use };
    await init(declared, phase);
    if (rules.serves !== false) {
      await start(declared, phase, started);
      const http = createHttp(registry.use);
      started.push({ plugin: 'kernel.http', stop: () => http.close(1000) });
      await http.listen();
      url = http.base_url();
      await ready(declared, phase);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { use: registry.use, clock, url, settings, stop };
}

export interface Engine {
  name: string;
  /** A new, empty database. */
  fresh(): Promise<{ url: string; drop(): Promise<void> }>;
  stop(): Promise<void>;
}

/** SQLite always; MySQL or MariaDB where the machine has one. */
export async function engines(): Promise<Engine[]> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-access-'));
  let count = 0;
  const sqlite: Engine = {
    name: 'SQLite',
    fresh: async () => {
      count += 1;
      return { url: `sqlite:${join(folder, `${count}`, 'svc.db')}`, drop: async () => {} };
    },
    stop: () => rm(folder, { recursive: true, force: true }),
  };
  const server = await startMysql();
  if (!('url' in server)) return [sqlite];
  return [sqlite, { name: 'MySQL', fresh: () => createDatabase(server.url), stop: () => server.stop() }];
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers member by member
  json: any;
  headers: Headers;
}

/** Calls the house's HTTP API as the holder of a token. */
export async function call(house: House, token: string | undefined, line: string, body?: unknown): Promise<Answer> {
  const [method = 'GET', path = '/'] = line.split(' ');
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const answer = await fetch(`${house.url}${path}`, init);
  const text = await answer.text();
  return { status: answer.status, json: text === '' ? undefined : JSON.parse(text), headers: answer.headers };
}
