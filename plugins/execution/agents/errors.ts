import { defineError, type ErrorDefinition, errorCatalogue, ServiceError } from '../../../kernel/contracts/index.ts';
import type { ChannelError } from './contract.ts';

export const AgentErrors = {
  helloRequired: defineError({
    code: 'agent_hello_required',
    status: 409,
    title: 'The agent has not sent `hello` on this connection.',
    next: 'Send `hello` before any other request.',
  }),
  protocolUnsupported: defineError({
    code: 'agent_protocol_unsupported',
    status: 400,
    title: 'The agent and the server use different versions of the agent channel.',
    next: 'Run the same version of svc on both; upgrade servers first, then agents.',
  }),
  refused: defineError({
    code: 'agent_refused',
    status: 401,
    title: 'The server rejected this agent.',
    next: 'Check SVC_URL, and set SVC_TOKEN to a valid agent token (`svc token create <name> --agent`).',
  }),
  tokenMissing: defineError({
    code: 'agent_token_missing',
    status: 401,
    title: 'The agent has no token.',
    next: 'Set SVC_TOKEN to an agent token (`svc token create <name> --agent`).',
  }),
  settingInvalid: defineError({
    code: 'agent_setting_invalid',
    status: 400,
    title: 'An agent setting has an invalid value.',
    next: 'Fix the variable shown in the message and start the agent again.',
  }),
  rootRefused: defineError({
    code: 'agent_root_refused',
    status: 409,
    title: 'An agent that runs as root cannot serve several projects.',
    next: 'Set SVC_AGENT_RUN_AS=20000-20999 (a user for each project), use a token for one project (`svc token create <name> --agent --project <project>`), or start it with --allow-root.',
  }),
  channelClosed: defineError({
    code: 'agent_channel_closed',
    status: 503,
    title: 'The agent has closed its channel.',
    next: 'You do not need to do anything: the agent stops, and other agents claim its work.',
  }),
  channelLost: defineError({
    code: 'agent_channel_lost',
    status: 503,
    title: 'The connection was lost before the server answered this request.',
    next: 'You do not need to do anything: the agent connects again and sends a new `hello`.',
  }),
  superseded: defineError({
    code: 'agent_superseded',
    status: 409,
    title: 'A newer connection of this agent has replaced this one.',
    next: 'You do not need to do anything: the newer connection continues.',
  }),
} as const;

/** Failure codes of a pass whose activity no executor could run; recorded with the run. */
export const EXECUTOR_MISSING = 'executor_missing';
export const EXECUTOR_FAILED = 'executor_failed';
/** The agent is stopping, so retrying the request is useless. */
export const CHANNEL_CLOSED = AgentErrors.channelClosed.code;

/**
 * The engine owns this code, but its contract exports only the name. It is created here when a session refuses a
 * request before the store does.
 */
const LEASE_LOST: ErrorDefinition = {
  code: 'lease_lost',
  status: 409,
  title: 'The claim no longer belongs to this agent.',
  next: 'Stop this work and report nothing: another agent has the claim, or the run has ended.',
};

export function leaseLost(detail: string): ServiceError {
  return new ServiceError(findDefinition('lease_lost') ?? LEASE_LOST, detail);
}

const findDefinition = (code: string) => errorCatalogue().find((definition) => definition.code === code);

/** Converts an error for the wire. */
export function toChannelError(error: ServiceError): ChannelError {
  return { code: error.code, message: error.message, next: error.next, status: error.status };
}

/** Converts an error from the wire: known codes get their definition, others use what the server sent. */
export function fromChannelError(error: ChannelError): ServiceError {
  const definition: ErrorDefinition = {
    code: error.code,
    status: error.status ?? 500,
    title: error.message,
    next: error.next,
  };
  return new ServiceError(findDefinition(error.code) ?? definition, error.message);
}
