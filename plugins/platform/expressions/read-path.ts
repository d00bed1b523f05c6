import type { Expr, Parsed } from './ast.ts';

/** Matches a root and its members: `nodes.build.output.version`, `nodes["a-b"].output`. Texts must not have escapes. */
const PATH = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\["[^"\\\r\n]*"\])*$/;
const STEP = /\.([A-Za-z_]\w*)|\["([^"]*)"\]/g;
/** Words that cannot be names. The parser reports its own errors for them. */
const RESERVED =
  /(?:^|\.)(?:true|false|null|in)(?![\w])|^(?:as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)(?!\w)/;

type Kind = Expr['exprKind'];

/**
 * Builds the same tree for a path as the parser; undefined for every other expression. Most expressions in documents are paths,
 * for which the parser takes twenty times as long.
 */
export function readPath(text: string): (Pick<Parsed, 'expr'> & { positions: Record<string, number> }) | undefined {
  if (!PATH.test(text) || RESERVED.test(text)) return undefined;
  const positions: Record<string, number> = {};
  let last = 0;
  const node = (offset: number, exprKind: Kind): Expr => {
    last += 1;
    positions[String(last)] = offset;
    return { $typeName: 'cel.expr.Expr', id: BigInt(last), exprKind };
  };
  const [name = ''] = /^\w+/.exec(text) ?? [];
  let expr = node(0, { case: 'identExpr', value: { $typeName: 'cel.expr.Expr.Ident', name } });
  for (const { index, 1: field, 2: key = '' } of text.matchAll(STEP))
    expr =
      field === undefined ? node(index, member(expr, node(index + 1, textOf(key)))) : node(index, select(expr, field));
  return { expr, positions };
}

const select = (operand: Expr, field: string): Kind => ({
  case: 'selectExpr',
  value: { $typeName: 'cel.expr.Expr.Select', operand, field, testOnly: false },
});

const member = (operand: Expr, key: Expr): Kind => ({
  case: 'callExpr',
  value: { $typeName: 'cel.expr.Expr.Call', function: '_[_]', args: [operand, key] },
});

const textOf = (value: string): Kind => ({
  case: 'constExpr',
  value: { $typeName: 'cel.expr.Constant', constantKind: { case: 'stringValue', value } },
});
