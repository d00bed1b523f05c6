/**
 * The capability of an agent that keeps programs apart from its machine and from each other. Every activity of an
 * untrusted run requires it, unless its executor is light. Agents announce it themselves; nobody can by name.
 */
export const ISOLATES = 'svc:isolates';

/** The capability of agents that give programs the declared inputs of runs that events start. Earlier versions do not. */
export const READS_INPUTS = 'svc:inputs';

/** Beginning of the capabilities that nobody can require or announce by name. */
export const OWN_CAPABILITIES = 'svc:';
