type Answer = Record<string, unknown>;

/** One connection to the agent. */
export class Channel {
  constructor(path: string, patience_ms?: number, stream?: object, greeting?: object);
  readonly goesOn: boolean;
  protocol(): Promise<number>;
  ask(request: { op: string; [member: string]: unknown }): Promise<Answer>;
  begin(name: string, label: string | undefined): Promise<Answer>;
  end(outcome: { exit: number; stdout: string; size: number; error?: string }): Promise<Answer>;
  close(): void;
}
