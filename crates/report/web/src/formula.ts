// Evaluates the formulas of the fit, so that a curve can be drawn between the sizes that were run.
//
// Grammar: sums of products of n, numbers, powers, factorials, log2(…), sqrt(…), floor(…) and
// parentheses. Whatever else a formula says is not drawn between sizes.

type Curve = (n: number) => number;

/** The function a formula describes, or null if it is beyond the grammar. */
export function parse(text: string): Curve | null {
  const tokens = text.match(/\d+(?:\.\d+)?(?:e[+-]?\d+)?|[a-z]+\d?|[^\s]/gi) ?? [];
  let at = 0;
  const take = (token: string): boolean => {
    if (tokens[at] !== token) return false;
    at++;
    return true;
  };

  function sum(): Curve {
    let left = take("-") ? negate(product()) : product();
    for (;;) {
      const a = left;
      if (take("+")) {
        const b = product();
        left = (n) => a(n) + b(n);
      } else if (take("-")) {
        const b = product();
        left = (n) => a(n) - b(n);
      } else return left;
    }
  }

  function product(): Curve {
    let left = power();
    for (;;) {
      const a = left;
      if (take("*") || take("·")) {
        const b = power();
        left = (n) => a(n) * b(n);
      } else if (take("/")) {
        const b = power();
        left = (n) => a(n) / b(n);
      } else return left;
    }
  }

  function power(): Curve {
    const base = postfix();
    if (!take("^")) return base;
    const exponent = take("-") ? negate(power()) : power();
    return (n) => base(n) ** exponent(n);
  }

  function postfix(): Curve {
    const inner = atom();
    return take("!") ? (n) => factorial(inner(n)) : inner;
  }

  function atom(): Curve {
    const token = tokens[at++];
    if (token === "(") {
      const inner = sum();
      if (!take(")")) throw new Error("unclosed");
      return inner;
    }
    if (token === "n") return (n) => n;
    const named: Record<string, (x: number) => number> = {
      log2: Math.log2,
      lg: Math.log2,
      sqrt: Math.sqrt,
      floor: Math.floor,
    };
    const call = token === undefined ? undefined : named[token];
    if (call) {
      if (!take("(")) throw new Error("no argument");
      const inner = sum();
      if (!take(")")) throw new Error("unclosed");
      return (n) => call(inner(n));
    }
    const value = Number(token);
    if (token === undefined || Number.isNaN(value)) throw new Error("unknown word");
    return () => value;
  }

  try {
    const curve = sum();
    return at === tokens.length ? curve : null;
  } catch {
    return null;
  }
}

function negate(inner: Curve): Curve {
  return (n) => -inner(n);
}

/** x! between whole numbers too, by Stirling's series on a shifted argument. */
function factorial(x: number): number {
  if (x < 0) return NaN;
  let shift = 1;
  let z = x + 1;
  while (z < 10) shift *= z++;
  const ln = (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * z) - 1 / (360 * z ** 3);
  return Math.exp(ln) / shift;
}
