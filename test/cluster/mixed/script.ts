/** What a mixed run does, and what must be in the ledger once when it has succeeded. */
export interface MixedRun {
  source: string;
  /** Sites of its side effects. */
  sites: string[];
}

/** A side effect as one line: site, idempotency key, and the folder of the agent, which tells its server. */
const NOTE = (ledger: string) => `sh -c 'echo "$0 $SVC_IDEMPOTENCY_KEY \${PWD##*/}" >> "${ledger}"'`;

/** One handler run for each `mixed.tick`. */
export const echo = (ledger: string) => ({
  on: ['mixed.tick'],
  filename: 'echo.sh',
  source: [
    `n=$(sed -E 's/.*"n":([0-9]+).*/\\1/' "$SVC_INPUT_FILE")`,
    `svc step echo -- ${NOTE(ledger)} "tick-$n"`,
    '',
  ].join('\n'),
});

type Kind = (n: number, note: string) => { lines: string[]; sites: string[] };

const KINDS: readonly Kind[] = [
  (n, note) => ({
    lines: [`svc lock mixed-${n % 3} -- ${note} ${n}/locked`],
    sites: [`${n}/locked`],
  }),
  (n, note) => ({
    lines: [
      ...[1, 2, 3].map((child) => `svc activity-submit c${child} -- ${note} ${n}/child-${child}`),
      'test "$(svc activity-wait-all)" = 0 || exit 9',
    ],
    sites: [1, 2, 3].map((child) => `${n}/child-${child}`),
  }),
  (n) => ({ lines: [`test "$(svc wait-signal go-${n})" = '{"n":${n}}' || exit 8`], sites: [] }),
  (n) => ({ lines: [`case $(svc wait-event mixed.go-${n}) in *'"n":${n}}'*) ;; *) exit 7 ;; esac`], sites: [] }),
  (n) => ({
    // Refused while a project has too many handler runs.
    lines: [`until svc emit mixed.tick --payload '{"n":${n}}'; do svc sleep 500ms; done`],
    sites: [`tick-${n}`],
  }),
  () => ({ lines: ['svc sleep 200ms'], sites: [] }),
  (n, note) => ({
    lines: [
      `for i in 1 2; do svc activity-submit "c$i" -- ${note} "${n}/child-$i"; done`,
      'for i in 1 2; do svc activity-collect "c$i" || exit 6; done',
    ],
    sites: [`${n}/child-1`, `${n}/child-2`],
  }),
];

/** The nth run: a side effect, what its kind does, and one more side effect. */
export function mixedRun(n: number, ledger: string): MixedRun {
  const note = NOTE(ledger);
  const { lines, sites } = KINDS[n % KINDS.length]!(n, note);
  return {
    source: [`svc step first -- ${note} ${n}/first`, ...lines, `svc step last -- ${note} ${n}/last`, ''].join('\n'),
    sites: [`${n}/first`, ...sites, `${n}/last`],
  };
}
