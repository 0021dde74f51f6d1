// Insertion sort in linear memory.
export function sort(a: usize, n: i32): void {
  for (let i = 1; i < n; i++) {
    const x = load<i32>(a + (<usize>i << 2));
    let j = i;
    while (j > 0 && load<i32>(a + (<usize>(j - 1) << 2)) > x) {
      store<i32>(a + (<usize>j << 2), load<i32>(a + (<usize>(j - 1) << 2)));
      j--;
    }
    store<i32>(a + (<usize>j << 2), x);
  }
}
