import type { Clock } from '../../../../kernel/contracts/index.ts';
import type { Executor } from '../../agents/contract.ts';
import type { Replay } from '../../replay/contract.ts';
import type { PassCallers } from '../../scripts/contract.ts';
import { FUNCTION_EXECUTOR } from '../workflow/function-workflow.ts';
import { FunctionPass } from './function-pass.ts';
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

  async enter(limit: number | undefined): Promise<() => void> {
    if (limit !== undefined && this.#inside >= limit) await new Promise<void>((admitted) => this.#queue.push(admitted));
    else this.#inside += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = this.#queue.shift();
      if (next === undefined) this.#inside -= 1;
      else next();
    };
  }
}
