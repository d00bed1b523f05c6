/** One call of a verb in a generated program, or a piece of shell around some. */
export type Op =
  | { op: 'step'; name: string; exit: number; output: string; label?: string }
  | { op: 'sleep'; ms: number }
  | { op: 'wait-signal'; name: string }
  /** Nobody sends it. */
  | { op: 'wait-signal-in-vain'; name: string }
  | { op: 'state'; verb: 'set' | 'get' | 'delete'; key: string; value?: string }
  | { op: 'state-list' }
  | { op: 'output'; key: string; value: string }
  | { op: 'annotate'; text: string }
  | { op: 'lock'; group: string }
  | { op: 'lock-command'; group: string; exit: number; output: string }
  | { op: 'activity'; name: string; exit: number; output: string }
  | { op: 'activity-submit'; name: string; exit: number; output: string }
  | { op: 'activity-collect'; name: string }
  | { op: 'activity-wait-all' }
  | { op: 'spawn'; exit: number; tag: string }
  /** A document that is none, a file that is not there, a payload that is not JSON. */
  | { op: 'refused'; what: 'document' | 'file' | 'payload' }
  | { op: 'emit'; type: string; payload: unknown }
  | { op: 'wait-event'; type: string; payload: unknown }
  | { op: 'loop'; times: number; body: Op[] }
  /** Goes by the exit code of the last call. */
  | { op: 'branch'; if_ok: Op[]; otherwise: Op[] };

/** A program and what its surroundings do to it. */
export interface Program {
  seed: number;
  ops: Op[];
  /** Sent in this order right after the submit. */
  signals: { name: string; payload: unknown }[];
  /** What the script exits with in the end. */
  exit: number;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A command that prints these bytes and exits with that code. */
const command = (output: string, exit: number): string =>
  `sh -c ${quoted(`printf %s ${quoted(output)}; exit ${exit}`)}`;

/** The program as bash. `rc` is the exit code of the last call. */
export function bashOf(program: Program): string {
  return ['rc=0', ...program.ops.flatMap((op) => linesOf(op, '')), `exit ${program.exit}`, ''].join('\n');
}

function linesOf(op: Op, indent: string): string[] {
  const call = (verb: string): string[] => [`${indent}rc=0; svc ${verb} || rc=$?`];
  switch (op.op) {
    case 'loop':
      return [
        `${indent}for turn in $(seq ${op.times}); do`,
        ...op.body.flatMap((inner) => linesOf(inner, `${indent}  `)),
        `${indent}  :`,
        `${indent}done`,
      ];
    case 'branch':
      return [
        `${indent}if [ "$rc" = 0 ]; then`,
        ...op.if_ok.flatMap((inner) => linesOf(inner, `${indent}  `)),
        `${indent}  :`,
        `${indent}else`,
        ...op.otherwise.flatMap((inner) => linesOf(inner, `${indent}  `)),
        `${indent}  :`,
        `${indent}fi`,
      ];
    default:
      return call(verbOf(op));
  }
}

/** Calls that the service refuses, each with what they leave in the journal. */
export const REFUSED = {
  document: { verb: "spawn - --as script <<< ''", kind: 'spawn', name: '', exit: 1 },
  file: { verb: 'spawn /absent/child.sh', kind: 'spawn', name: '', exit: 2 },
  payload: { verb: "emit refused --payload '{oops'", kind: 'emit', name: 'refused', exit: 2 },
} as const;

type Call = Exclude<Op, { op: 'loop' | 'branch' }>;

function verbOf(op: Call): string {
  switch (op.op) {
    case 'step': {
      const label = op.label === undefined ? '' : ` --label ${quoted(op.label)}`;
      return `step ${op.name}${label} -- ${command(op.output, op.exit)}`;
    }
    case 'sleep':
      return `sleep ${op.ms}ms`;
    case 'wait-signal':
      return `wait-signal ${op.name}`;
    case 'wait-signal-in-vain':
      return `wait-signal ${op.name} --timeout 30ms`;
    case 'state':
      return `state ${op.verb} ${op.key}${op.value === undefined ? '' : ` ${quoted(op.value)}`}`;
    case 'state-list':
      return 'state list';
    case 'output':
      return `output set ${op.key}=${quoted(op.value)}`;
    case 'annotate':
      return `annotate ${quoted(op.text)}`;
    case 'lock':
      return `lock ${op.group}`;
    case 'lock-command':
      return `lock ${op.group} -- ${command(op.output, op.exit)}`;
    case 'activity':
      return `activity ${op.name} --requires bash -- ${command(op.output, op.exit)}`;
    case 'activity-submit':
      return `activity-submit ${op.name} --requires bash -- ${command(op.output, op.exit)}`;
    case 'activity-collect':
      return `activity-collect ${op.name}`;
    case 'activity-wait-all':
      return 'activity-wait-all';
    case 'spawn':
      return `spawn - --as script --tag ${op.tag} <<< ${quoted(`exit ${op.exit}`)}`;
    case 'refused':
      return REFUSED[op.what].verb;
    case 'emit':
      return `emit ${op.type} --payload ${quoted(JSON.stringify(op.payload))}`;
    default:
      return `wait-event ${op.type}`;
  }
}
