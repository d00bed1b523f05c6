import { delimiter } from 'node:path';
import { isNumber } from '../../../platform/schema/contract.ts';
import type { Assignment } from '../../agents/contract.ts';
import { CHECKOUT_VARIABLE } from '../../../engine/runs/contract.ts';

/** What a script inherits of the agent's own environment, besides the `LC_*` family and `PATH`. */
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

/** Where a shell looks by default. */
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export type AgentEnvironment = Readonly<Record<string, string | undefined>>;

interface ScriptLocation {
  socket: string;
  input_file: string;
  /** Folder that contains the verb client `svc`. */
  client_folder: string;
  agent: { id: string; pid: number };
  /** The repository that was checked out for the script. */
  workspace?: string | undefined;
}

/** Returns the PATH of the agent's programs. */
export function agentPath(env: AgentEnvironment): string {
  return env.PATH === undefined || env.PATH === '' ? DEFAULT_PATH : env.PATH;
}

/**
 * Returns the complete environment of a script; nothing is inherited. It consists of what is allowed of the agent's,
 * the trigger, the layers of the job, and last what the service itself sets and nobody can override.
 */
export function scriptEnvironment(
  assignment: Pick<Assignment, 'run_id' | 'activity_id' | 'envelope' | 'environment' | 'trace'>,
  agent: AgentEnvironment,
  location: ScriptLocation,
): Record<string, string> {
  return {
    ...jobEnvironment(assignment, agent),
    PATH: location.client_folder + delimiter + agentPath(agent),
    SVC_AGENT_SOCKET: location.socket,
    SVC_AGENT_PID: String(location.agent.pid),
    SVC_AGENT_ID: location.agent.id,
    SVC_WORKFLOW_ID: assignment.run_id,
    SVC_ACTIVITY_ID: assignment.activity_id,
    SVC_INPUT_FILE: location.input_file,
    ...(location.workspace !== undefined && { SVC_WORKSPACE: location.workspace }),
    ...stepTrace(assignment),
  };
}

/**
 * Returns what the executor of a step builds its `TRACEPARENT` from, with the first 16 digits of its idempotency key as
 * the span: the trace and its flags. A step does not see it.
 */
export function stepTrace({ trace }: Pick<Assignment, 'trace'>): Record<string, string> {
  const [, trace_id, , flags] = trace?.traceparent.split('-') ?? [];
  return trace_id === undefined ? {} : { SVC_TRACE: `${trace_id}-${flags}` };
}

/** Returns the span of the pass, for programs that trace; nothing if the server does not. */
const traceVariables = ({ trace }: Pick<Assignment, 'trace'>): Record<string, string> => ({
  ...(trace && { TRACEPARENT: trace.traceparent }),
  ...(trace?.tracestate !== undefined && { TRACESTATE: trace.tracestate }),
});

/** Returns what every script of this agent has, whatever its run. */
export function agentEnvironment(agent: AgentEnvironment, client_folder: string): Record<string, string> {
  return { ...forwarded(agent), PATH: client_folder + delimiter + agentPath(agent) };
}

function forwarded(agent: AgentEnvironment): Record<string, string> {
  const env: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(agent))
    if (value !== undefined && (FORWARDED.has(name) || name.startsWith('LC_'))) env[name] = value;
  return env;
}

/**
 * Returns the environment of a command that an agent runs for a script elsewhere: that of a step, without the
 * script's own variables.
 */
export function commandEnvironment(
  assignment: Pick<Assignment, 'envelope' | 'environment' | 'trace'>,
  agent: AgentEnvironment,
  key: string,
): Record<string, string> {
  return { ...jobEnvironment(assignment, agent), PATH: agentPath(agent), SVC_IDEMPOTENCY_KEY: key };
}

/** Returns everything except `PATH` and what the service itself sets. */
export function jobEnvironment(
  assignment: Pick<Assignment, 'envelope' | 'environment' | 'trace'>,
  agent: AgentEnvironment,
): Record<string, string> {
  const { below, workflow, above } = assignment.environment;
  const env = forwarded(agent);
  Object.assign(env, triggerVariables(assignment.envelope));
  for (const variable of below) env[variable.name] = variable.value;
  for (const [name, value] of Object.entries(workflow)) env[name] = value;
  // The credential of a checkout is only for git.
  for (const { name, value } of above) if (name !== CHECKOUT_VARIABLE) env[name] = value;
  for (const name of Object.keys(env)) if (name.startsWith('SVC_')) delete env[name];
  return Object.assign(env, traceVariables(assignment));
}

/**
 * Returns the variables of the project and its org as the run has recorded them, which secrets, `env` and credentials may
 * override in the environment; undefined if there are none.
 */
export function recordedVars({
  environment: { below },
}: Pick<Assignment, 'environment'>): Readonly<Record<string, string>> | undefined {
  const vars = below.flatMap(({ name, value, in_vars }) => (in_vars === true ? [[name, value] as const] : []));
  return vars.length === 0 ? undefined : Object.fromEntries(vars);
}

/** Returns the first variable that no process can have, with the reason, but without its value, which may be secret. */
export function findEnvironmentProblem(env: Readonly<Record<string, string>>): string | undefined {
  for (const [name, value] of Object.entries(env)) {
    if (name === '' || name.includes('=') || name.includes('\0'))
      return `the environment names a variable ${JSON.stringify(name)}, which no process can have`;
    if (value.includes('\0')) return `the environment variable ${name} contains a NUL, which no process can receive`;
  }
  return undefined;
}

/** Length of an abbreviated commit id, as in git. */
const SHORT_SHA_LENGTH = 7;

/** Fields of the envelope that have their own variable, and its name. */
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
 * Returns the `CI_TRIGGER_*` variables of an envelope: the event's type and id, and one variable per scalar field at
 * its top level. Nested values, null, and texts with a NUL have no variable.
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
