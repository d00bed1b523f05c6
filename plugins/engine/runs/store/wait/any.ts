import type { Sealer } from '../../../../../kernel/contracts/index.ts';
import type { AnyBranch, AnyWaitArgs, ArmWait, Json, WaitKind, WaitOutcome } from '../../contract.ts';
import { parseJson } from '../rows/sealing.ts';
import { consumeQueued } from './signal.ts';

/** The kinds of waits for what `AnyBranch` names. */
const KINDS: Readonly<Record<AnyBranch['kind'], string>> = {
  signal: 'wait-signal',
  event: 'wait-event',
  ask: 'wait-ask',
};

/**
 * `svc wait-any signal:<name>… event:<type>… ask:<name>… timeout:<duration>`: the first signal, event or ask, or the end of the
 * time. The outcome says which came first. A signal or an ask that was sent before the wait comes before everything else.
 */
export function waitAnyKind(
  sealer: Sealer,
  now: () => number,
  kindOf: (kind: string) => Pick<WaitKind, 'tryResolve'> | undefined,
): WaitKind {
  return {
    kind: 'wait-any',
    substate: 'any',
    async tryResolve(tx, context, wait) {
      for (const { kind, name } of branchesOf(wait)) {
        if (kind === 'event') continue;
        if (kind === 'ask') {
          const branch = { ...wait, kind: KINDS.ask, name, args: null };
          const asked = await kindOf(KINDS.ask)?.tryResolve(tx, context, branch);
          if (asked) return outcomeOf(`ask:${name}`, asked);
          continue;
        }
        const taken = await consumeQueued(tx, sealer, context, name, wait.position, now());
        if (taken) return firstOutcome({ first: 'signal', name, payload: parseJson(taken.payload.toString()) });
      }
      return undefined;
    },
    firstOf: {
      branches: (wait) =>
        branchesOf(wait).map(({ kind, name, ...args }) => ({
          name: `${kind}:${name}`,
          wait: { kind: KINDS[kind], name, args: kind === 'event' ? { ...args } : null },
        })),
      outcomeOf,
    },
    expire: ({ args, name }) =>
      argsOf({ args }).fails
        ? { exit_code: 124, output: Buffer.alloc(0), message: `none of ${name} came before the timeout` }
        : firstOutcome({ first: 'timeout' }),
  };
}

function outcomeOf(branch: string, outcome: WaitOutcome): WaitOutcome {
  if (outcome.exit_code !== 0) return outcome;
  const colon = branch.indexOf(':');
  const [first, name] = [branch.slice(0, colon), branch.slice(colon + 1)];
  const value = parseJson(outcome.output.toString());
  if (first === 'ask') return firstOutcome({ first, name, ...(value as { [member: string]: Json }) });
  return firstOutcome(first === 'signal' ? { first, name, payload: value } : { first, name, event: value });
}

const firstOutcome = (result: { [member: string]: Json }): WaitOutcome => ({
  exit_code: 0,
  output: Buffer.from(`${JSON.stringify(result)}\n`),
});

/** The verb and the nodes check them. */
const argsOf = ({ args }: Pick<ArmWait, 'args'>): AnyWaitArgs => args as unknown as AnyWaitArgs;

const branchesOf = (wait: Pick<ArmWait, 'args'>): readonly AnyBranch[] => argsOf(wait).branches;
