import type { Clock, Log } from '../../../../kernel/contracts/index.ts';
import type { PassCallers, Verb } from '../contract.ts';
import { type AgentEnvironment, jobEnvironment, recordedVars, stepTrace } from '../domain/environment.ts';
import { attemptProgramPath } from '../native/verb-client.ts';
import type { VerbClients } from '../executor/verb-clients.ts';
import { Connection } from './connection.ts';
import { MemoryBudget } from './memory-budget.ts';

export interface PassCallerDeps {
  verbs: () => readonly Verb[];
  clients: VerbClients;
  env: AgentEnvironment;
  /** The time between SIGTERM and SIGKILL of a command whose attempt has timed out. */
  grace_ms: number;
  clock: Clock;
  log: Log;
}

export function createPassCallers(deps: PassCallerDeps): PassCallers {
  const { clock, log, env, grace_ms } = deps;
  let verbs: ReadonlyMap<string, Verb> | undefined;
  let attempts: { path: string; grace_ms: number } | undefined;
  return {
    async open({ runtime_dir }) {
      verbs ??= new Map(deps.verbs().map((verb) => [verb.verb, verb]));
      attempts ??= { path: attemptProgramPath(await deps.clients.folder(runtime_dir)), grace_ms };
    },
    variables: (assignment) => ({
      env: jobEnvironment(assignment, {}),
      trace: stepTrace(assignment).SVC_TRACE,
      vars: recordedVars(assignment),
    }),
    serve({ assignment, host, journal, stream }) {
      const services = {
        verbs: verbs!,
        journal: (alive: () => boolean) => journal.for(alive),
        envelope: assignment.envelope,
        // Of the pass that the caller has when it calls.
        get files() {
          return host.files;
        },
        get contents() {
          return host.contents;
        },
        get tokens() {
          return host.tokens;
        },
        agent_env: env,
        log_name: async () => '',
        attempts: attempts!,
        clock,
        log,
      };
      const shared = { leases: { clock, paused: 0 }, room: new MemoryBudget() };
      const connection = new Connection(stream, services, shared);
      const greeting = connection.greetAtStart();
      return {
        greeting,
        // What it cannot have repeated stays unmade, and the journal reports recorded calls that are left at the end.
        repeat: (count) => void connection.repeat(count),
        cancelCalls: () => connection.cancelCalls(),
        close: () => connection.close(),
      };
    },
  };
}
