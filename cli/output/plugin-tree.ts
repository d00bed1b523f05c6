import type { Candidate } from '../../kernel/boot/index.ts';

/** One line for each plugin in boot order, with its requirements, services and contributions. */
export function tree(candidates: readonly Candidate[]): string {
  return candidates
    .map(({ manifest, builtin, origin }, index) => {
      const lines = [
        `${String(index + 1).padStart(2)}. ${manifest.id} ${manifest.version}${builtin ? '' : ` (${origin})`}`,
      ];
      lines.push(`    ${manifest.summary}`);
      for (const part of ['requires', 'provides', 'contributes'] as const)
        if (manifest[part].length > 0) lines.push(`    ${part}: ${manifest[part].join(', ')}`);
      return lines.join('\n');
    })
    .join('\n');
}
