/** A workflow that somebody can begin from. */
export interface Template {
  name: string;
  says: string;
  language: string;
  icon: 'approval' | 'order' | 'data' | 'mail' | 'webhook';
  kind: 'script' | 'pipeline';
  filename: string;
  source: string;
}

/** What the first visit runs with one click. */
export const SAMPLE = {
  kind: 'script',
  filename: 'sample.sh',
  source: `version=$(svc step version -- bash -c 'echo 1.$RANDOM')
echo "Ship $version?

The step before this question is recorded. It does not run again, even if you kill the agent now." | svc annotate -
svc wait-signal approved --timeout 1d
svc step ship -- echo "shipped $version"
svc output set version="$version"
`,
} as const;

export const TEMPLATES: readonly Template[] = [
  {
    name: 'Approve a deployment',
    says: 'Builds, asks a person, then ships under a lock.',
    language: 'Shell',
    icon: 'approval',
    kind: 'script',
    filename: 'release.sh',
    source: `channel=$(svc input channel --default stable)
svc step build -- echo "built for $channel"
echo "Ship to $channel?" | svc annotate -
svc wait-signal approved --timeout 2d
svc lock production -- svc step ship -- echo "shipped to $channel"
`,
  },
  {
    name: 'Fulfil an order',
    says: 'Checks, charges with retries, and undoes everything when one part fails.',
    language: 'Shell',
    icon: 'order',
    kind: 'script',
    filename: 'fulfil-order.sh',
    source: `order=$(svc input order --default 20931)
svc step reserve -- echo "reserved stock for $order"
if svc step charge --retry 3 --backoff 5s -- echo "charged $order"; then
  svc step pack -- echo "packed $order"
  svc emit order.packed --key "$order"
else
  svc step release -- echo "released stock of $order"
  exit 1
fi
`,
  },
  {
    name: 'Nightly load',
    says: 'Loads one table after another. A rerun starts at the table that failed.',
    language: 'Python',
    icon: 'data',
    kind: 'script',
    filename: 'nightly.py',
    source: `import subprocess

for table in ["users", "orders", "invoices"]:
    subprocess.run(["svc", "step", f"load {table}", "--", "echo", f"loaded {table}"], check=True)
`,
  },
  {
    name: 'Test and release',
    says: 'Tests in a matrix, builds once all have passed, and waits for an event before it ships.',
    language: 'Pipeline',
    icon: 'webhook',
    kind: 'pipeline',
    filename: 'ci.yaml',
    source: `name: ci
jobs:
  test:
    strategy: { matrix: { node: ["22", "24"] } }
    steps:
      - run: echo "tested on \${{ matrix.node }}"
  build:
    needs: test
    steps:
      - run: echo built
  approval:
    needs: build
    wait_for_event: deploy.approved
    timeout: 1d
  ship:
    needs: approval
    steps:
      - run: echo shipped
`,
  },
  {
    name: 'Drip campaign',
    says: 'Sleeps for days between emails without a waiting process.',
    language: 'Shell',
    icon: 'mail',
    kind: 'script',
    filename: 'drip.sh',
    source: `customer=$(svc input customer --default ana@example.org)
svc step welcome -- echo "welcome, $customer"
svc sleep 3d
svc step tips -- echo "five tips for $customer"
svc sleep 7d
svc step offer -- echo "an offer for $customer"
`,
  },
];
