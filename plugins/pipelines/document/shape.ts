import type { Fault } from '../../../kernel/contracts/index.ts';
import { compile, membersAt, stepsOf, UNKNOWN_MEMBER } from '../../schema/contract.ts';
import type { PipelineDocument } from '../generated/pipeline.ts';
import schema from '../schema/pipeline.schema.json' with { type: 'json' };
import type { Findings } from './findings.ts';

/** Checks the form of a document, before anything looks at what it means. */
export function checkShape(value: unknown, findings: Findings): value is PipelineDocument {
  for (const fault of compile(schema)(value)) report(fault, findings);
  return !findings.any;
}

function report({ pointer, message }: Fault, findings: Findings): void {
  const path = stepsOf(pointer);
  if (path.length === 0) return findings.atValue([], `a pipeline is a map with \`jobs\`: it ${message}`);
  const name = String(path.at(-1));
  if (message === UNKNOWN_MEMBER) {
    const known = membersAt(schema, pointer.slice(0, pointer.lastIndexOf('/')));
    const hint = findings.hint(name, () => known);
    return findings.atKey(path, `\`${name}\` is not known here${hint} (known: ${known.join(', ')})`);
  }
  if (message === 'is required') return findings.atKey(path.slice(0, -1), `\`${name}\` is missing`);
  findings.atValue(path, `\`${name}\` ${message}`);
}
