import type { Client, Invocation } from '../../../../../cli/contract.ts';
import { isSame } from './compare.ts';
import {
  type Companion,
  type Exporting,
  type Members,
  readWorkflowFile,
  splitWorkflow,
  withKind,
} from './workflow-files.ts';

/** An object of the project as the server shows it. */
export interface LiveObject {
  name: string;
  view: Members;
  /** What a file says of it: a body that can be compared. */
  body: Members;
}

/** An object as its file describes it. */
export interface DesiredObject {
  kind: Kind;
  name: string;
  /** `handlers/report.yaml`, relative to the folder. */
  path: string;
  body: Members;
  /** The text of its document before it is bundled. */
  written?: string | undefined;
  /** Carries the contents of included files. */
  workflow?: object | undefined;
}

export interface Reading {
  folder: string;
  path: string;
  invocation: Invocation;
  /** Reads a file beside it. Throws for one outside of the folder. */
  text(named: string): Promise<string>;
}

type Read = Pick<DesiredObject, 'body' | 'written' | 'workflow'>;

/** What is needed to change an object. */
export interface Writing {
  api: Client;
  name: string;
  body: Members;
  live: LiveObject | undefined;
  env: Readonly<Record<string, string | undefined>>;
}

/** The members of an object's file, and the files beside it. */
interface ObjectFiles {
  members: Members;
  companions: Companion[];
}

/** A kind of object that files describe. The folder of its files is its name. */
export interface Kind {
  folder: string;
  /** The operation whose body its files have. */
  operation: string;
  /** The role that changes it, and that applied it as applied. */
  role: 'member' | 'admin';
  /** What only people set, with the command for it: svc compares it and does not change it. */
  set_by_people?: (name: string, body: Members) => string;
  /** The names of what the server has, without what other resources manage. */
  list(api: Client): Promise<Members[]>;
  nameOf(view: Members): string;
  /** Whether a list already shows all that files contain. */
  complete_list?: true;
  /** The names that an export writes, where the project does not use all of them. */
  used?(api: Client): Promise<ReadonlySet<string>>;
  toBody(view: Members, api: Client): Promise<Members> | Members;
  toFile(name: string, body: Members, exporting: Exporting): Promise<ObjectFiles> | ObjectFiles;
  read(members: Members, reading: Reading): Promise<Read>;
  /** Completes a body from a file with what it need not say, so that both can be compared. */
  complete(body: Members, live: LiveObject | undefined): Members;
  write(writing: Writing): Promise<Written>;
  /** The path that removes it, if it is not the one that creates it. */
  removalPath?(live: LiveObject): string | undefined;
}

export interface Written {
  made: boolean;
  warnings: readonly string[];
  /** What to do next, such as to rotate a secret to see it. */
  next?: string | undefined;
}

export const pick = (from: Members, names: readonly string[]): Members =>
  Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));

export const omit = (from: Members, ...names: readonly string[]): Members =>
  Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));

const encoded = (name: string) => encodeURIComponent(name);

export const pathOf = ({ folder }: Pick<Kind, 'folder'>, name: string): string => `/${folder}/${encoded(name)}`;

interface Answer {
  warnings?: readonly string[];
}

export async function put(api: Client, path: string, body: unknown): Promise<Written & { answer: Members }> {
  const { status, body: answer } = await api.answer<Members & Answer>({ method: 'PUT', path: api.scoped(path), body });
  return { made: status === 201, warnings: answer?.warnings ?? [], answer: answer ?? {} };
}

/** What a workflow in a file can say, except for its document. */
const WORKFLOW_BODY =
  'kind filename source graph function node config interpreter input args files env credentials tags subject requires cancel_on checkout timeout'.split(
    ' ',
  );
const HANDLER_BODY = ['on', 'when', 'concurrency', 'throttle', 'rate_limit', 'debounce', 'batch', 'priority', 'retry'];
const SCHEDULE_BODY = ['cron', 'timezone', 'subject', 'paused', 'overlap', 'jitter', 'catch_up', 'deadline'];

async function readAs(members: Members, reading: Reading, pointer: string): Promise<Read> {
  const { folder, path, invocation } = reading;
  const { body, workflow } = await readWorkflowFile(members, { folder, path, pointer }, invocation);
  const written = typeof members.file === 'string' ? await reading.text(members.file) : undefined;
  return { body, written, workflow };
}

/** The list of a kind, page by page. */
const lister = (folder: string) => async (api: Client) => {
  const { readAll } = await import('../../../../../cli/contract.ts');
  const all = await readAll<Members>(api, api.scoped(`/${folder}`), folder.replaceAll('-', '_'));
  return all.filter(({ owner }) => owner === undefined);
};

const named = ({ name }: Members): string => String(name);

/** A kind whose workflow is a member of it. */
const nestedWorkflow = (folder: string, direct: readonly string[]): Pick<Kind, 'toFile' | 'read'> => ({
  async toFile(name, { workflow, ...all }, exporting) {
    // Only a paused schedule says so: whether the others are paused is left to people.
    const rest = all.paused === false ? omit(all, 'paused') : all;
    const split = workflow
      ? await splitWorkflow(workflow as Members, { folder, name }, exporting)
      : { members: undefined, companions: [] };
    return {
      members: { ...pick(rest, direct), ...(split.members && { workflow: split.members }) },
      companions: split.companions,
    };
  },
  async read({ workflow, ...rest }, reading) {
    if (workflow === undefined || workflow === null) return { body: rest };
    const { body, ...more } = await readAs(workflow as Members, reading, '/workflow');
    return { body: { ...rest, workflow: body }, ...more };
  },
});

const withNestedKind = (body: Members, live: LiveObject | undefined): Members =>
  body.workflow === undefined
    ? body
    : { ...body, workflow: withKind(body.workflow as Members, live?.body.workflow as Members | undefined) };

const HANDLERS: Kind = {
  folder: 'handlers',
  operation: 'putHandler',
  role: 'member',
  list: lister('handlers'),
  nameOf: named,
  toBody: (view) => pick(view, [...HANDLER_BODY, ...WORKFLOW_BODY]),
  async toFile(name, body, exporting) {
    const at = { folder: 'handlers', name };
    const { members, companions } = await splitWorkflow(pick(body, WORKFLOW_BODY), at, exporting);
    return { members: { ...pick(body, HANDLER_BODY), ...members }, companions };
  },
  read: (members, reading) => readAs(members, reading, ''),
  complete(body, live) {
    const { concurrency, retry } = body as { concurrency?: Members; retry?: Members };
    const completed = {
      ...body,
      ...(concurrency && { concurrency: { limit: 1, ...concurrency } }),
      ...(retry && { retry: { limit: 1, backoff: '10s', backoff_max: '1h', ...retry } }),
    };
    return withKind(completed, live?.body);
  },
  write: ({ api, name, body }) => put(api, pathOf(HANDLERS, name), body),
};

const SCHEDULES: Kind = {
  folder: 'schedules',
  operation: 'putSchedule',
  role: 'member',
  list: lister('schedules'),
  nameOf: named,
  toBody: (view) => ({
    ...pick(view, SCHEDULE_BODY),
    paused: view.paused === true,
    ...(view.workflow ? { workflow: view.workflow } : {}),
  }),
  ...nestedWorkflow('schedules', SCHEDULE_BODY),
  // Whether a schedule is paused is often decided by people; a file that does not say it leaves it as it is.
  complete: (body, live) => {
    const { overlap, ...rest } = body;
    const defaults = { timezone: 'UTC', paused: live?.body.paused === true };
    return withNestedKind({ ...defaults, ...rest, ...(overlap !== 'allow' && { overlap }) }, live);
  },
  write: ({ api, name, body }) => put(api, pathOf(SCHEDULES, name), body),
};

const TRIGGER_BODY = ['connector', 'trigger', 'credential', 'every', 'from', 'with', 'input'];

const TRIGGERS: Kind = {
  folder: 'triggers',
  operation: 'putTrigger',
  role: 'member',
  list: lister('triggers'),
  complete_list: true,
  nameOf: named,
  toBody: (view) => ({ ...pick(view, TRIGGER_BODY), paused: view.paused === true }),
  toFile: (_name, body) => ({
    members: omit(
      body,
      ...['with', 'input'].filter((name) => Object.keys((body[name] ?? {}) as Members).length === 0),
      ...(body.from === 'now' ? ['from'] : []),
      ...(body.paused === false ? ['paused'] : []),
    ),
    companions: [],
  }),
  read: async (members) => ({ body: members }),
  // A file without an interval wants that of its connector, which a trigger of the same list shows.
  complete: (body, live) => {
    const is_same = live?.view.connector === body.connector && live?.view.trigger === body.trigger;
    const every = is_same ? (live?.view.default_every ?? live?.view.every) : undefined;
    return { ...(every !== undefined && { every }), from: 'now', paused: live?.body.paused === true, ...body };
  },
  write: ({ api, name, body }) => put(api, pathOf(TRIGGERS, name), body),
};

const HMAC_DEFAULTS = { prefix: '', algorithm: 'sha256', encoding: 'hex' };

const EVENT_HOOKS: Kind = {
  folder: 'event-hooks',
  operation: 'putEventHook',
  role: 'admin',
  list: lister('event-hooks'),
  complete_list: true,
  nameOf: named,
  toBody: (view) => {
    const is_default = view.manifest === undefined && view.event_type === `hook.${String(view.name)}`;
    return pick(view, [...(is_default ? [] : ['event_type']), 'manifest', 'hmac']);
  },
  toFile: (_name, body) => ({ members: body, companions: [] }),
  read: async (members) => ({ body: members }),
  complete: (body) => ({
    ...body,
    ...(body.hmac === undefined ? {} : { hmac: { ...HMAC_DEFAULTS, ...(body.hmac as Members) } }),
  }),
  async write({ api, name, body: { key_env, ...body }, env }) {
    const key = await signingKey(name, body, key_env, env);
    const request =
      key === undefined
        ? body
        : body.hmac === undefined
          ? { ...body, key }
          : { ...body, hmac: { ...(body.hmac as Members), key } };
    const { answer, ...written } = await put(api, pathOf(EVENT_HOOKS, name), request);
    const next =
      answer.secret === undefined ? undefined : `svc event-hook rotate ${name} shows a secret for its senders`;
    return { ...written, next };
  },
};

/** Reads the key of a signed hook from the variable that its file names. Throws when the key is not there. */
async function signingKey(
  name: string,
  { manifest, hmac }: Members,
  variable: unknown,
  env: Writing['env'],
): Promise<string | undefined> {
  if (manifest === undefined && hmac === undefined) return undefined;
  const to_name = `add key_env: <variable> to event-hooks/${name}.yaml, and set the variable to the key`;
  if (variable === undefined)
    throw await keyMissing(
      'svc needs the signing key to create or change this hook, and a file does not contain it',
      to_name,
    );
  return readVariable(String(variable), env, { what: 'the signing key', is: 'the key that the sender signs with' });
}

/** Reads what a file leaves to a variable. Throws when it is not set. */
async function readVariable(
  variable: string,
  env: Writing['env'],
  { what, is }: { what: string; is: string },
): Promise<string> {
  const value = env[variable];
  if (value !== undefined && value !== '') return value;
  throw await keyMissing(`the variable ${variable} with ${what} is not set`, `set ${variable} to ${is}`);
}

async function keyMissing(message: string, next: string): Promise<Error> {
  const { CliError, Exit } = await import('../../../../../cli/contract.ts');
  return new CliError(Exit.failed, 'key_missing', message, next);
}

const WEBHOOK_BODY = ['forge', 'repo', 'api_base', 'credential', 'auto_register'];

const WEBHOOKS: Kind = {
  folder: 'webhooks',
  operation: 'putWebhook',
  role: 'admin',
  list: lister('webhooks'),
  nameOf: named,
  toBody: (view) => ({
    ...pick(view, WEBHOOK_BODY),
    ...(view.registration === 'manual' ? {} : { auto_register: true }),
    ...(view.workflow ? { workflow: view.workflow } : {}),
  }),
  ...nestedWorkflow('webhooks', WEBHOOK_BODY),
  // The server keeps these three where a request omits them and the repository stays the same.
  complete(body, live) {
    const same = live?.body.forge === body.forge && live?.body.repo === body.repo;
    const { pipeline, auto_register, ...rest } = body;
    const workflow = pipeline === undefined ? {} : { workflow: { kind: 'pipeline', source: pipeline } };
    const preserved = same
      ? pick(live!.body, ['api_base', 'credential', ...(auto_register === undefined ? ['auto_register'] : [])])
      : {};
    return withNestedKind(
      { ...preserved, ...rest, ...workflow, ...(auto_register === true && { auto_register }) },
      live,
    );
  },
  async write({ api, name, body, live }) {
    // Without it, the server would keep the registration that the file no longer wants.
    const ends = live?.body.auto_register === true && body.auto_register === undefined;
    const request = ends ? { ...body, auto_register: false } : body;
    const { answer, ...written } = await put(api, pathOf(WEBHOOKS, name), request);
    const has_secret = answer.secret !== undefined && answer.registration === 'manual';
    return { ...written, next: has_secret ? `svc webhook rotate ${name} shows a secret for the forge` : undefined };
  },
};

const listVariables = lister('vars');

const VARIABLES: Kind = {
  folder: 'vars',
  operation: 'putVariable',
  role: 'admin',
  // The list also has those of the org, which files of a project do not describe.
  list: async (api) => (await listVariables(api)).filter(({ origin }) => origin === 'project'),
  complete_list: true,
  nameOf: named,
  toBody: (view) => pick(view, ['value']),
  toFile: (_name, body) => ({ members: body, companions: [] }),
  read: async (members) => ({ body: members }),
  complete: (body) => body,
  write: ({ api, name, body }) => put(api, pathOf(VARIABLES, name), body),
};

const MEMBERS: Kind = {
  folder: 'members',
  operation: 'putProjectMember',
  role: 'admin',
  async list(api) {
    const { CliError, readAll } = await import('../../../../../cli/contract.ts');
    const members = await readAll<Members>(api, api.scoped('/members'), 'members');
    const invited = await readAll<Members>(api, api.scoped('/invitations'), 'invitations').catch((error: unknown) => {
      // Who may not see invitations cannot invite either, so that the difference does not matter.
      if (error instanceof CliError && error.code === 'forbidden') return [];
      throw error;
    });
    return [...members, ...invited.map((one) => ({ ...one, invited: true }))];
  },
  complete_list: true,
  nameOf: ({ user }) => String(user),
  toBody: (view) => pick(view, ['role']),
  toFile: (_name, body) => ({ members: body, companions: [] }),
  read: async (members) => ({ body: members }),
  complete: (body) => body,
  async write({ api, name, body }) {
    const { answer, ...written } = await put(api, pathOf(MEMBERS, name), body);
    return {
      ...written,
      next: answer.status === 'invited' ? `${name} is invited, and has the role after accepting` : undefined,
    };
  },
  removalPath: ({ name, view }) => (view.invited ? `/invitations/${encoded(name)}` : undefined),
};

const neverWritten = async (): Promise<Written> => {
  throw new Error('people set objects of this kind');
};

const CREDENTIALS: Kind = {
  folder: 'credentials',
  operation: 'putCredential',
  role: 'admin',
  set_by_people: (name, { kind, hosts = [] }) => {
    const flags = (hosts as readonly string[]).map((host) => ` --host '${host}'`);
    return `svc credential set ${name} --kind ${String(kind ?? '<kind>')}${flags.join('')} …`;
  },
  list: lister('credentials'),
  complete_list: true,
  nameOf: named,
  toBody: (view) => pick(view, ['kind', 'hosts']),
  toFile: (_name, body) => ({ members: body, companions: [] }),
  read: async (members) => ({ body: members }),
  // A file that names no hosts leaves them to the people who set the credential.
  complete: ({ kind, hosts }, live) => {
    const allowed = (hosts ?? live?.body.hosts) as readonly string[] | undefined;
    return {
      kind: String(kind).replaceAll('-', '_'),
      ...(allowed && { hosts: [...new Set(allowed.map((host) => host.toLowerCase()))].sort() }),
    };
  },
  write: neverWritten,
};

const STORE_BODY = ['kind', 'url', 'mount', 'kv_version', 'namespace', 'region', 'project'];

const SECRET_STORES: Kind = {
  folder: 'secret-stores',
  operation: 'putSecretStore',
  role: 'admin',
  list: lister('secret-stores'),
  complete_list: true,
  nameOf: named,
  toBody: (view) => pick(view, STORE_BODY),
  toFile: (_name, body) => ({ members: body, companions: [] }),
  read: async (members) => ({ body: members }),
  complete: completeStore,
  async write({ api, name, body: { login_env, ...body }, env }) {
    const login = await readLogin(name, (login_env ?? {}) as Members, env);
    return put(api, pathOf(SECRET_STORES, name), { ...body, login });
  },
};

/** Adds the options that a store has without naming them. The project of a Google store may come from its service account. */
function completeStore(body: Members, live: LiveObject | undefined): Members {
  const { kind, region, url } = body;
  const alike = live?.body.kind === kind ? live?.body : undefined;
  const written = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  const address = written ? written.origin + written.pathname.replace(/\/+$/, '') : url;
  const defaults: Readonly<Record<string, Members>> = {
    vault: { mount: 'secret', kv_version: 2 },
    aws: { url: `https://secretsmanager.${String(region)}.amazonaws.com` },
    gcp: { url: 'https://secretmanager.googleapis.com', ...pick(alike ?? {}, ['project']) },
  };
  return { ...defaults[String(kind)], ...body, ...(address !== undefined && { url: address }) };
}

/** Reads each member of a login from the variable that the file names. Throws when one is not there. */
async function readLogin(name: string, login_env: Members, env: Writing['env']): Promise<Members> {
  const members = Object.entries(login_env);
  if (members.length === 0)
    throw await keyMissing(
      'svc needs the login to create or change this store, and a file does not contain it',
      `add login_env to secret-stores/${name}.yaml, such as {token: VAULT_TOKEN}, and set the variable`,
    );
  const login: Members = {};
  for (const [member, variable] of members)
    login[member] = await readVariable(String(variable), env, {
      what: `the ${member} of the login`,
      is: 'what svc logs in to the store with',
    });
  return login;
}

const PROVIDER_BODY = ['title', 'docs_url', 'scopes', 'capabilities', 'assumed_lifetime_secs'];

const PROVIDERS: Kind = {
  folder: 'providers',
  operation: 'listProviders',
  role: 'admin',
  set_by_people: (name) => `an entry ${name} in SVC_CONNECTED_ACCOUNT_PROVIDERS of the server`,
  list: lister('providers'),
  complete_list: true,
  // A server can have many providers; a project depends on those of its accounts.
  used: async (api) => new Set((await lister('accounts')(api)).map(({ provider }) => String(provider))),
  nameOf: named,
  toBody: (view) => pick(view, PROVIDER_BODY),
  toFile: (_name, body) => ({ members: body, companions: [] }),
  read: async (members) => ({ body: members }),
  complete: (body, live) => ({ ...live?.body, ...body }),
  write: neverWritten,
};

const publishedDocument = ({ document, published }: Members): unknown => (published === true ? document : published);

/** A saved graph, and which of its documents is published: the saved one, none, or another one. */
const GRAPHS: Kind = {
  folder: 'graphs',
  operation: 'putGraph',
  role: 'member',
  list: lister('graphs'),
  nameOf: named,
  async toBody({ name, document, version_number, published_version }, api) {
    if (published_version === undefined) return { document, published: false };
    if (published_version === version_number) return { document, published: true };
    const query = { version: Number(published_version) };
    const path = api.scoped(pathOf(GRAPHS, String(name)));
    const { document: published } = await api.json<Members>({ path, query, expects: ['document'] });
    return { document, published };
  },
  toFile(name, { document, published }) {
    const companion = (path: string, value: unknown): Companion => ({
      path: `graphs/${path}`,
      text: `${JSON.stringify(value, null, 2)}\n`,
    });
    const other = typeof published === 'object' ? `${name}.published.json` : undefined;
    return {
      members: { document: `${name}.json`, published: other ?? published },
      companions: [companion(`${name}.json`, document), ...(other === undefined ? [] : [companion(other, published)])],
    };
  },
  async read({ document, published = false }, reading) {
    const parse = async (pointer: string, value: unknown) => {
      if (typeof value !== 'string') return value;
      const { parseExact } = await import('../../../../../cli/contract.ts');
      const { FileProblem } = await import('./yaml.ts');
      const text = await reading.text(value);
      try {
        return parseExact(text);
      } catch (error) {
        throw new FileProblem(pointer, `is not JSON: ${value}: ${(error as Error).message}`);
      }
    };
    return {
      body: { document: await parse('/document', document), published: await parse('/published', published) },
    };
  },
  complete: (body) => body,
  async write({ api, name, body: { document, published }, live }) {
    const path = pathOf(GRAPHS, name);
    const publish = () => api.json<Answer>({ method: 'POST', path: api.scoped(`${path}/publish`), body: {} });
    const warnings: string[] = [];
    let made = live === undefined;
    const save = async (saved: unknown) => {
      const written = await put(api, path, saved);
      made ||= written.made;
      warnings.push(...written.warnings);
    };
    const is_published = live !== undefined && isSame(publishedDocument(live.body), published);
    if (typeof published === 'object' && !is_published) {
      await save(published);
      warnings.push(...((await publish()).warnings ?? []));
    }
    await save(document);
    if (published === true) warnings.push(...((await publish()).warnings ?? []));
    if (published === false && live !== undefined && live.body.published !== false)
      await api.json({ method: 'POST', path: api.scoped(`${path}/unpublish`) });
    return { made, warnings };
  },
};

/** In the order in which they are applied: what others refer to comes first. */
export const KINDS: readonly Kind[] = [
  PROVIDERS,
  CREDENTIALS,
  SECRET_STORES,
  VARIABLES,
  GRAPHS,
  HANDLERS,
  SCHEDULES,
  TRIGGERS,
  EVENT_HOOKS,
  WEBHOOKS,
  MEMBERS,
];
