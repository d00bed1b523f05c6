import { iso } from '../../../../kernel/contracts/index.ts';
import type { Masker } from '../../../security/masking/contract.ts';
import type { RunRecord } from '../generated/run.ts';
import { type ClaimRef, siteOf } from './journal.ts';
import type { Json, Run, Substate } from './run.ts';
import type { CallUnderWay, TellingAgent } from './under-way.ts';

/** A call that an agent carries out now, under a claim that holds. */
export interface InFlightCall extends TellingAgent, ClaimRef {
  run_id: string;
  /** Name of the activity. */
  activity: string;
  call: CallUnderWay;
  /** Epoch ms by the database's clock. */
  since: number;
}

/** The visible form of a run. Tags, trigger, subject and reason are texts of callers and are not masked. */
export function maskRun(run: Run, masker: Masker): Run {
  if (masker.idle) return run;
  return {
    ...run,
    output: run.output === undefined ? undefined : masker.json(run.output),
    error: run.error && { ...run.error, message: masker.text(run.error.message) },
    substate: run.substate && maskSubstate(run.substate, masker),
    annotations: run.annotations.map((text) => masker.text(text)),
  };
}

/** The visible form of what a run or a node waits for. */
export const maskSubstate = ({ any, ...substate }: Substate, masker: Masker): Substate => ({
  ...maskWait(substate, masker),
  ...(any && { any: any.map((one) => maskWait(one, masker)) }),
});

const maskWait = <Wait extends Pick<Substate, 'name' | 'when' | 'values'>>(wait: Wait, masker: Masker): Wait => {
  const { name, when, values } = wait;
  return {
    ...wait,
    name: masker.text(name),
    ...(when !== undefined && { when: masker.text(when) }),
    ...(values !== undefined && { values: masker.json(values as Json) as Substate['values'] }),
  };
};

/** The visible form of what agents carry out. */
export const maskInFlightCalls = (calls: readonly InFlightCall[], masker: Masker): InFlightCall[] =>
  calls.map((inFlight) => {
    const { name, label } = inFlight.call;
    return {
      ...inFlight,
      activity: masker.text(inFlight.activity),
      call: { ...inFlight.call, name: masker.text(name), label: label && masker.text(label) },
    };
  });

type RunningCall = NonNullable<RunRecord['running']>[number];

/** Who carries out a call, and since when. */
export const renderProgress = ({
  since,
  agent_id,
  name: agent,
  call: { attempt, attempts },
}: InFlightCall): Pick<RunningCall, 'since' | 'agent_id' | 'agent' | 'attempt' | 'max_attempts'> => ({
  since: iso(since),
  ...{ agent_id, agent, attempt, max_attempts: attempt === undefined ? undefined : attempts },
});

/** The same with the call itself, as records of runs and nodes show it. */
export function renderInFlightCall(inFlight: InFlightCall): RunningCall {
  const { kind, name, ordinal, label } = inFlight.call;
  const { activity_id, activity } = inFlight;
  const site = siteOf({ kind, name, ordinal });
  return { kind, name, site, label, ...renderProgress(inFlight), activity_id, activity };
}
