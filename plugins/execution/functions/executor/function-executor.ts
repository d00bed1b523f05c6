import type { Clock } from '../../../../kernel/contracts/index.ts';
import type { Executor } from '../../agents/contract.ts';
import type { Replay } from '../../replay/contract.ts';
import type { PassCallers } from '../../scripts/contract.ts';
import { FUNCTION_EXECUTOR } from '../domain/registration.ts';
import { FunctionPass } from './function-pass.ts';
import { Gate } from './gate.ts';
import type { FunctionPrograms } from './programs.ts';
import { Suspects } from './suspects.ts';

export interface FunctionExecutorDeps {
  /** Undefined for an agent without a program. */
  programs: () => FunctionPrograms | undefined;
  callers: PassCallers;
  replay: Replay;
  clock: Clock;
}

/** Runs activities of the executor `function` in the program of this worker. */
export function createFunctionExecutor({ programs, ...deps }: FunctionExecutorDeps): Executor {
  const gates = new Map<string, Gate>();
  const suspects = new Suspects(deps.clock);
  const admit = (name: string, limit: number | undefined) => {
    const gate = gates.get(name) ?? new Gate();
    gates.set(name, gate);
    return gate.enter(limit);
  };
  return {
    executor: FUNCTION_EXECUTOR,
    async capabilities() {
      await programs()?.start();
      return programs()?.capabilities ?? [];
    },
    onCapabilitiesChange: (listener) => programs()?.onChange(listener),
    start(assignment, host) {
      const served = programs();
      if (served === undefined) throw new Error('this agent has no program with workflows');
      return new FunctionPass({ ...deps, programs: served, suspects, admit }, assignment, host);
    },
    close: async () => programs()?.close(),
  };
}
