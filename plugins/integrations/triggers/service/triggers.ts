import {
  type Database,
  Errors,
  type Fault,
  type Ids,
  MAX_DURATION_MS,
  isServiceError,
  type Page,
  parseDuration,
  type Sealer,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { Wakeups } from '../../../engine/runs/contract.ts';
import {
  type AuditedWrites,
  type NamedRequest,
  notFound,
  type ProjectScope,
  type ResourceService,
} from '../../../platform/resources/contract.ts';
import type { CredentialStates } from '../../../secrets/credentials/contract.ts';
import type { ConnectorTrigger, ConnectorTriggers, ConnectorValues } from '../../connectors/contract.ts';
import type { NodeRequest } from '../../requests/contract.ts';
import type { ConnectorManifests } from '../../manifests/contract.ts';
import { sealContext, TRIGGER } from '../domain/names.ts';
import { TriggerErrors } from '../errors.ts';
import type { PutTriggerBody } from '../generated/put-trigger.ts';
import type { TriggerView } from '../generated/trigger.ts';
import { removeAllSeen, type TriggerRow, triggers } from '../store/triggers.ts';
import { toView, type TriggerConfig } from './view.ts';

/** The wakeup topic for triggers that may be due earlier than before. */
export const CHANGED_TOPIC = 'triggers.changed';

const MAX_EVERY_MS = 7 * 86_400_000;

export interface TriggerDeps {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  writes: AuditedWrites;
  sources: ConnectorTriggers;
  manifests: Pick<ConnectorManifests, 'find'>;
  states: CredentialStates;
  wakeups: Pick<Wakeups, 'topic'>;
}

const invalid = (pointer: string, message: string, more: readonly Fault[] = []) =>
  Errors.invalidRequest(`${pointer.slice(1)} ${message}`, { errors: [{ pointer, message }, ...more] });

/** Sets, shows, pauses and removes triggers. */
export class Triggers implements ResourceService<PutTriggerBody> {
  readonly #deps: TriggerDeps;

  constructor(deps: TriggerDeps) {
    this.#deps = deps;
  }

  /** Throws `invalid_request`, `triggers_full` and the errors of a credential that cannot be used. */
  async set(call: NamedRequest, body: PutTriggerBody) {
    const { database, sealer, ids, writes, wakeups } = this.#deps;
    const source = this.#findSource(body);
    const every_ms = readEvery(body.every, source);
    const config: TriggerConfig = { with: body.with ?? {}, input: body.input ?? {} };
    const { url } = toRequest(source, config);
    await this.#checkCredential(call.scope, body.credential, source, url);
    await sealer.prepare(call.scope.org_id);
    const { org_id, project_id } = call.scope;
    const trigger_id = ids.next('trg');
    const { made, row } = await writes.write(
      call,
      'trigger.set',
      async (tx) => {
        const present = await triggers.lock(tx, call.scope, call.name);
        // Another list begins anew; the same list continues where it is.
        const is_same = present?.connector === body.connector && present.source === body.trigger;
        if (present && !is_same) await removeAllSeen(tx, present);
        const now = database.now();
        const id = present?.trigger_id ?? trigger_id;
        const is_paused = body.paused ?? (present !== undefined && present.paused_at !== null);
        const written: TriggerRow = {
          ...(is_same ? present : NEW),
          ...{ org_id, project_id, name: call.name, trigger_id: id },
          ...{ connector: body.connector, source: body.trigger, credential: body.credential ?? null, every_ms },
          from_beginning: body.from === 'beginning' ? 1 : 0,
          epoch: Number(present?.epoch ?? 0) + 1,
          next_poll: is_paused ? null : now,
          lease_until: 0,
          failures: 0,
          ...pauseOf(is_paused, present, call, now),
          ...{ created_at: present?.created_at ?? now, set_at: now, set_by: call.by.principal?.id ?? null },
          config: sealer.seal(sealContext(call.scope, id, 'config'), Buffer.from(JSON.stringify(config))),
        };
        return { made: await triggers.put(tx, written), row: written };
      },
      () => `${body.connector}.${body.trigger}`,
    );
    wakeups.topic(CHANGED_TOPIC);
    return { made, view: this.#open(row) };
  }

  #findSource({ connector, trigger }: PutTriggerBody): ConnectorTrigger {
    const source = this.#deps.sources.find(connector, trigger);
    if (source) return source;
    const manifest = this.#deps.manifests.find(connector);
    if (manifest === undefined)
      throw invalid('/connector', 'is not a connector of this server; `svc connector ls` lists them');
    const names = Object.keys(manifest.triggers ?? {}).join(', ');
    throw invalid('/trigger', names === '' ? `is unknown: ${connector} has no triggers` : `must be one of ${names}`);
  }

  async #checkCredential(
    scope: ProjectScope,
    name: string | undefined,
    { connector }: ConnectorTrigger,
    url: string,
  ): Promise<void> {
    const { database, states } = this.#deps;
    const { credential } = connector;
    if (credential === undefined) {
      if (name !== undefined) throw invalid('/credential', `must be absent: ${connector.name} uses none`);
      return;
    }
    if (name === undefined) {
      if (credential.required === false) return;
      throw invalid('/credential', `is required: ${connector.name} needs one of kind ${credential.kind}`);
    }
    const request = { name, kinds: [credential.kind], destination: { url } };
    const [state] = await states.states(database, scope, [request]);
    const error = states.toError(request, state!);
    if (error) throw error;
  }

  /** Throws `not_found`. */
  async read({ scope, name }: NamedRequest): Promise<TriggerView> {
    const row = await triggers.get(this.#deps.database, scope, name);
    await this.#deps.sealer.prepare(scope.org_id);
    return this.#open(row);
  }

  async list(scope: ProjectScope, page: Page) {
    await this.#deps.sealer.prepare(scope.org_id);
    return triggers.page(this.#deps.database, scope, page, (row) => this.#open(row));
  }

  #open(row: TriggerRow): TriggerView {
    const { sealer, sources } = this.#deps;
    const source = sources.find(row.connector, row.source);
    return toView(row, { ...openTrigger(sealer, row), default_every_ms: source?.every_ms });
  }

  /** Polls no more until it is resumed. A poll that is in progress stores nothing. Throws `not_found`. */
  pause(call: NamedRequest): Promise<TriggerView> {
    return this.#change(call, 'trigger.pause', (row, now) => ({ ...pauseOf(true, row, call, now), next_poll: null }));
  }

  /** Polls at once, from where it was. Throws `not_found`. */
  resume(call: NamedRequest): Promise<TriggerView> {
    return this.#change(call, 'trigger.resume', (row, now) => ({
      ...pauseOf(false, row, call, now),
      next_poll: row.next_poll ?? now,
    }));
  }

  /** Polls at once, and then at its interval. Throws `not_found`, `trigger_paused`. */
  poll(call: NamedRequest): Promise<TriggerView> {
    return this.#change(call, 'trigger.poll', (row, now) => {
      if (row.paused_at !== null) throw TriggerErrors.triggerPaused(`the trigger ${row.name} is paused`);
      return { next_poll: now };
    });
  }

  async #change(call: NamedRequest, action: string, change: (row: TriggerRow, now: number) => Partial<TriggerRow>) {
    const { database, sealer, writes, wakeups } = this.#deps;
    await sealer.prepare(call.scope.org_id);
    const row = await writes.write(call, action, async (tx) => {
      const present = await triggers.lock(tx, call.scope, call.name);
      if (present === undefined) throw notFound(TRIGGER, call.name);
      const epoch = Number(present.epoch) + 1;
      const changed = { ...present, lease_until: 0, ...change(present, database.now()), epoch };
      await triggers.replace(tx, changed);
      return changed;
    });
    wakeups.topic(CHANGED_TOPIC);
    return this.#open(row);
  }

  /** Throws `not_found`. */
  remove(call: NamedRequest): Promise<void> {
    const remove = async (tx: Transaction, scope: ProjectScope, name: string) => {
      const present = await triggers.lock(tx, scope, name);
      if (!present) return false;
      await removeAllSeen(tx, present);
      return triggers.remove(tx, scope, name);
    };
    return this.#deps.writes.remove(call, 'trigger.delete', { ...TRIGGER, remove });
  }
}

const NEW = {
  ...{ started: 0, polled_at: null, items: null, events: null, error_code: null, error: null, warning: null },
  position: null,
};

function pauseOf(
  is_paused: boolean,
  present: Pick<TriggerRow, 'paused_at' | 'paused_by'> | undefined,
  { by }: NamedRequest,
  now: number,
): Pick<TriggerRow, 'paused_at' | 'paused_by'> {
  if (!is_paused) return { paused_at: null, paused_by: null };
  if (present && present.paused_at !== null) return { paused_at: present.paused_at, paused_by: present.paused_by };
  return { paused_at: now, paused_by: by.principal?.name ?? null };
}

function readEvery(text: string | undefined, { every_ms, least_ms, connector, name }: ConnectorTrigger): number {
  if (text === undefined) return every_ms;
  let ms = MAX_DURATION_MS;
  try {
    ms = parseDuration(text);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    throw invalid('/every', 'must be a duration such as 5m');
  }
  if (ms < least_ms || ms > MAX_EVERY_MS)
    throw invalid('/every', `must be from ${least_ms / 1000}s, as ${connector.name}.${name} requires, to 7d`);
  return ms;
}

/** The request of a poll without a cursor. Throws `invalid_request`. */
function toRequest(source: ConnectorTrigger, config: TriggerConfig): NodeRequest {
  if ('cursor' in config.input) throw invalid('/input/cursor', 'must be absent: svc sets it');
  const { with: fields, input } = config as { with: ConnectorValues; input: ConnectorValues };
  const lowered = source.lower({ with: fields, input, cursor: undefined });
  if ('request' in lowered) return lowered.request;
  const [{ pointer, message } = { pointer: '', message: 'has an invalid value' }, ...more] = lowered.faults;
  throw invalid(pointer, message, more);
}

/** The values of a trigger and its cursor. The org's keys are loaded. */
export function openTrigger(sealer: Pick<Sealer, 'open'>, row: TriggerRow): { config: TriggerConfig; cursor: unknown } {
  const open = (field: 'config' | 'position', sealed: Buffer): unknown =>
    JSON.parse(sealer.open(sealContext(row, row.trigger_id, field), sealed).toString());
  return {
    config: open('config', row.config) as TriggerConfig,
    cursor: row.position === null ? undefined : open('position', row.position),
  };
}
