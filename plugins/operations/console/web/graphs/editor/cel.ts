// Texts of CEL in their forms, and the ways to write `nodes.<id>`: by a point, or in brackets.
const TOKENS =
  /(?<![\w.])nodes\s*\.\s*(?<plain>[A-Za-z_]\w*)|(?<![\w.])nodes\s*\[\s*(?<quote>["'])(?<quoted>[^"'\\]*)\k<quote>\s*\]|"""[\s\S]*?"""|'''[\s\S]*?'''|[rR]"[^"]*"|[rR]'[^']*'|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\/\/[^\n]*/g;
const PLAIN = /^[A-Za-z_]\w*$/;

/** How an expression reads a node. */
export const readOf = (id: string): string => (PLAIN.test(id) ? `nodes.${id}` : `nodes[${JSON.stringify(id)}]`);

/** The expression with other names of the nodes that it reads; texts in it stay as they are. */
export function renameInCel(text: string, to: (id: string) => string): string {
  return text.replaceAll(TOKENS, (whole, ...rest) => {
    const { plain, quoted } = rest.at(-1) as { plain?: string; quoted?: string };
    const id = plain ?? quoted;
    if (id === undefined) return whole;
    const other = to(id);
    return other === id ? whole : readOf(other);
  });
}

/** The holes of a text, `{{ … }}`, each by what `change` makes of it. */
export const changeHoles = (text: string, change: (cel: string) => string): string =>
  text.replaceAll(/\{\{([\s\S]*?)\}\}/g, (_, cel: string) => `{{${change(cel)}}}`);
