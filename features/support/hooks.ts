import {
  After,
  AfterAll,
  Before,
  BeforeAll,
  BeforeStep,
  setDefaultTimeout,
  setDefinitionFunctionWrapper,
  Status,
} from '@cucumber/cucumber';
import { isThere } from '../../test/kit/needs.ts';
import { isContract, specOnly } from './contract.ts';
import { dropTemplate } from './prepared.ts';
import { compiledCode } from './home.ts';
import { leftOut } from './left-out.ts';
import { runToEnd } from './process.ts';
import { clone, openTarget, svcProgram, type Target } from './target.ts';
import { scenarioFolder, type SvcWorld } from './world.ts';

/** Of a step: longer than whatever a step waits for. */
setDefaultTimeout(300_000);

let shared: Target | undefined;

BeforeAll(async () => {
  shared = await openTarget();
});

AfterAll(async () => {
  await shared?.close();
  await dropTemplate();
});

Before(function (this: SvcWorld, { pickle }) {
  this.tags = pickle.tags.map(({ name }) => name);
});

/**
 * `@needs-git`: the scenario's steps, or its scripts, call git; so with all of test/kit/needs.ts. Agents of somebody else's
 * service stand on another machine, and may have what this one lacks.
 */
Before(function (this: SvcWorld) {
  if (!shared?.own && process.env.SVC_TEST_SCENARIOS === undefined) return undefined;
  const named = this.tags.flatMap((tag) => /^@needs-(.+)/.exec(tag)?.[1] ?? []);
  const missing = named.filter((program) => !isThere(program));
  return missing.length === 0 ? undefined : leftOut(this, `it calls ${missing.join(' and ')}`, ...missing);
});

/**
 * `@own-server`: the scenario kills or configures servers, which needs a target that is ours. `@far-end`: the server or an
 * agent calls a system of the scenario's own, so it has to reach this machine. `@provider`: its settings name the provider
 * of the suite.
 */
Before({ tags: '@own-server' }, () => (shared?.own ? undefined : 'skipped'));
Before({ tags: '@far-end' }, () => (shared?.own || process.env.SVC_CONFORMANCE_REACH ? undefined : 'skipped'));
Before({ tags: '@provider and not @own-server' }, () => (shared?.provider ? undefined : 'skipped'));

/** `@public-url`: the server has a public address, as the run was told; `@no-public-url`: it has none. */
Before({ tags: '@public-url' }, () => (shared?.own || process.env.SVC_CONFORMANCE_PUBLIC_URL ? undefined : 'skipped'));
Before({ tags: '@no-public-url' }, () => (process.env.SVC_CONFORMANCE_PUBLIC_URL ? 'skipped' : undefined));

/**
 * `@program`: the command line starts, or refuses to start, processes of the service on this machine, and nothing asks the
 * server under test. The command line of another implementation may lead to servers only.
 */
Before({ tags: '@program' }, async function (this: SvcWorld) {
  if (shared?.own || (await startsServers())) return undefined;
  return leftOut(this, 'how a server starts, because the command line has no `svc serve`');
});

let serves: Promise<boolean> | undefined;

function startsServers(): Promise<boolean> {
  const { PATH = '', HOME = '' } = process.env;
  const options = { env: { PATH, HOME, ...compiledCode() }, cwd: clone };
  serves ??= runToEnd(svcProgram, ['help', 'serve'], options).then(({ exit }) => exit === 0);
  return serves;
}

/** With `@own-server` the scenario gets one of its own, unless it is `@configured`: then its steps start what it needs. */
Before({ tags: '@own-server and not @configured' }, async function (this: SvcWorld) {
  this.folder = await scenarioFolder();
  await this.startOwn();
});

Before(async function (this: SvcWorld) {
  await this.open(this.privateTarget ?? shared!);
});

/** Deliveries and ticks too start scripts, which read files that a step before has written. */
BeforeStep(async function (this: SvcWorld, { gherkinDocument, pickleStep }) {
  this.looks = !specOnly() || !isContract(gherkinDocument, pickleStep);
  await this.bring();
});

type Definition = (this: Partial<SvcWorld> | null, ...args: unknown[]) => unknown;

/** Of a run for the specification alone: a step that only the contract backs is passed over. Hooks are wrapped like steps. */
if (specOnly())
  setDefinitionFunctionWrapper(
    (definition: Definition): Definition =>
      function (...args) {
        if (this?.looks !== false) return definition.apply(this, args);
        this.looks = true;
        return undefined;
      },
  );

/** Every scenario cleans up, and fails when it left an error unlooked-at or a run behind. */
After(async function (this: SvcWorld, { result }) {
  try {
    if (this.project === '') return; // Left out, or it never began.
    const left = result?.status === Status.PASSED ? await this.leftBehind() : await this.unfinished();
    for (const run of left)
      await this.call('POST', `${this.scoped}/runs/${run.run_id}/cancel`, { reason: 'end of the scenario' });
    if (result?.status !== Status.PASSED) return;
    this.refuseUnchecked();
    const leaked = left.filter((run) => !this.notes.has(`may stay ${run.run_id}`));
    if (leaked.length > 0)
      throw new Error(`runs were left unfinished: ${leaked.map((run) => `${run.run_id} (${run.status})`).join(', ')}`);
  } finally {
    await this.privateTarget?.close();
    await this.dispose();
  }
});
