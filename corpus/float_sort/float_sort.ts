// build: asc -O1 --runtime stub --use abort=
// Insertion sort of doubles with the comparison of floats, as AssemblyScript compiles it.

export function sort(at: usize, n: i32): void {
  for (let i = 1; i < n; i++) {
    const x = load<f64>(at + (<usize>i << 3));
    let j = i - 1;
    while (j >= 0) {
      const y = load<f64>(at + (<usize>j << 3));
      if (!(y > x)) break;
      store<f64>(at + (<usize>(j + 1) << 3), y);
      j--;
    }
    store<f64>(at + (<usize>(j + 1) << 3), x);
  }
}

/** The library's sort of a typed array: it orders by bits, where what is not a number has a place as well. */
export function sort_library(at: usize, n: i32): void {
  const values = new Float64Array(n);
  for (let i = 0; i < n; i++) values[i] = load<f64>(at + (<usize>i << 3));
  values.sort();
  for (let i = 0; i < n; i++) store<f64>(at + (<usize>i << 3), values[i]);
}
