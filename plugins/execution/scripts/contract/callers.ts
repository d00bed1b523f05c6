import { token } from '../../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment } from '../../agents/contract.ts';
import type { OpenReplay } from '../../replay/contract.ts';

/** What a caller of verbs speaks the agent socket's protocol over: a socket of its own, or a part of a shared one. */
export interface CallerStream {
  readonly destroyed: boolean;
  /** Bytes that were written and not sent yet. */
  readonly writableLength: number;
  on(event: 'data', listener: (chunk: Buffer) => void): this;
  on(event: 'error', listener: (error: Error) => void): this;
  on(event: 'close', listener: () => void): this;
  write(data: Buffer, sent?: () => void): boolean;
  pause(): this;
  resume(): this;
  destroy(): this;
  /** Destroys it when everything that was written has been sent. */
  destroySoon(): void;
}

/** A pass whose program is one caller for the whole pass, without a socket of its own. */
export interface CallerPass {
  assignment: Assignment;
  host: ActivityHost;
  journal: OpenReplay;
  stream: CallerStream;
}

/** What a hello answers. A program that is given it at its start sends no hello. */
export interface Greeting {
  protocol: number;
  /** The names of the run in the keys of its steps, the maximum size of an output, and whether outputs are masked. */
  ahead: { run: string; activity: string; limit: number; masks: boolean };
  /** For so many milliseconds from its start on, the program begins steps without an answer; 0 if it must ask. */
  lease_ms: number;
  /** How many calls earlier passes have recorded. The program may read them and repeat its steps without the agent. */
  recorded: number;
}

export interface ServedCaller {
  greeting: Greeting;
  /** The program has ended after it has repeated so many recorded steps since its last request. */
  repeat(count: number): void;
  /** Tells the caller that no reply will come. */
  cancelCalls(): void;
  close(): void;
}

/** Answers the calls of programs that an executor of another plugin keeps running between passes. */
export interface PassCallers {
  /** Prepares what callers on this agent share. Must resolve before `serve`. */
  open(agent: ActivityHost['agent']): Promise<void>;
  serve(pass: CallerPass): ServedCaller;
  /**
   * The variables of the job, without any of the agent's own, what the keys of its steps are traced under, and the variables
   * of its project and org, if there are any.
   */
  variables(assignment: Assignment): {
    env: Record<string, string>;
    trace: string | undefined;
    vars: Readonly<Record<string, string>> | undefined;
  };
}

export const PassCallers = token<PassCallers>('scripts.PassCallers');
