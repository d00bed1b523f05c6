/** The crash suite's workload, and what it must come to. */
export interface Workload {
  filename: string;
  source: string;
  /** Every site that must be recorded, in order. */
  sites: string[];
  /** Names of the signals it waits for, in order. */
  signals: string[];
}

/**
 * A bash script of about `steps` durable calls: steps with side effects in a ledger, sleeps, waits for signals, and
 * a command that fails twice before it succeeds. Each side effect writes `<site> <idempotency key>` as one line.
 */
export function workload(steps: number, ledger: string): Workload {
  const lines = [
    `effect() { svc step "$1" -- sh -c 'echo "$0 $SVC_IDEMPOTENCY_KEY" >> "$1"; echo "did $0"' "$1" '${ledger}'; }`,
  ];
  lines.push('echo "a pass begins"');
  const sites: string[] = [];
  const signals: string[] = [];
  let sleeps = 0;
  for (let index = 0; sites.length < steps; index += 1) {
    const turn = index % 10;
    if (turn === 2) {
      lines.push('svc sleep 40ms');
      sites.push(`sleep#${sleeps}`);
      sleeps += 1;
    } else if (turn === 4 || turn === 9) {
      const name = `go-${index}`;
      lines.push(`test "$(svc wait-signal ${name})" = '{"n":${index}}'`);
      sites.push(`${name}#0`);
      signals.push(name);
    } else if (turn === 7) {
      lines.push(...flaky(index, ledger));
      sites.push(`flaky-${index}#0`, `flaky-${index}#1`, `flaky-${index}#2`);
    } else {
      lines.push(`test "$(effect s-${index})" = 'did s-${index}'`);
      sites.push(`s-${index}#0`);
    }
  }
  lines.push(`svc output set calls=${sites.length}`);
  return { filename: 'crash.sh', source: `${lines.join('\n')}\n`, sites, signals };
}

/** Fails by its ordinal, which the script counts itself: the third attempt succeeds. */
function flaky(index: number, ledger: string): string[] {
  const name = `flaky-${index}`;
  return [
    'try=0',
    `until svc step ${name} -- sh -c 'echo "$0#$1 $SVC_IDEMPOTENCY_KEY" >> "$2"; test "$1" -ge 2' ${name} "$try" '${ledger}'; do try=$((try + 1)); done`,
  ];
}
