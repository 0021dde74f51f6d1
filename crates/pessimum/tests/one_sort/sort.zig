//! Insertion sort on a pointer to many.
export fn sort(a: [*]i32, n: u32) void {
    var i: u32 = 1;
    while (i < n) : (i += 1) {
        const x = a[i];
        var j = i;
        while (j > 0 and a[j - 1] > x) {
            a[j] = a[j - 1];
            j -= 1;
        }
        a[j] = x;
    }
}
