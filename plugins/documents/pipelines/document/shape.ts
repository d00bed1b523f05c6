import type { Fault } from '../../../../kernel/contracts/index.ts';
import { compile, membersAt, stepsOf, UNKNOWN_MEMBER } from '../../../platform/schema/contract.ts';
import type { PipelineDocument } from '../generated/pipeline.ts';
import schema from '../schema/pipeline.schema.json' with { type: 'json' };
import type { Findings } from './findings.ts';
import { insteadOf } from './other-systems.ts';

/** Checks the form of a document before its meaning is checked. */
export function checkShape(value: unknown, findings: Findings): value is PipelineDocument {
  const errors = compile(schema)(value);
  const unknown = new Set(errors.filter(({ message }) => message === UNKNOWN_MEMBER).map(({ pointer }) => pointer));
  for (const error of errors) {
    // A step with `uses` has no `run`, and the problem of `uses` says to write it.
    if (error.message === 'is required' && unknown.has(error.pointer.replace(/\/run$/, '/uses'))) continue;
    reportError(error, findings);
  }
  return errors.length === 0;
}

function reportError({ pointer, message }: Fault, findings: Findings): void {
  const path = stepsOf(pointer);
  if (path.length === 0) return findings.atValue([], `a pipeline is a map with \`jobs\`: it ${message}`);
  const name = String(path.at(-1));
  if (message === UNKNOWN_MEMBER) {
    const instead = insteadOf(path);
    if (instead !== undefined) return findings.atKey(path, `\`${name}\` is not supported here: ${instead}`);
    const members = membersAt(schema, pointer.slice(0, pointer.lastIndexOf('/')));
    const hint = findings.hint(name, () => members);
    return findings.atKey(path, `\`${name}\` is not supported here${hint} (supported: ${members.join(', ')})`);
  }
  if (message === 'is required') return findings.atKey(path.slice(0, -1), `\`${name}\` is missing`);
  findings.atValue(path, `\`${name}\` ${message}`);
}
