import type { Candidate } from '../../kernel/boot/index.ts';

/**
 * Prints the plugins by wing, from the ground up, then connectors and third-party plugins: each with its position in the boot
 * order, what it requires, and what it provides and contributes.
 */
export function pluginTree(candidates: readonly Candidate[], wings: readonly string[]): string {
  const numbered = candidates.map((candidate, index) => ({ candidate, position: index + 1 }));
  const groups = [...wings, 'connectors', 'SVC_PLUGINS'].map((title) => ({
    title,
    members: numbered.filter(({ candidate }) => groupOf(candidate) === title),
  }));
  return groups
    .filter(({ members }) => members.length > 0)
    .map(({ title, members }) => [title, ...members.map(describePlugin)].join('\n'))
    .join('\n\n');
}

const groupOf = ({ wing, manifest }: Candidate): string =>
  wing ?? (manifest.id.startsWith('connector:') ? 'connectors' : 'SVC_PLUGINS');

function describePlugin({ candidate, position }: { candidate: Candidate; position: number }): string {
  const { manifest, builtin, origin } = candidate;
  const lines = [`${String(position).padStart(2)}. ${manifest.id} ${manifest.version}${builtin ? '' : ` (${origin})`}`];
  lines.push(`    ${manifest.summary}`);
  for (const member of ['requires', 'provides', 'contributes'] as const)
    if (manifest[member].length > 0) lines.push(`    ${member}: ${manifest[member].join(', ')}`);
  return lines.join('\n');
}
