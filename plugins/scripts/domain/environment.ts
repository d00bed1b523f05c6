import { delimiter } from 'node:path';
import { isNumber } from '../../schema/contract.ts';
import type { Assignment } from '../../agents/contract.ts';
import { CHECKOUT_VARIABLE } from '../../runs/contract.ts';

/** All that a script sees of the agent's own environment, beside the `LC_*` family and `PATH`. */
const FORWARDED: ReadonlySet<string> = new Set([
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NIX_SSL_CERT_FILE',
]);

/** Where a shell looks when nobody said anything. */
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export type AgentEnvironment = Readonly<Record<string, string | undefined>>;

interface ScriptPlace {
  socket: string;
  input_file: string;
  /** Folder that holds the verb client `svc`. */
  client_folder: string;
  agent: { id: string; pid: number };
  /** The repository that was checked out for it. */
  workspace?: string | undefined;
}

/** Where the agent's programs are. */
export function agentPath(env: AgentEnvironment): string {
  return env.PATH === undefined || env.PATH === '' ? DEFAULT_PATH : env.PATH;
}

/**
 * The whole environment of a script, nothing is inherited: what is allowed of the agent's, the trigger, the layers of
 * the job, and last what the service sets itself and nobody shadows.
 */
export function scriptEnvironment(
  assignment: Pick<Assignment, 'run_id' | 'activity_id' | 'envelope' | 'environment' | 'trace'>,
  agent: AgentEnvironment,
  place: ScriptPlace,
): Record<string, string> {
  return {
    ...jobEnvironment(assignment, agent),
    PATH: place.client_folder + delimiter + agentPath(agent),
    SVC_AGENT_SOCKET: place.socket,
    SVC_AGENT_PID: String(place.agent.pid),
    SVC_AGENT_ID: place.agent.id,
    SVC_WORKFLOW_ID: assignment.run_id,
    SVC_ACTIVITY_ID: assignment.activity_id,
    SVC_INPUT_FILE: place.input_file,
    ...(place.workspace !== undefined && { SVC_WORKSPACE: place.workspace }),
    ...stepTrace(assignment),
  };
}

/**
 * What whoever runs a step makes its `TRACEPARENT` of, with the first 16 digits of its idempotency key as the span: the
 * trace and its flags. A step does not see it.
 */
function stepTrace({ trace }: Pick<Assignment, 'trace'>): Record<string, string> {
  const [, trace_id, , flags] = trace?.traceparent.split('-') ?? [];
  return trace_id === undefined ? {} : { SVC_TRACE: `${trace_id}-${flags}` };
}

/** The span of the pass, for programs that trace. Nothing when the server does not. */
const traceVariables = ({ trace }: Pick<Assignment, 'trace'>): Record<string, string> => ({
  ...(trace && { TRACEPARENT: trace.traceparent }),
  ...(trace?.tracestate !== undefined && { TRACESTATE: trace.tracestate }),
});

/** What every script of this agent has, whatever its run. */
export function agentEnvironment(agent: AgentEnvironment, client_folder: string): Record<string, string> {
  return { ...forwarded(agent), PATH: client_folder + delimiter + agentPath(agent) };
}

function forwarded(agent: AgentEnvironment): Record<string, string> {
  const env: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(agent))
    if (value !== undefined && (FORWARDED.has(name) || name.startsWith('LC_'))) env[name] = value;
  return env;
}

/** The environment of a command that an agent runs for a script elsewhere: as that of a step, without the script's own. */
export function commandEnvironment(
  assignment: Pick<Assignment, 'envelope' | 'environment' | 'trace'>,
  agent: AgentEnvironment,
  key: string,
): Record<string, string> {
  return { ...jobEnvironment(assignment, agent), PATH: agentPath(agent), SVC_IDEMPOTENCY_KEY: key };
}

/** All but `PATH` and what the service itself sets. */
function jobEnvironment(
  assignment: Pick<Assignment, 'envelope' | 'environment' | 'trace'>,
  agent: AgentEnvironment,
): Record<string, string> {
  const { below, workflow, above } = assignment.environment;
  const env = forwarded(agent);
  Object.assign(env, triggerVariables(assignment.envelope));
  for (const variable of below) env[variable.name] = variable.value;
  for (const [name, value] of Object.entries(workflow)) env[name] = value;
  // The credential of a checkout is for git alone.
  for (const { name, value } of above) if (name !== CHECKOUT_VARIABLE) env[name] = value;
  for (const name of Object.keys(env)) if (name.startsWith('SVC_')) delete env[name];
  return Object.assign(env, traceVariables(assignment));
}

/** The first variable that no process can be given, with the reason. Its value is not in the text: it may be secret. */
export function environmentFault(env: Readonly<Record<string, string>>): string | undefined {
  for (const [name, value] of Object.entries(env)) {
    if (name === '' || name.includes('=') || name.includes('\0'))
      return `the environment names a variable ${JSON.stringify(name)}, which no process can have`;
    if (value.includes('\0')) return `the environment variable ${name} holds a NUL, which no process can be given`;
  }
  return undefined;
}

/** The first characters of a commit's id, as git abbreviates it. */
const SHORT_SHA_LENGTH = 7;

/** Fields of the envelope that have a flat form, and its name. */
const FIELDS: readonly (readonly [field: string, variable: string])[] = [
  ['sha', 'SHA'],
  ['short_sha', 'SHORT_SHA'],
  ['ref', 'REF'],
  ['repo', 'REPO'],
  ['sender', 'SENDER'],
  ['forge', 'FORGE'],
  ['schedule', 'SCHEDULE'],
  ['parent', 'PARENT'],
];

/**
 * `CI_TRIGGER_*` of an envelope: the event's type and id, and one variable per scalar field of its top level.
 * Nested values, null and texts that no environment can hold (with a NUL) have no flat form.
 */
export function triggerVariables(envelope: Readonly<Record<string, unknown>>): Record<string, string> {
  const variables: Record<string, string> = {};
  const put = (name: string, value: unknown) => {
    const text = flat(value);
    if (text !== undefined) variables[`CI_TRIGGER_${name}`] = text;
  };
  put('EVENT', envelope.type);
  put('EVENT_ID', envelope.event);
  const sha = envelope.sha;
  if (typeof sha === 'string') put('SHORT_SHA', sha.slice(0, SHORT_SHA_LENGTH));
  for (const [field, name] of FIELDS) put(name, envelope[field]);
  return variables;
}

function flat(value: unknown): string | undefined {
  if (isNumber(value) || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && !value.includes('\0') ? value : undefined;
}
