/** A statement on one line, with every list of values, every list of rows and every limit shortened to one. */
export function shapeOf(statement: string): string {
  return statement
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/svc_test_[0-9a-f]{12}/g, 'svc_test')
    .replaceAll(/\bIN \((?:(?:\?|\d+), ?)*(?:\?|\d+)\)/g, 'IN (?)')
    .replaceAll(/\bLIMIT \d+/g, 'LIMIT 1')
    .replaceAll(/\(((?:[^()]|\([^()]*\))*)\)(?:, ?\(\1\))+/g, '($1)');
}
