/** What the address of the page says. */
export interface AuditFilters {
  /** An action, such as `secret.read`, or only its noun, such as `secret`. */
  action?: string;
  principal?: string;
  /** `7d`, or a time. */
  since?: string;
  /** Of the org itself: members, projects, tokens. */
  of?: 'org';
}

const NAMES = ['action', 'principal', 'since'] as const;

/** Anything else that stands in an address is left out. */
export function readAuditFilters(search: Record<string, unknown>): AuditFilters {
  const given = NAMES.flatMap((name) => {
    const value = search[name];
    const text = typeof value === 'number' ? String(value) : value;
    return typeof text === 'string' && text.trim() !== '' ? [[name, text.trim()] as const] : [];
  });
  return { ...Object.fromEntries(given), ...(search.of === 'org' && { of: 'org' }) };
}

/** The command with the same answer. */
export function auditCommand({ of, ...filters }: AuditFilters, quote: (text: string) => string): string {
  const flags = NAMES.flatMap((name) => (filters[name] === undefined ? [] : [`--${name} ${quote(filters[name])}`]));
  return ['svc audit ls', ...(of ? ['--org'] : []), ...flags].join(' ');
}
