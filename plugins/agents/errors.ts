import { defineError, type ErrorDefinition, errorCatalogue, ServiceError } from '../../kernel/contracts/index.ts';
import type { ChannelError } from './contract.ts';

export const AgentErrors = {
  helloRequired: defineError({
    code: 'agent_hello_required',
    status: 409,
    title: 'The agent has not introduced itself on this connection.',
    next: 'Send `hello` before any other request.',
  }),
  protocolUnsupported: defineError({
    code: 'agent_protocol_unsupported',
    status: 400,
    title: 'Agent and server speak different versions of the agent channel.',
    next: 'Run the same version of svc on both; upgrade servers first, then agents.',
  }),
  refused: defineError({
    code: 'agent_refused',
    status: 401,
    title: 'The server refuses this agent.',
    next: 'Check SVC_URL, and set SVC_TOKEN to a valid agent token (`svc token create <name> --agent`).',
  }),
  tokenMissing: defineError({
    code: 'agent_token_missing',
    status: 401,
    title: 'The agent has no token to connect with.',
    next: 'Set SVC_TOKEN to an agent token (`svc token create <name> --agent`).',
  }),
  settingInvalid: defineError({
    code: 'agent_setting_invalid',
    status: 400,
    title: 'A setting of the agent has a value that it cannot use.',
    next: 'Correct the variable that is named and start the agent again.',
  }),
  channelClosed: defineError({
    code: 'agent_channel_closed',
    status: 503,
    title: 'The agent has closed its channel.',
    next: 'Nothing: the agent stops, and its claims go to other agents.',
  }),
  channelLost: defineError({
    code: 'agent_channel_lost',
    status: 503,
    title: 'The connection broke before this request was answered.',
    next: 'Nothing: the agent reconnects and introduces itself again.',
  }),
  superseded: defineError({
    code: 'agent_superseded',
    status: 409,
    title: 'Another connection of this agent took over.',
    next: 'Nothing: the newer connection goes on.',
  }),
} as const;

/** How the pass of an activity fails when no executor can run it; recorded with the run. */
export const EXECUTOR_MISSING = 'executor_missing';
export const EXECUTOR_FAILED = 'executor_failed';
/** The agent is on its way out; asking again is of no use. */
export const CHANNEL_CLOSED = AgentErrors.channelClosed.code;

/** Owned by the engine, whose contract names the code only; made here when a session refuses before the store would. */
const LEASE_LOST: ErrorDefinition = {
  code: 'lease_lost',
  status: 409,
  title: 'The claim is no longer yours.',
  next: 'Stop this work and report nothing: another agent has it, or the run is over.',
};

export function leaseLost(detail: string): ServiceError {
  return new ServiceError(definitionOf('lease_lost') ?? LEASE_LOST, detail);
}

const definitionOf = (code: string) => errorCatalogue().find((definition) => definition.code === code);

/** What a refusal looks like on the channel. */
export function toChannelError(error: ServiceError): ChannelError {
  return { code: error.code, message: error.message, next: error.next, status: error.status };
}

/** The agent's view of a refusal: the definition by its code, or what the server said when it knows more codes. */
export function fromChannelError(error: ChannelError): ServiceError {
  const told: ErrorDefinition = {
    code: error.code,
    status: error.status ?? 500,
    title: error.message,
    next: error.next,
  };
  return new ServiceError(definitionOf(error.code) ?? told, error.message);
}
