/** The crash suite's workload, and what it must come to. */
export interface Workload {
  /** What is submitted: a script, or the name of a function and its input. */
  submission: { filename: string; source: string } | { function: string; input: object };
  /** Every site that must be recorded, in order. */
  sites: string[];
  /** Every side effect that the ledger must name. */
  effects: string[];
  /** The `n` of each `crash.tick` that it emits and a handler answers. */
  ticks: number[];
  /** The file that side effects are noted in. */
  ledger: string;
}

/** Runs once for every `crash.tick` and notes it as `tick-<n>`. */
export const echo = (ledger: string) => ({
  on: ['crash.tick'],
  filename: 'echo.sh',
  source: [
    `n=$(sed -E 's/.*"n":([0-9]+).*/\\1/' "$SVC_INPUT_FILE")`,
    `svc step echo -- sh -c 'echo "tick-$0 $SVC_IDEMPOTENCY_KEY" >> "$1"' "$n" '${ledger}'`,
    '',
  ].join('\n'),
});

/**
 * A bash script of about `steps` durable calls: steps with side effects in a ledger, sleeps, waits for signals and for
 * events, emits, commands under a lease, and a command that is tried three times. Each side effect writes
 * `<site> <idempotency key>` as one line.
 */
export function workload(steps: number, ledger: string): Workload {
  const lines = [
    `effect() { svc step "$1" -- sh -c 'echo "$0 $SVC_IDEMPOTENCY_KEY" >> "$1"; echo "did $0"' "$1" '${ledger}'; }`,
  ];
  lines.push(
    `guarded() { svc lock guarded -- sh -c 'echo "$0 $SVC_IDEMPOTENCY_KEY" >> "$1"; echo "did $0"' "$1" '${ledger}'; }`,
  );
  lines.push('echo "a pass begins"');
  const sites: string[] = [];
  let sleeps = 0;
  let locks = 0;
  const ticks: number[] = [];
  for (let index = 0; sites.length < steps; index += 1) {
    const turn = index % 10;
    if (turn === 2) {
      lines.push('svc sleep 40ms');
      sites.push(`sleep#${sleeps}`);
      sleeps += 1;
    } else if (turn === 4 || turn === 9) {
      const name = `go-${index}`;
      // Every other one asks a person, whose answer is checked.
      const asks = turn === 9 ? " --message 'Go on?' --form 'n: integer'" : '';
      if (turn === 4) {
        lines.push(
          `case $(svc wait-any signal:${name} event:crash.never timeout:10m) in *'"payload":{"n":${index}}'*) ;; *) exit 8 ;; esac`,
        );
        sites.push(`signal:${name} event:crash.never#0`);
        continue;
      }
      lines.push(`test "$(svc wait-signal ${name}${asks})" = '{"n":${index}}'`);
      sites.push(`${name}#0`);
    } else if (turn === 5) {
      // The lock and its command are two records of one site.
      lines.push(`test "$(guarded g-${index})" = 'did g-${index}'`);
      sites.push(`guarded#${locks}`, `guarded#${locks}`);
      locks += 1;
    } else if (turn === 6) {
      lines.push(`svc emit crash.tick --payload '{"n":${index}}' >/dev/null`);
      sites.push(`crash.tick#${ticks.length}`);
      ticks.push(index);
    } else if (turn === 8) {
      const name = `crash.go-${index}`;
      // The event must name a value of the script and the run, which are sealed with the wait.
      const when = `--when 'event.payload.n == vars.n && run.id != ""' --var n:=${index}`;
      lines.push(`case $(svc wait-event ${name} ${when}) in *'"payload":{"n":${index}}'*) ;; *) exit 7 ;; esac`);
      sites.push(`${name}#0`);
    } else if (turn === 7) {
      lines.push(flaky(index, ledger));
      sites.push(`flaky-${index}#0`);
    } else {
      lines.push(`test "$(effect s-${index})" = 'did s-${index}'`);
      sites.push(`s-${index}#0`);
    }
  }
  lines.push(`svc output set calls=${sites.length}`);
  const effects = sites
    .filter((site) => /^(s-\d+#0|flaky-\d+#\d)$/.test(site))
    .map((site) => site.replace(/^(s-\d+)#0$/, '$1'))
    .concat(ticks.map((n) => `tick-${n}`));
  return { submission: { filename: 'crash.sh', source: `${lines.join('\n')}\n` }, sites, effects, ticks, ledger };
}

/** The third attempt succeeds, whoever dies in between. */
const flaky = (index: number, ledger: string): string =>
  `svc step flaky-${index} --retry 3 --backoff 5ms -- sh -c 'echo "$0#0 $SVC_IDEMPOTENCY_KEY" >> "$1"; test "$ATTEMPT" = 3' flaky-${index} '${ledger}'`;
