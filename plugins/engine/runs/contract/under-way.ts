import { token } from '../../../../kernel/contracts/index.ts';
import type { ClaimRef } from './journal.ts';

/** A call that an agent carries out now. */
export interface CallUnderWay {
  kind: string;
  name: string;
  ordinal: number;
  label?: string | undefined;
  /** Where its record will stand. Absent for work without a record: a step of a job, the command of a child. */
  position?: number | undefined;
  /** From 1; only of calls that are tried again. */
  attempt?: number | undefined;
  /** The maximum number of attempts; only with `attempt`. */
  attempts?: number | undefined;
}

/** What the activity of a claim does now; without a call, nothing that lasts. */
export interface ToldCall {
  claim: ClaimRef;
  call?: CallUnderWay & {
    /** How long it has lasted. */
    for_ms: number;
  };
}

/** The agent that reports. */
export interface TellingAgent {
  agent_id: string;
  name: string;
}

/**
 * Calls that agents of this server carry out, for those who look at their runs. Nothing here is durable, and nothing depends
 * on it: reports of an ended claim, or of a call that is recorded by now, are not shown.
 */
export interface UnderWay {
  /** Replaces what was reported of these claims before. The agent must hold them. */
  tell(agent: TellingAgent, told: readonly ToldCall[]): Promise<void>;
  /** The claims are over, or their agent is gone. */
  forget(claims: readonly ClaimRef[]): void;
}

export const UnderWay = token<UnderWay>('runs.UnderWay');
