import type { Clock } from '../../../../kernel/contracts/index.ts';
import { type Executor, KEEPS } from '../../agents/contract.ts';
import type { Replay } from '../../replay/contract.ts';
import type { PassCallers } from '../../scripts/contract.ts';
import { FUNCTION_EXECUTOR } from '../domain/registration.ts';
import { FunctionPass } from './function-pass.ts';
import type { KeepSettings } from '../domain/keep-settings.ts';
import { Gate } from './gate.ts';
import { KeptCalls } from './kept-calls.ts';
import type { FunctionPrograms } from './programs.ts';
import { Suspects } from './suspects.ts';

export interface FunctionExecutorDeps {
  /** Undefined for an agent without a program. */
  programs: () => FunctionPrograms | undefined;
  callers: PassCallers;
  replay: Replay;
  clock: Clock;
  /** Throws `worker_setting_invalid`. */
  keep: () => KeepSettings;
}

/** Runs activities of the executor `function` in the program of this worker. */
export function createFunctionExecutor({ programs, keep, ...deps }: FunctionExecutorDeps): Executor {
  const gates = new Map<string, Gate>();
  const suspects = new Suspects(deps.clock);
  let kept: KeptCalls | undefined;
  const keptCalls = () => (kept ??= new KeptCalls(keep(), deps.clock));
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
      const { isOpen } = keptCalls();
      await served.start();
      return isOpen ? [...served.capabilities, KEEPS] : served.capabilities;
    },
    onCapabilitiesChange: (listener) => programs()?.onChange(listener),
    start(assignment, host) {
      const served = programs();
      if (served === undefined) throw new Error('this agent has no program with workflows');
      return new FunctionPass({ ...deps, kept: keptCalls(), programs: served, suspects, admit }, assignment, host);
    },
    forget: (claim) => kept?.forget(claim),
    drain: async () => kept?.close(),
    close: async () => programs()?.close(),
  };
}
