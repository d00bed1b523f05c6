import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { ITestCaseHookParameter } from '@cucumber/cucumber';

type Pickle = ITestCaseHookParameter['pickle'];

/** What became of a scenario in a run: `left_out` by a step or hook that names its reason, `not_run` when never begun. */
export type Outcome = 'passed' | 'failed' | 'left_out' | 'not_run';

export interface Ran {
  file: string;
  name: string;
  tags: string[];
  steps: string[];
  outcome: Outcome;
  /** Of what failed, or why it was left out. */
  message?: string;
  seconds: number;
}

interface Time {
  seconds: number;
  nanos: number;
}

/** Of cucumber's message protocol, one of them per line, what the report needs. */
interface Envelope {
  pickle?: Pickle;
  testCase?: { id: string; pickleId: string };
  testCaseStarted?: { id: string; testCaseId: string; timestamp: Time };
  testStepFinished?: { testCaseStartedId: string; testStepResult: { status: string; message?: string } };
  attachment?: { testCaseStartedId?: string; body: string };
  testCaseFinished?: { testCaseStartedId: string; timestamp: Time };
}

const inSeconds = ({ seconds, nanos }: Time): number => seconds + nanos / 1e9;

const LEFT_OUT = /^left out: (.*)/;

/** Files with the messages of a run, and of one that only read all features. */
export interface Messages {
  ran: string;
  written: string;
}

/** All scenarios, whether the run has chosen them or not. */
export async function readMessages({ ran, written }: Messages): Promise<Ran[]> {
  const began = await readFile(ran);
  const files = new Set(began.map(({ file }) => file));
  const others = (await readFile(written)).filter(({ file }) => !files.has(file));
  return [...began, ...others.map((one): Ran => ({ ...one, outcome: 'not_run', seconds: 0 }))];
}

async function readFile(path: string): Promise<Ran[]> {
  const scenarios = new Map<string, Ran>();
  /** By the id of a case, and of its start. */
  const of = new Map<string, Ran>();
  for await (const line of createInterface(createReadStream(path))) take(JSON.parse(line) as Envelope, scenarios, of);
  return [...scenarios.values()];
}

function take(envelope: Envelope, scenarios: Map<string, Ran>, of: Map<string, Ran>): void {
  const { pickle, testCase, testCaseStarted, testStepFinished, attachment, testCaseFinished } = envelope;
  if (pickle) scenarios.set(pickle.id, written(pickle));
  if (testCase) of.set(testCase.id, scenarios.get(testCase.pickleId)!);
  if (testCaseStarted) {
    const ran = of.get(testCaseStarted.testCaseId)!;
    of.set(
      testCaseStarted.id,
      Object.assign(ran, { outcome: 'passed', seconds: -inSeconds(testCaseStarted.timestamp) }),
    );
  }
  if (testStepFinished) finish(of.get(testStepFinished.testCaseStartedId)!, testStepFinished.testStepResult);
  const [, reason] = LEFT_OUT.exec(attachment?.body ?? '') ?? [];
  if (reason !== undefined)
    Object.assign(of.get(attachment!.testCaseStartedId!)!, { outcome: 'left_out', message: reason });
  if (testCaseFinished) of.get(testCaseFinished.testCaseStartedId)!.seconds += inSeconds(testCaseFinished.timestamp);
}

const written = ({ uri, name, tags, steps }: Pickle): Ran => ({
  file: uri,
  name,
  tags: tags.map((tag) => tag.name),
  steps: steps.map(({ text }) => text),
  outcome: 'not_run',
  seconds: 0,
});

/** What is neither passed nor skipped has failed: undefined and ambiguous steps too. */
function finish(ran: Ran, { status, message }: { status: string; message?: string }): void {
  if (status === 'PASSED' || ran.outcome === 'failed') return;
  if (status === 'SKIPPED') ran.outcome = 'left_out';
  else Object.assign(ran, { outcome: 'failed', message: message ?? `a step is ${status.toLowerCase()}` });
}
