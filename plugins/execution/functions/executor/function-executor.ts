import type { Clock } from '../../../../kernel/contracts/index.ts';
import type { Executor } from '../../agents/contract.ts';
import type { Replay } from '../../replay/contract.ts';
import type { PassCallers } from '../../scripts/contract.ts';
import { FUNCTION_EXECUTOR } from '../workflow/function-workflow.ts';
import { type Admission, FunctionPass } from './function-pass.ts';
import type { FunctionPrograms } from './programs.ts';

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
      return new FunctionPass({ ...deps, programs: served, admit }, assignment, host);
    },
    close: async () => programs()?.close(),
  };
}

/** Lets at most a number of passes of one workflow begin, in the order in which they came. */
class Gate {
  #inside = 0;
  readonly #queue: (() => void)[] = [];

  enter(limit: number | undefined): Admission {
    const admitted = Promise.withResolvers<void>();
    const admit = () => {
      this.#inside += 1;
      admitted.resolve();
    };
    if (limit !== undefined && this.#inside >= limit) this.#queue.push(admit);
    else admit();
    let has_left = false;
    const leave = () => {
      if (has_left) return;
      has_left = true;
      const place = this.#queue.indexOf(admit);
      // A pass that was stopped while it waited has taken no place that another could get.
      if (place >= 0) return void this.#queue.splice(place, 1);
      this.#inside -= 1;
      this.#queue.shift()?.();
    };
    return { admitted: admitted.promise, leave };
  }
}
