// AssemblyScript's own library and a parser as people write them in it.

/** The library's sort of a typed array. */
export function sort(at: usize, n: i32): void {
  const values = new Int32Array(n);
  for (let i = 0; i < n; i++) values[i] = load<i32>(at + (<usize>i << 2));
  values.sort();
}

/** Sums in brackets, with the operand read again for each operator that may follow. */
let text: usize = 0;
let end: usize = 0;

function value(at: usize): usize {
  if (at >= end) return 0;
  const c = load<u8>(at);
  if (c == 97) return at + 1;
  if (c != 40) return 0;
  const inner = expression(at + 1);
  if (inner == 0 || inner >= end || load<u8>(inner) != 41) return 0;
  return inner + 1;
}

function expression(at: usize): usize {
  let after = value(at);
  if (after != 0 && after < end && load<u8>(after) == 43) {
    after = expression(after + 1);
    if (after != 0) return after;
  }
  return value(at);
}

export function parse(at: usize, n: i32): i32 {
  text = at;
  end = at + <usize>n;
  return i32(expression(at) == end);
}

/** Text put together piece by piece. */
export function join(at: usize, n: i32): i32 {
  let all = "";
  for (let i = 0; i < n; i++) {
    if (load<u8>(at + <usize>i) != 32) all += "x";
  }
  return all.length;
}
