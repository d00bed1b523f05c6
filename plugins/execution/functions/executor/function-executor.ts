import type { Clock } from '../../../../kernel/contracts/index.ts';
import { type Executor, RETAINS } from '../../agents/contract.ts';
import { READS_INPUTS } from '../../../engine/runs/contract.ts';
import type { Replay } from '../../replay/contract.ts';
import type { PassCallers } from '../../scripts/contract.ts';
import { FUNCTION_EXECUTOR } from '../domain/registration.ts';
import { FunctionPass } from './function-pass.ts';
import type { RetainSettings } from '../domain/retain-settings.ts';
import { Gate } from './gate.ts';
import { RetainedCalls } from './retained-calls.ts';
import type { FunctionPrograms } from './programs.ts';
import { Suspects } from './suspects.ts';

export interface FunctionExecutorDeps {
  /** Undefined for an agent without a program. */
  programs: () => FunctionPrograms | undefined;
  callers: PassCallers;
  replay: Replay;
  clock: Clock;
  /** Throws `worker_setting_invalid`. */
  retain: () => RetainSettings;
}

/** Runs activities of the executor `function` in the program of this worker. */
export function createFunctionExecutor({ programs, retain, ...deps }: FunctionExecutorDeps): Executor {
  const gates = new Map<string, Gate>();
  const suspects = new Suspects(deps.clock);
  let retained: RetainedCalls | undefined;
  const retainedCalls = () => (retained ??= new RetainedCalls(retain(), deps.clock));
  const admit = (name: string, limit: number | undefined) => {
    const gate = gates.get(name) ?? new Gate();
    gates.set(name, gate);
    return gate.enter(limit);
  };
  return {
    executor: FUNCTION_EXECUTOR,
    async capabilities() {
      const served = programs();
      if (served === undefined) return [];
      const { isOpen } = retainedCalls();
      await served.start();
      return [...served.capabilities, READS_INPUTS, ...(isOpen ? [RETAINS] : [])];
    },
    onCapabilitiesChange: (listener) => programs()?.onChange(listener),
    start(assignment, host) {
      const served = programs();
      if (served === undefined) throw new Error('this agent has no program with workflows');
      return new FunctionPass(
        { ...deps, retained: retainedCalls(), programs: served, suspects, admit },
        assignment,
        host,
      );
    },
    forget: (claim) => retained?.forget(claim),
    drain: async () => retained?.close(),
    close: async () => programs()?.close(),
  };
}
